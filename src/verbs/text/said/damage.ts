import type { Said } from './said.ts';

export const damage: Said = {
  'The journal was damaged after entry {0}: the task resumes from there. What was damaged is kept in {1}.': [
    '日誌在第 {0} 項之後損壞：任務由該處繼續。損壞的內容保存在 {1!}。',
    '日志在第 {0} 项之后损坏：任务由该处继续。损坏的内容保存在 {1!}。',
  ],
  'The records outside tasks were damaged: the intact ones are used. What was damaged is kept in {0}.': [
    '任務之外的記錄已損壞：仍完整的會被使用。損壞的內容保存在 {0}。',
    '任务之外的记录已损坏：仍完整的会被使用。损坏的内容保存在 {0}。',
  ],
  'Skipped, because after the damage: checkpoint {0}. Kept as aside/{1}.': [
    '已略過損壞處之後的檢查點 {0}，保存為 aside/{1}。',
    '已略过损坏处之后的检查点 {0}，保存为 aside/{1}。',
  ],
  'Skipped, because after the damage: checkpoints {0}. Kept as aside/{1}.': [
    '已略過損壞處之後的檢查點 {0}，保存為 aside/{1}。',
    '已略过损坏处之后的检查点 {0}，保存为 aside/{1}。',
  ],
  'its state was damaged': ['它的狀態已損壞', '它的状态已损坏'],
  'The state of the task was damaged: it was made again from the journal.': [
    '任務的狀態已損壞：已由日誌重新建立。',
    '任务的状态已损坏：已由日志重新创建。',
  ],
  'The state of task {0} is missing.': ['任務 {0} 的狀態缺少。', '任务 {0} 的状态缺少。'],
  'Resume it: vibe-engine resume {0}. The state is made again from the journal.': [
    '請繼續執行：vibe-engine resume {0}。狀態會由日誌重新建立。',
    '请继续执行：vibe-engine resume {0}。状态会由日志重新创建。',
  ],
  'The head of task {0} is missing: it says what the task is.': [
    '任務 {0} 的首部缺少：它說明該任務是什麼。',
    '任务 {0} 的首部缺少：它说明该任务是什么。',
  ],
  '{0} of task {1} is lost: the blob {2} is missing or damaged.': [
    '任務 {1} 的資料遺失：{0!}。資料塊 {2} 缺少或已損壞。',
    '任务 {1} 的数据丢失：{0!}。数据块 {2} 缺少或已损坏。',
  ],
  'Resume it: vibe-engine resume {0}. It resumes from before that.': [
    '請繼續執行：vibe-engine resume {0}。它會由該處之前接續。',
    '请继续执行：vibe-engine resume {0}。它会由该处之前接续。',
  ],
  '{0} is lost (blob {1}), so the task resumes from before it. What came after is kept in the journal.': [
    '資料遺失：{0!}（資料塊 {1}），因此任務由其之前繼續。之後的內容仍保存在日誌中。',
    '数据丢失：{0!}（数据块 {1}），因此任务由其之前继续。之后的内容仍保存在日志中。',
  ],
  'The end of the journal of task {0} is lost.': ['任務 {0} 日誌的結尾遺失。', '任务 {0} 日志的结尾丢失。'],
  'The result of step {0}': ['步驟 {0} 的結果', '步骤 {0} 的结果'],
  'The result of agent {0}': ['代理 {0} 的結果', '代理 {0} 的结果'],
  'The answer to a question': ['一個問題的回答', '一个问题的回答'],
  'The value of {0}': ['{0} 的值', '{0} 的值'],
  'A part of the conversation': ['對話的一部分', '对话的一部分'],
  'The input of task "{0}" ({1}) is lost: the blob {2} is missing or damaged.': [
    '任務「{0}」（{1}）的輸入遺失：資料塊 {2} 缺少或已損壞。',
    '任务“{0}”（{1}）的输入丢失：数据块 {2} 缺少或已损坏。',
  ],
  'It cannot be resumed without it. Restore the store from a backup, or start the task again.': [
    '沒有它便無法繼續。請由備份還原儲存庫，或重新開始任務。',
    '没有它便无法继续。请由备份还原存储库，或重新开始任务。',
  ],
  'Blobs are missing or damaged, but are not needed to resume: {0}.': [
    '資料塊缺少或已損壞，但繼續執行並不需要它們：{0}。',
    '数据块缺少或已损坏，但继续执行并不需要它们：{0}。',
  ],
  'The state of task {0} is damaged: {1}': ['任務 {0} 的狀態已損壞：{1!}', '任务 {0} 的状态已损坏：{1!}'],
  'Task {0} has ended ({1}), and its state is lost.': [
    '任務 {0} 已結束（{1}），而它的狀態遺失。',
    '任务 {0} 已结束（{1}），而它的状态丢失。',
  ],
  'There is nothing left to resume. Restore the store from a backup to see its result.': [
    '已沒有可繼續的內容。若要查看結果，請由備份還原儲存庫。',
    '已没有可继续的内容。若要查看结果，请由备份还原存储库。',
  ],
  'No snapshot of the files from before that is left.': [
    '在此之前的檔案快照已不存在。',
    '在此之前的文件快照已不存在。',
  ],
  '[lost: {0}]': ['[遺失：{0}]', '[丢失：{0}]'],
  'Which files the task changed is not known for all of its steps: {0}': [
    '無法得知任務的每個步驟更改了哪些檔案：{0!}',
    '无法得知任务的每个步骤更改了哪些文件：{0!}',
  ],
  'Whether others changed the files of the task is not known: {0}': [
    '無法得知他人是否更改了任務的檔案：{0!}',
    '无法得知他人是否更改了任务的文件：{0!}',
  ],
  'The files stay as they are: {0}': ['檔案保持現狀：{0!}', '文件保持现状：{0!}'],
  'What task {0} did to files since then cannot be undone: {1}': [
    '任務 {0} 此後對檔案所做的更改無法撤回：{1!}',
    '任务 {0} 此后对文件所做的更改无法撤回：{1!}',
  ],
  'These steps run again: undo their changes in the files yourself, then resume with the files as they are: vibe-engine resume {0} --on-modified use_current.':
    [
      '它在其中所做的會再做一次：請自行從檔案中移除，再以現狀繼續：vibe-engine resume {0} --on-modified use_current。',
      '它在其中所做的会再做一次：请自行从文件中移除，再以现状继续：vibe-engine resume {0} --on-modified use_current。',
    ],
  'The snapshot {0} is damaged.': ['快照 {0} 不完整。', '快照 {0} 不完整。'],
  'The content {0} is missing in the store and in git.': [
    '內容 {0} 在儲存庫與 git 中都遺失。',
    '内容 {0} 在存储库与 git 中都丢失。',
  ],
  'Others on this machine can read or change it: close it with chmod -R go=': [
    '這台機器上的其他人可以讀取或更改它：請以 chmod -R go= 關閉',
    '这台机器上的其他人可以读取或更改它：请以 chmod -R go= 关闭',
  ],
  'checkpoints of {0}': ['{0} 的檢查點', '{0} 的检查点'],
  'records of {0}': ['{0} 的紀錄', '{0} 的记录'],
  'journal of {0}': ['{0} 的日誌', '{0} 的日志'],
  '{0} bytes in blob://{1}': ['{0} 個位元組，存於 blob://{1}', '{0} 个字节，存于 blob://{1}'],
  'journal of {0}, entry {1}': ['{0} 的日誌，第 {1} 筆', '{0} 的日志，第 {1} 条'],
  'The checkpoint {0} refers to entry {1}, which is not in the journal.': [
    '檢查點 {0} 位於第 {1} 筆，而日誌中沒有這一筆。',
    '检查点 {0} 位于第 {1} 条，而日志中没有这一条。',
  ],
  'Task {0} is queued, but has no place in the queue.': [
    '任務 {0} 已排入佇列，但在佇列中沒有位置。',
    '任务 {0} 已排入队列，但在队列中没有位置。',
  ],
  'The blob {0} is missing.': ['資料塊 {0} 遺失。', '数据块 {0} 丢失。'],
  'Nothing protects the journal of {0}, which its fork {1} needs.': [
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
