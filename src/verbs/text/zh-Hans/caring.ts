import type { caring as en } from '../en/caring.ts';

export const caring: Record<keyof typeof en, string> = {
  'clean.summary': '移除策略指定的检查点，并释放不再需要的空间',
  'clean.argument.tasks': '只清理这些任务的检查点',
  'clean.option.older_than': '早于这么多天的检查点',
  'clean.option.keep': '每个任务只保留最新的几个',
  'clean.option.completed': '已完成任务的所有检查点',
  'clean.would': '会移除 {count} 个检查点，立即释放 {freed}，宽限期后约再释放 {pending}',
  'clean.goes': '{id}：{why}',
  'clean.more': '以及其他 {count} 个',
  'clean.forgotten': '{count} 次退回将无法再撤销',
  'clean.spared': '策略指定的有 {count} 个仍会保留，因为还有用处',
  'clean.skipped': '{task} 不处理：{why}',
  'clean.nothing': '没有需要清理的东西。',
  'clean.ask': '要移除吗？',
  'clean.done': '已移除 {count} 个检查点，释放 {freed}；宽限期后约再释放 {pending}。',
};
