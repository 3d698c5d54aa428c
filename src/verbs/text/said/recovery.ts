import type { Said } from '../catalogue.ts';

export const recovery: Said = {
  'What it needs to go on is not there: {0}.': [
    '繼續所需的內容已不存在：{0}。',
    '继续所需的内容已不存在：{0}。',
  ],
  'Not a reference to a context: {0}.': ['這不是上下文的參照：{0}。', '这不是上下文的引用：{0}。'],
  'It is context://{task_id}/{entry}, as in accumulated_context of a task’s state.': [
    '格式是 context://{task_id}/{entry}，見任務狀態的 accumulated_context。',
    '格式是 context://{task_id}/{entry}，见任务状态的 accumulated_context。',
  ],
  'Nothing was changed. Put it right, or choose with --on-environment: {0}.': [
    '沒有做任何變更。請先修正，或以 --on-environment選擇：{0}。',
    '没有做任何更改。请先修正，或以 --on-environment选择：{0}。',
  ],
  'The task goes back to {0}, whose environment is there.': [
    '任務退回到 {0}，它所需的環境仍在。',
    '任务退回到 {0}，它所需的环境仍在。',
  ],
  'Resume it from there: {0}.': ['請由此繼續：{0}。', '请由此继续：{0}。'],
  'Checkpoint {0} ({1}, step {2}) can do without it: "go_back" resumes there.': [
    '檢查點 {0}（{1}，步驟 {2}）不需要它：選「go_back」即由此繼續。',
    '检查点 {0}（{1}，步骤 {2}）不需要它：选“go_back”即由此继续。',
  ],
  'Changed since the task read them: {0}.': ['任務讀取後已被更改：{0}。', '任务读取后已被更改：{0}。'],
};
