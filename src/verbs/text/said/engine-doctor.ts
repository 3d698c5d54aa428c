import type { Said } from '../catalogue.ts';

export const engineDoctor: Said = {
  'The snapshot {0} is not whole.': ['快照 {0} 不完整。', '快照 {0} 不完整。'],
  'The content {0} is missing in the store and in git.': [
    '內容 {0} 在儲存庫與 git 中都遺失。',
    '内容 {0} 在存储库与 git 中都丢失。',
  ],
  'Others on this machine can read or change it: close it with chmod -R go=': [
    '這台機器上的其他人可以讀取或更改它：請以 chmod -R go= 關閉',
    '这台机器上的其他人可以读取或更改它：请以 chmod -R go= 关闭',
  ],
  'checkpoints of {0}': ['{0} 的檢查點', '{0} 的检查点'],
  'journal of {0}': ['{0} 的日誌', '{0} 的日志'],
  '{0} bytes in blob://{1}': ['{0} 個位元組，存於 blob://{1}', '{0} 个字节，存于 blob://{1}'],
  'journal of {0}, entry {1}': ['{0} 的日誌，第 {1} 筆', '{0} 的日志，第 {1} 条'],
  'The checkpoint {0} stands at entry {1}, which is not in the journal.': [
    '檢查點 {0} 位於第 {1} 筆，而日誌中沒有這一筆。',
    '检查点 {0} 位于第 {1} 条，而日志中没有这一条。',
  ],
  'Task {0} is queued, but has no place in the queue.': [
    '任務 {0} 已排入佇列，但在佇列中沒有位置。',
    '任务 {0} 已排入队列，但在队列中没有位置。',
  ],
  'The blob {0} is missing.': ['blob {0} 遺失。', 'blob {0} 丢失。'],
  'Nothing keeps the journal of {0} for its fork {1}.': [
    '沒有為分支 {1} 保留 {0} 的日誌。',
    '没有为分支 {1} 保留 {0} 的日志。',
  ],
  'Task {0} was forked there, and it is no longer the same.': [
    '任務 {0} 由此分支，而那裡已不相同。',
    '任务 {0} 由此分支，而那里已不相同。',
  ],
  'What a rollback of task {0} put away cannot be read.': [
    '無法讀取任務 {0} 的一次退回所收起的內容。',
    '无法读取任务 {0} 的一次退回所收起的内容。',
  ],
  'forks and rollbacks of {0}': ['{0} 的分支與退回', '{0} 的分支与退回'],
};
