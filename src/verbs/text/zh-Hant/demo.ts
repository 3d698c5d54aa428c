import type { demo as en } from '../en/demo.ts';

export const demo: Record<keyof typeof en, string> = {
  'demo.summary': '啟動一個任務，中途終止其行程，再看它繼續完成',
  'demo.option.storage': '儲存後端，預設 json',
  'demo.option.keep': '保留資料夾以供查看',
  'demo.start': '一個 {steps} 步的任務在行程 {pid} 中開始（儲存：{storage}）。',
  'demo.step': '  第 {step} 步（共 {steps} 步）完成並已寫入磁碟：{result}',
  'demo.killed': '行程 {pid} 在第 {step} 步途中被 SIGKILL 終止。沒有預警，也沒有清理。',
  'demo.reopened': '重新開啟儲存：{acknowledged} 個已確認的步驟中有 {found} 個還在。',
  'demo.unacknowledged': '另有一步在行程來得及回報之前已寫入磁碟，也算數。',
  'demo.state': '它在磁碟上的狀態是「{status}」：已沒有人能更改它。',
  'demo.claimed': '已察覺原持有者終止；由本行程接手任務（持有者編號 {fence}）。',
  'demo.finished': '任務完成。結果 {result} 與未中斷的執行相同。',
  'demo.kept': '資料夾保留於 {path}',
  'demo.lost': '示範失敗：已確認 {acknowledged} 步，原樣取回的只有 {found} 步。',
  'demo.differs': '示範失敗：結果 {result} 不是 {expected}。',
  'demo.child_failed': '示範失敗：其行程自行結束（{reason}）。',
  'demo.damaged': '示範失敗：儲存回報損壞：{problems}',
  'demo.failed_hint': '請加上 --keep 再執行一次，並連同該資料夾回報：這是 vibe-engine 的缺陷。',
};
