import type { Said } from './said.ts';

export const engineUndo: Said = {
  'Task {0} is running: its changes cannot be undone yet.': [
    '任務 {0} 正在執行：還不能撤銷它的變更。',
    '任务 {0} 正在运行：还不能撤销它的更改。',
  ],
  'Stop it first: vibe-engine pause {0}. Then: vibe-engine undo {1}.': [
    '請先停止它：vibe-engine pause {0}。然後：vibe-engine undo {1}。',
    '请先停止它：vibe-engine pause {0}。然后：vibe-engine undo {1}。',
  ],
  'There is nothing to undo for task {0}: {1}.': [
    '任務 {0} 沒有可以撤銷的變更：{1!}。',
    '任务 {0} 没有可以撤销的更改：{1!}。',
  ],
  'To bring them back: vibe-engine redo {0}': [
    '要恢復它們：vibe-engine redo {0}',
    '要恢复它们：vibe-engine redo {0}',
  ],
  'To see what it did: vibe-engine show {0}': [
    '列出它做了什麼：vibe-engine show {0}',
    '列出它做了什么：vibe-engine show {0}',
  ],
  'its changes were undone at {0}': ['它的變更已於 {0} 撤銷', '它的更改已于 {0} 撤销'],
  'its changes to files were undone': ['它的檔案變更已撤銷', '它的文件更改已撤销'],
  'clean-up has removed the snapshots of its files': ['清理已移除它的檔案快照', '清理已移除它的文件快照'],
  'The settings cleanup.completed_days and cleanup.failed_days say how long they are kept.': [
    '保留多久由 cleanup.completed_days 與 cleanup.failed_days 設定。',
    '保留多久由 cleanup.completed_days 与 cleanup.failed_days 设置。',
  ],
  'files are not captured here': ['這裡不知道任何檔案的情況', '这里不知道任何文件的情况'],
  'Run it where the files of the project are known.': [
    '請在能看到專案檔案的地方執行。',
    '请在能看到项目文件的地方运行。',
  ],
  'it changed no files': ['它沒有變更檔案', '它没有更改文件'],
  'its files are as they were before it, or cannot be restored': [
    '它的檔案已是之前的樣子，或無法還原',
    '它的文件已是之前的样子，或无法还原',
  ],
  'Redone first, because the task resumes from there: {0}.': [
    '已先恢復，因為任務會從那裡繼續：{0}。',
    '已先恢复，因为任务会从那里继续：{0}。',
  ],
  'Its changes to files were undone ({0}), and stay undone.': [
    '它對檔案的變更已撤銷（{0}），並維持撤銷。',
    '它对文件的更改已撤销（{0}），并保持撤销。',
  ],
  'Undone first, because these steps run again: {0}.': [
    '因為會重新執行，已先撤銷：{0}。',
    '因为会重新运行，已先撤销：{0}。',
  ],
  'Left as they are, as chosen, although the steps that changed them run again: {0}.': [
    '依照選擇維持原狀，但改過它們的步驟會重新執行：{0}。',
    '依照选择保持原状，但改过它们的步骤会重新运行：{0}。',
  ],
  '{0} was left as it is: {1}.': ['{0} 維持原狀：{1!}。', '{0} 保持原状：{1!}。'],
  '{0} was saved in the meantime: kept as {1}.': [
    '{0} 在此期間被存檔：已保存為 {1}。',
    '{0} 在此期间被保存：已留存为 {1}。',
  ],
  'Fork it from a checkpoint: that creates a new task which continues from there. Its changes to files can still be undone: vibe-engine undo {0}, or rollback with --only files.':
    [
      '請由檢查點分出新任務，從那裡繼續。它對檔案的變更仍可撤銷：vibe-engine undo {0}，或以 --only files 退回。',
      '请由检查点分出新任务，从那里继续。它对文件的更改仍可撤销：vibe-engine undo {0}，或以 --only files 退回。',
    ],
  '{0} was changed by the task, by others, or by both; it is not known which. Which version should be kept?':
    [
      '{0} 被任務、其他人或雙方改過：無從得知。要以哪個為準？',
      '{0} 被任务、其他人或双方改过：无从得知。要以哪个为准？',
    ],
  'A command of task {0} is still running, as process {1}.': [
    '任務 {0} 的一個指令仍在執行，行程為 {1}。',
    '任务 {0} 的一个命令仍在运行，进程为 {1}。',
  ],
  'Nothing was changed. Wait until it has ended, or end it: kill {0}. Then try again.': [
    '什麼都沒有改變。請等它結束，或結束它：kill {0}。然後再試一次。',
    '什么都没有改变。请等它结束，或结束它：kill {0}。然后再试一次。',
  ],
  'To bring back the old task’s changes to files: {0}': [
    '要恢復舊任務對檔案的變更：{0}',
    '要恢复旧任务对文件的更改：{0}',
  ],
  'This command was interrupted, and runs again: {0}': [
    '這個指令曾中斷，現在重新執行：{0}',
    '这个命令曾中断，现在重新运行：{0}',
  ],
  'Restoring the files of task {0} was interrupted. To finish it: vibe-engine {1} {2}': [
    '還原任務 {0} 的檔案時中斷了。要完成它：vibe-engine {1} {2}',
    '还原任务 {0} 的文件时中断了。要完成它：vibe-engine {1} {2}',
  ],
  'Attempt {0}, since the one before had failed.': [
    '第 {0} 次嘗試，因為前一次失敗了。',
    '第 {0} 次尝试，因为前一次失败了。',
  ],
  'Attempt {0}, since the one before had failed: {1}': [
    '第 {0} 次嘗試，因為前一次失敗了：{1!}',
    '第 {0} 次尝试，因为前一次失败了：{1!}',
  ],
  'It was in progress when the process of run {0} died; whether it had taken effect was unknown.': [
    '第 {0} 次執行的行程突然結束時它正在進行，是否已生效不得而知。',
    '第 {0} 次运行的进程突然结束时它正在进行，是否已生效不得而知。',
  ],
  'The process died just before this. If it had started, nothing was recorded, and it ran from the start.': [
    '行程在此之前不久突然結束。即使它當時已開始，也沒有留下紀錄，因此從頭執行。',
    '进程在此之前不久突然结束。即使它当时已开始，也没有留下记录，因此从头运行。',
  ],
  'It had run before, and the task was rolled back past it.': [
    '它之前執行過，但任務已退回到它之前。',
    '它之前运行过，但任务已退回到它之前。',
  ],
  'Nobody had answered in time, and the retry asked again.': [
    '之前沒有人及時回答，重試時又問了一次。',
    '之前没有人及时回答，重试时又问了一次。',
  ],
  "The task's code was changed: this is the first thing that ran with the new code.": [
    '任務的程式碼已變更：這是新程式碼執行的第一件事。',
    '任务的代码已更改：这是新代码运行的第一件事。',
  ],
  'It also ran in the task that this one was forked from. Here it ran on its own.': [
    '它在分支來源的任務裡也執行過。這裡是獨立執行的。',
    '它在分支来源的任务里也运行过。这里是独立运行的。',
  ],
  'stopped during {0}': ['停在 {0}', '停在 {0}'],
  'Task {0} has no journal entry {1}.': ['任務 {0} 的日誌沒有第 {1} 筆。', '任务 {0} 的日志没有第 {1} 条。'],
  'Clean-up has removed it.': ['它已被清理。', '它已被清理。'],
  'Its last entry is {0}.': ['最後一筆是第 {0} 筆。', '最后一条是第 {0} 条。'],
  'Task {0} has moved on since this was previewed.': [
    '任務 {0} 在預覽之後又有新的紀錄。',
    '任务 {0} 在预览之后又有新的记录。',
  ],
  'Nothing was changed. Look at the preview again (--dry-run), and use the position that it names.': [
    '沒有變更任何內容。請重新預覽（--dry-run），並使用其中給出的位置。',
    '没有更改任何内容。请重新预览（--dry-run），并使用其中给出的位置。',
  ],
  'Task {0} is running: nothing can be taken into it yet.': [
    '任務 {0} 正在執行：還不能把變更帶入。',
    '任务 {0} 正在运行：还不能把更改带入。',
  ],
  'Stop it first: vibe-engine pause {0}. Then try again.': [
    '請先停止它：vibe-engine pause {0}。然後再試一次。',
    '请先停止它：vibe-engine pause {0}。然后再试一次。',
  ],
  'There is nothing to take from task {0} into task {1}: {2}.': [
    '沒有什麼可以從任務 {0} 帶入任務 {1}：{2!}。',
    '没有什么可以从任务 {0} 带入任务 {1}：{2!}。',
  ],
  'To see what each of them did: vibe-engine compare {0} {1}': [
    '要看它們各做了什麼：vibe-engine compare {0} {1}',
    '要看它们各做了什么：vibe-engine compare {0} {1}',
  ],
  'they are there already': ['它們已經在那裡', '它们已经在那里'],
  'both work in {0}, where its changes are already': [
    '兩者都在 {0} 工作，它的變更已在那裡',
    '两者都在 {0} 工作，它的更改已在那里',
  ],
  'A task cannot take its own changes.': ['任務不能取用自己的變更。', '任务不能取用自己的更改。'],
  'Name two tasks: vibe-engine take <from> <into>': [
    '請指明兩個任務：vibe-engine take <from> <into>',
    '请指明两个任务：vibe-engine take <from> <into>',
  ],
  'Task {0} was cut off in the middle of {1}: what that did to files is not settled yet.': [
    '任務 {0} 在 {1} 進行到一半時中斷：它對檔案做了什麼尚未確定。',
    '任务 {0} 在 {1} 进行到一半时中断：它对文件做了什么尚未确定。',
  ],
  'Nothing was changed. Resume the task or roll it back, then try again.': [
    '沒有任何變更。請先繼續該任務或將它退回，再試一次。',
    '没有任何更改。请先继续该任务或将它回退，再试一次。',
  ],
  'What task {0} did to {1} does not fit what is there now, and nothing says which version to keep.': [
    '任務 {0} 對 {1} 的變更與現有內容不合，而沒有人說明以何者為準。',
    '任务 {0} 对 {1} 的更改与现有内容不合，而没有人说明以何者为准。',
  ],
  'Task {0} changed {1}, which is not here. Which version should be kept?': [
    '任務 {0} 改過 {1}，而它不在這裡。要保留哪個版本？',
    '任务 {0} 改过 {1}，而它不在这里。要保留哪个版本？',
  ],
  'What task {0} did to {1} does not fit what is here. Which version should be kept?': [
    '任務 {0} 對 {1} 的變更與這裡的內容不合。要保留哪個版本？',
    '任务 {0} 对 {1} 的更改与这里的内容不合。要保留哪个版本？',
  ],
  'to do once more what a task did to this file': [
    '把任務對這個檔案所做的再做一次',
    '把任务对这个文件所做的再做一次',
  ],
  'Nothing was changed. For the whole file: --file {0}=use_current keeps what is there, use_checkpoint takes the other. For each place: --hunk {1}:1=yours, taken or both; --dry-run --path {2} shows them. In a terminal you are asked.':
    [
      '沒有任何變更。整個檔案：--file {0}=use_current 保留現有內容，use_checkpoint 取用另一個。逐處決定：--hunk {1}:1=yours、taken 或 both；--dry-run --path {2} 會列出各處。在終端機中會詢問你。',
      '没有任何更改。整个文件：--file {0}=use_current 保留现有内容，use_checkpoint 取用另一个。逐处决定：--hunk {1}:1=yours、taken 或 both；--dry-run --path {2} 会列出各处。在终端中会询问你。',
    ],
};
