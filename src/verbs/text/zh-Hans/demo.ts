import type { demo as en } from '../en/demo.ts';

export const demo: Record<keyof typeof en, string> = {
  'demo.summary': '启动一个任务，中途终止其进程，再看它继续完成',
  'demo.option.storage': '存储后端，默认 json',
  'demo.option.keep': '保留文件夹以供查看',
  'demo.start': '一个 {steps} 步的任务在进程 {pid} 中开始（存储：{storage}）。',
  'demo.step': '  第 {step} 步（共 {steps} 步）完成并已写入磁盘：{result}',
  'demo.killed': '进程 {pid} 在第 {step} 步途中被 SIGKILL 终止。没有预警，也没有清理。',
  'demo.reopened': '重新打开存储：{acknowledged} 个已确认的步骤中有 {found} 个还在。',
  'demo.unacknowledged': '另有一步在进程来得及报告之前已写入磁盘，也算数。',
  'demo.state': '它在磁盘上的状态是“{status}”：已没有人能更改它。',
  'demo.claimed': '已察觉原持有者终止；由本进程接手任务（持有者编号 {fence}）。',
  'demo.finished': '任务完成。结果 {result} 与未中断的运行相同。',
  'demo.kept': '文件夹保留于 {path}',
  'demo.lost': '演示失败：已确认 {acknowledged} 步，原样取回的只有 {found} 步。',
  'demo.differs': '演示失败：结果 {result} 不是 {expected}。',
  'demo.child_failed': '演示失败：其进程自行结束（{reason}）。',
  'demo.damaged': '演示失败：存储报告损坏：{problems}',
  'demo.failed_hint': '请加上 --keep 再运行一次，并连同该文件夹报告：这是 vibe-engine 的缺陷。',
};
