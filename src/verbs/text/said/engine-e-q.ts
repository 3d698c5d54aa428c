import type { Said } from './said.ts';

export const engineEQ: Said = {
  'asked to pause': ['要求暫停', '要求暂停'],
  cancelled: ['已取消', '已取消'],
  'The function {0}': ['函式 {0}', '函数 {0}'],
  'This version does not know journal entry {0}: {1} {2}.': [
    '日誌的第 {0} 筆不是這個版本認得的：{1} {2}。',
    '日志的第 {0} 条不是这个版本认得的：{1} {2}。',
  ],
  'It was written by another version of vibe-engine, or by another program. Use that version.': [
    '它由另一個版本的 vibe-engine 或其他程式寫成。請使用該版本。',
    '它由另一个版本的 vibe-engine 或其他程序写成。请使用该版本。',
  ],
  'This cannot be recorded as a {0}: {1}: {2}.': [
    '這無法記錄為 {0}：{1}：{2}。',
    '这无法记录为 {0}：{1}：{2}。',
  ],
  'Check the values that the task passes.': [
    '請確認交給任務的內容格式正確。',
    '请确认交给任务的内容格式正确。',
  ],
  'A listener of {0}': ['{0} 的接聽者', '{0} 的接听者'],
  'Others on this machine can read or change what is stored: {0}.': [
    '這台機器上的其他人可以讀取或更改儲存的內容：{0}。',
    '这台机器上的其他人可以读取或更改存储的内容：{0}。',
  ],
  'Others on this machine can read or change what is stored: {0} and {1} more next to it.': [
    '這台機器上的其他人可以讀取或更改儲存的內容：{0}，以及旁邊另外 {1} 項。',
    '这台机器上的其他人可以读取或更改存储的内容：{0}，以及旁边另外 {1} 项。',
  ],
  'To close it: chmod -R go= on it. vibe-engine doctor lists all such files. This is shown once.': [
    '要關閉它，請對它執行 chmod -R go=。vibe-engine doctor 會列出全部。這只說一次。',
    '要关闭它，请对它运行 chmod -R go=。vibe-engine doctor 会列出全部。这只说一次。',
  ],
  'forked from {0}': ['由 {0} 分支', '由 {0} 分支'],
  'Task {0} did not finish: it was {1} ({2}).': [
    '任務 {0} 沒有完成：{1!}（{2!}）。',
    '任务 {0} 没有完成：{1!}（{2!}）。',
  ],
  'Start it again if you still want it.': ['若仍需要，請重新開始。', '若仍需要，请重新开始。'],
  'Resume it to continue.': ['請繼續它。', '请继续它。'],
  'The head of task {0} is damaged.': ['任務 {0} 的標頭不完整。', '任务 {0} 的标头不完整。'],
  'Restore the store from a backup, or fork the task from one of its checkpoints in another store.': [
    '請由備份還原儲存庫，或在另一個儲存庫中由它的某個檢查點建立分支。',
    '请由备份还原存储库，或在另一个存储库中由它的某个检查点创建分支。',
  ],
  'The hook {0}': ['掛鉤 {0}', '钩子 {0}'],
  'The hook {0} refused: {1}': ['掛鉤 {0} 拒絕：{1}', '钩子 {0} 拒绝：{1}'],
  'This is your own hook: change what it checks, or what the task does.': [
    '掛鉤是你的：請修改它檢查的內容，或任務的作法。',
    '钩子是你的：请修改它检查的内容，或任务的作法。',
  ],
  'The journal of task {0}, which this one was forked from, is no longer the same.': [
    '這個任務所分支自的任務 {0} 的日誌已不相同。',
    '这个任务所分支自的任务 {0} 的日志已不相同。',
  ],
  'It was damaged and repaired, or cleaned up from outside: restore it from a backup, or fork it again from a checkpoint that is left: vibe-engine checkpoints list {0}.':
    [
      '它曾損壞並修復，或被外部清理：請由備份還原，或由仍在的檢查點再次分岔：vibe-engine checkpoints list {0}。',
      '它曾损坏并修复，或被外部清理：请由备份还原，或由仍在的检查点再次分叉：vibe-engine checkpoints list {0}。',
    ],
  'Task "{0}" ({1}) is {2}: nothing waits for an answer.': [
    '任務「{0}」（{1}）的狀態是 {2!}：沒有等待回答的問題。',
    '任务“{0}”（{1}）的状态是 {2!}：没有等待回答的问题。',
  ],
  'Fork it from a checkpoint to continue differently.': [
    '請由檢查點建立分支，以走另一條路。',
    '请由检查点创建分支，以走另一条路。',
  ],
  'Task "{0}" ({1}) waited until {2}.': [
    '任務「{0}」（{1}）等到 {2} 為止。',
    '任务“{0}”（{1}）等到 {2} 为止。',
  ],
  'The answer came too late. Resume the task: it continues as if nobody had answered.': [
    '回答來得太晚。請繼續任務：它會以無人回答的方式進行。',
    '回答来得太晚。请继续任务：它会以无人回答的方式进行。',
  ],
  'Task {0} has no open question {1}.': ['任務 {0} 沒有待答的問題 {1}。', '任务 {0} 没有待答的问题 {1}。'],
  'The command "show" lists the open questions, without those that were answered.': [
    '指令「show」會列出待答的問題；已回答的不會再問。',
    '命令“show”会列出待答的问题；已回答的不会再问。',
  ],
  'Task "{0}" ({1}) is {2}: it has no output.': [
    '任務「{0}」（{1}）的狀態是 {2!}：沒有輸出。',
    '任务“{0}”（{1}）的状态是 {2!}：没有输出。',
  ],
  'Ask again when it is completed.': ['請在它完成後再查詢。', '请在它完成后再查询。'],
  'asked to pause by {0}': ['由 {0} 要求暫停', '由 {0} 要求暂停'],
  'cancelled by {0}': ['由 {0} 取消', '由 {0} 取消'],
  'Task {0} is running in this process.': ['任務 {0} 正在這個行程中執行。', '任务 {0} 正在这个进程中运行。'],
  'Pause it, then try again.': ['請先暫停它，再試一次。', '请先暂停它，再试一次。'],
  'Task "{0}" ({1}) is {2}: it can neither be resumed nor rolled back.': [
    '任務「{0}」（{1}）的狀態是 {2!}：既不能前進也不能後退。',
    '任务“{0}”（{1}）的状态是 {2!}：既不能前进也不能后退。',
  ],
  'This question is not about a conflict.': ['這個問題與衝突無關。', '这个问题与冲突无关。'],
  'Answer it with one of: {0}.': ['請用其中之一回答：{0}。', '请用其中之一回答：{0}。'],
  'What this question is about is gone.': [
    '這個問題所涉及的內容已不存在。',
    '这个问题所涉及的内容已不存在。',
  ],
  'It is asked again when the task is resumed.': ['恢復任務時會再問一次。', '恢复任务时会再问一次。'],
  'Somebody has already answered this question: {0}.': [
    '已經有人回答了這個問題：{0}。',
    '已经有人回答了这个问题：{0}。',
  ],
  '{0} has already answered this question: {1}.': [
    '{0} 已經回答了這個問題：{1}。',
    '{0} 已经回答了这个问题：{1}。',
  ],
  'Your answer was not used. The first answer counts.': [
    '你的回答沒有採用：以最先的回答為準。',
    '你的回答没有采用：以最先的回答为准。',
  ],
  'This question is no longer asked.': ['這個問題已經不再問了。', '这个问题已经不再问了。'],
  'The process that asked it has ended or has withdrawn it. It is asked again if it comes up again.': [
    '提問的程序已經結束，或已撤回問題；再次遇到時會重新詢問。',
    '提问的进程已经结束，或已撤回问题；再次遇到时会重新询问。',
  ],
  '{0} is none of the possible answers.': ['{0} 不是可選的回答。', '{0} 不是可选的回答。'],
  'Choose one of: {0}.': ['請選擇其中之一：{0}。', '请选择其中之一：{0}。'],
  'Task {0} has no question {1}.': ['任務 {0} 沒有問題 {1}。', '任务 {0} 没有问题 {1}。'],
  'Its open questions: {0}.': ['它尚未回答的問題：{0}。', '它尚未回答的问题：{0}。'],
  'The command "questions" lists the open ones.': [
    '「questions」命令會列出尚未回答的問題。',
    '“questions”命令会列出尚未回答的问题。',
  ],
  'This task runs {0}. Run it?': ['這個任務會執行 {0}。要執行嗎？', '这个任务会运行 {0}。要运行吗？'],
  'Waiting for an answer: {0}': ['正在等待回答：{0}', '正在等待回答：{0}'],
  'Answered elsewhere: {0}': ['已在別處回答：{0}', '已在别处回答：{0}'],
  'Answered by {0}: {1}': ['{0} 已回答：{1}', '{0} 已回答：{1}'],
  'Nobody has answered: {0}': ['還沒有人回答：{0!}', '还没有人回答：{0!}'],
  'Nothing was changed. It is asked again when the task is resumed.': [
    '沒有任何變更。恢復任務時會再問一次。',
    '没有任何更改。恢复任务时会再问一次。',
  ],
  'This is no resolution of {0}: {1}.': [
    '這不能作為 {0} 的解決結果：{1}。',
    '这不能作为 {0} 的解决结果：{1}。',
  ],
  'Nothing was changed. Correct it and send it again.': [
    '沒有任何變更。請更正後再送一次。',
    '没有任何更改。请更正后再送一次。',
  ],
  'This text has masked secrets in the place of real ones.': [
    '這段文字裡的機密已被遮蔽，不是原來的內容。',
    '这段文字里的机密已被遮蔽，不是原来的内容。',
  ],
  'Nothing was changed. Resolve {0} hunk by hunk, or send the file as it is on disk.': [
    '沒有任何變更。請逐處解決 {0}，或提供磁碟上原樣的檔案。',
    '没有任何更改。请逐处解决 {0}，或提供磁盘上原样的文件。',
  ],
  '{0} has no conflict {1}.': ['{0} 沒有第 {1} 處衝突。', '{0} 没有第 {1} 处冲突。'],
  'Its conflicts are numbered from 1 to {0}.': ['它的衝突編號為 1 到 {0}。', '它的冲突编号为 1 到 {0}。'],
  'Nothing is decided for conflict {0} of {1}.': [
    '{1} 的第 {0} 處衝突還沒有決定。',
    '{1} 的第 {0} 处冲突还没有决定。',
  ],
  'Nothing was changed. Decide each: ours, theirs, both, base, or suggested where there is a suggestion.': [
    '沒有任何變更。請逐處決定：ours、theirs、both、base，有建議時也可用 suggested。',
    '没有任何更改。请逐处决定：ours、theirs、both、base，有建议时也可用 suggested。',
  ],
};
