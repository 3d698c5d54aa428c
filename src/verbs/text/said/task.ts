import type { Said } from './said.ts';

export const task: Said = {
  'The stored state of task {0} does not match its checksum.': [
    '任務 {0} 儲存的狀態與其校驗和不符。',
    '任务 {0} 存储的状态与其校验和不符。',
  ],
  'It was changed or damaged after it was written; the journal of the task still has what it was.': [
    '它在寫入後被更改或損壞；任務的日誌仍有原來的內容。',
    '它在写入后被更改或损坏；任务的日志仍有原来的内容。',
  ],
  'the same as {0} of the state': ['與狀態的 {0} 相同', '与状态的 {0} 相同'],
  'Not a task state: the value is missing or wrong ({0}).': [
    '這不是任務狀態：值缺少或有誤（{0!}）。',
    '这不是任务状态：值缺少或有误（{0!}）。',
  ],
  'Not a task state: {0} is missing or wrong ({1}).': [
    '這不是任務狀態：{0} 缺少或有誤（{1!}）。',
    '这不是任务状态：{0} 缺少或有误（{1!}）。',
  ],
  'docs/reference/states.md lists what each status keeps.': [
    'docs/reference/states.md 列出每種狀態保存的內容。',
    'docs/reference/states.md 列出每种状态保存的内容。',
  ],
  'Task "{0}" ({1}) is already {2}. It can now become: {3}.': [
    '任務「{0}」（{1}）的狀態已經是 {2!}，目前可以轉為 {3!}。',
    '任务“{0}”（{1}）的状态已经是 {2!}，目前可以转为 {3!}。',
  ],
  'Task "{0}" ({1}) is {2}, and that is final.': [
    '任務「{0}」（{1}）的狀態是 {2!}，不會再改變。',
    '任务“{0}”（{1}）的状态是 {2!}，不会再改变。',
  ],
  'Task "{0}" ({1}) is {2}, and cannot become {3}. It can now become: {4}.': [
    '任務「{0}」（{1}）的狀態是 {2!}，目前不能轉為 {3!}，只能轉為 {4!}。',
    '任务“{0}”（{1}）的状态是 {2!}，目前不能转为 {3!}，只能转为 {4!}。',
  ],
  'Fork the task from one of its checkpoints instead.': [
    '請改為由它的某個檢查點建立分支。',
    '请改为由它的某个检查点创建分支。',
  ],
  'Pause the task first, then cancel it.': ['請先暫停任務，再取消它。', '请先暂停任务，再取消它。'],
  'Queue it again first: a retry goes through queued.': [
    '請先將它重新排入佇列：重試須經過 queued。',
    '请先将它重新排入队列：重试须经过 queued。',
  ],
  'It is not running: there is nothing to pause.': ['任務並未執行，無從暫停。', '任务并未运行，无从暂停。'],
  'docs/reference/states.md shows which transitions lead there.': [
    'docs/reference/states.md 說明如何到達該狀態。',
    'docs/reference/states.md 说明如何到达该状态。',
  ],
};
