import type { Said } from './said.ts';

export const engineRZ: Said = {
  'The code of task "{0}" ({1}) is not registered here: "{2}".': [
    '這裡不知道任務「{0}」（{1}）的程式碼：「{2}」。',
    '这里不知道任务“{0}”（{1}）的代码：“{2}”。',
  ],
  'Name the file with its code with --file, or register the code with the engine first.': [
    '請以 --file 指定含有它的程式碼的檔案，或先讓引擎知道這份程式碼。',
    '请以 --file 指定含有它的代码的文件，或先让引擎知道这份代码。',
  ],
  'The code of "{0}" is not what task "{1}" ({2}) was started with.': [
    '「{0}」的程式碼與任務「{1}」（{2}）開始時的不同。',
    '“{0}”的代码与任务“{1}”（{2}）开始时的不同。',
  ],
  'It continues with the new code; remembered results are kept.': [
    '它會以新的程式碼繼續；已記住的結果會保留。',
    '它会以新的代码继续；已记住的结果会保留。',
  ],
  'Keep the version it was started with next to the new one, or set recovery.on_definition_change to "warn".':
    [
      '請將它開始時的版本與新版本並存，或將 recovery.on_definition_change 設為「warn」。',
      '请将它开始时的版本与新版本并存，或将 recovery.on_definition_change 设为“warn”。',
    ],
  'Put the old code back, start the task again, or set recovery.on_definition_change to "warn".': [
    '請放回舊的程式碼、重新開始任務，或將 recovery.on_definition_change 設為「warn」。',
    '请放回旧的代码、重新开始任务，或将 recovery.on_definition_change 设为“warn”。',
  ],
  'The task is being left to another worker: {0}': [
    '任務將留給另一個工作程序：{0!}',
    '任务将留给另一个工作进程：{0!}',
  ],
  'The task is being cancelled: {0}': ['任務正在取消：{0!}', '任务正在取消：{0!}'],
  'The task is being paused: {0}': ['任務正在暫停：{0!}', '任务正在暂停：{0!}'],
  'The run has ended.': ['執行已結束。', '运行已结束。'],
  'Resume the task to continue.': ['請繼續任務。', '请继续任务。'],
  'Stopped by {0}.': ['由 {0} 停止。', '由 {0} 停止。'],
  'stopped by {0}': ['由 {0} 停止', '由 {0} 停止'],
  'The engine was closed.': ['引擎已關閉。', '引擎已关闭。'],
  'Open it again and resume the task.': ['請重新開啟它，再繼續任務。', '请重新开启它，再继续任务。'],
  'Task "{0}" ({1}) cannot be resumed: {2}.': [
    '任務「{0}」（{1}）不能繼續：{2!}。',
    '任务“{0}”（{1}）不能继续：{2!}。',
  ],
  'it is {0}': ['它的狀態是 {0!}', '它的状态是 {0!}'],
  'Resume it by its id.': ['請以識別碼繼續它。', '请以标识符继续它。'],
  'Fork it from one of its checkpoints.': ['請由它的某個檢查點建立分支。', '请由它的某个检查点创建分支。'],
  'it failed too long ago': ['它失敗得太久了', '它失败得太久了'],
  'Start it again; its history is kept.': ['請重新開始；它的歷史會保留。', '请重新开始；它的历史会保留。'],
  'its failure is marked as not recoverable': ['它的失敗標記為無法恢復', '它的失败标记为无法恢复'],
  'Fork it from a checkpoint before the failure.': [
    '請由失敗之前的檢查點建立分支。',
    '请由失败之前的检查点创建分支。',
  ],
  'Task {0} was not claimed: this engine is stopping.': [
    '沒有接手任務 {0}：這個引擎正在結束執行。',
    '没有接手任务 {0}：这个引擎正在结束运行。',
  ],
  'Resume it in another engine.': ['請在另一個引擎中繼續它。', '请在另一个引擎中继续它。'],
  'A likely secret (a key, a token, a password) was stored, and this store is not encrypted.': [
    '儲存了看似機密的內容（金鑰、權杖或密碼），而這個儲存庫沒有加密。',
    '存储了看似机密的内容（密钥、权杖或密码），而这个存储库没有加密。',
  ],
  'To encrypt the store run "vibe-engine keys encrypt"; to keep secrets out of it use the hook "redact". This is shown once.':
    [
      '要加密儲存的內容，請執行「vibe-engine keys encrypt」；要略過這類文字，請使用掛鉤「redact」。這只說一次。',
      '要加密存储的内容，请运行“vibe-engine keys encrypt”；要略过这类文本，请使用钩子“redact”。这只说一次。',
    ],
  'Its newest steps: {0}.': ['最新的有：{0}。', '最新的有：{0}。'],
  'It has recorded no steps yet.': ['還沒有記錄任何步驟。', '还没有记录任何步骤。'],
  'Task "{0}" has recorded no step "{1}".': [
    '任務「{0}」沒有記錄步驟「{1}」。',
    '任务“{0}”没有记录步骤“{1}”。',
  ],
  'Did you mean "{0}"?': ['你是指「{0}」嗎？', '你是指“{0}”吗？'],
  'Step {0}': ['步驟 {0}', '步骤 {0}'],
  'The time limit of step {0}': ['步驟 {0} 的時限', '步骤 {0} 的时限'],
  'Tool {0}': ['工具 {0}', '工具 {0}'],
  'There is no task {0} in this store.': ['這個儲存庫中沒有任務 {0}。', '这个存储库中没有任务 {0}。'],
  'List the tasks to see their ids, and check that this is the right store.': [
    '請列出任務以查看識別碼，並確認這是正確的儲存庫。',
    '请列出任务以查看标识符，并确认这是正确的存储库。',
  ],
  'Task {0} is run by an engine, which records its history itself.': [
    '任務 {0} 由引擎執行，歷史由引擎自行記錄。',
    '任务 {0} 由引擎运行，历史由引擎自行记录。',
  ],
  'Track an execution under an id of its own; the history of this task can be read as it is.': [
    '請以另一個識別碼追蹤執行；這個任務的歷史可以直接讀取。',
    '请以另一个标识符追踪运行；这个任务的历史可以直接读取。',
  ],
  'The readable copies of task {0} could not be written: {1}': [
    '無法寫入任務 {0} 的可讀副本：{1!}',
    '无法写入任务 {0} 的可读副本：{1!}',
  ],
  '{0} threw, and the task continues: {1}': [
    '{0!} 發生例外，任務會繼續：{1}',
    '{0!} 发生例外，任务会继续：{1}',
  ],
  'The content of {0}': ['{0} 的內容', '{0} 的内容'],
  'A list of files': ['檔案清單', '文件清单'],
  '{0} was left out when the task was exported, because it seems to contain a secret.': [
    '匯出任務時略過了{0!}，因為它似乎含有機密。',
    '导出任务时略过了{0!}，因为它似乎含有机密。',
  ],
  'Nothing was changed. Export the task with --reveal, and import it into another project.': [
    '什麼都沒有改變。請加上 --reveal 匯出任務，再匯入另一個專案。',
    '什么都没有改变。请加上 --reveal 导出任务，再导入另一个项目。',
  ],
  'Not a number of tasks to run at once: {0}.': [
    '這不是同時執行的任務數：{0}。',
    '这不是同时运行的任务数：{0}。',
  ],
  'A whole number from 1 up.': ['請給不小於 1 的整數。', '请给不小于 1 的整数。'],
  'Task {0} is skipped: {1} workers have died while running it. Resume it by its id.': [
    '不再處理任務 {0}：已有 {1} 個執行者因它而終止。請以識別碼繼續它。',
    '不再处理任务 {0}：已有 {1} 个运行者因它而终止。请以标识符继续它。',
  ],
  'Checkpoint {0} was skipped: {1}': ['已略過檢查點 {0}：{1!}', '已略过检查点 {0}：{1!}'],
  'Checkpoint {0} was skipped: the journal is damaged before it.': [
    '已略過檢查點 {0}：日誌在它之前已損壞。',
    '已略过检查点 {0}：日志在它之前已损坏。',
  ],
  'The environment of task "{0}" is not what it needs: {1}': [
    '任務「{0}」的環境不符所需：{1!}',
    '任务“{0}”的环境不符所需：{1!}',
  ],
  'Task "{0}" cannot run here: {1}': ['任務「{0}」無法在此執行：{1!}', '任务“{0}”无法在此运行：{1!}'],
  'Nothing was started. Install or set what is missing, then run it again.': [
    '尚未啟動任何任務。請安裝或設定缺少的項目，再重新執行。',
    '尚未启动任何任务。请安装或设置缺少的项目，再重新运行。',
  ],
  'There is no older checkpoint to go back to.': ['沒有更早的檢查點可以退回。', '没有更早的检查点可以退回。'],
  'Fix it, then resume the task again.': ['請處理好，再繼續任務。', '请处理好，再继续任务。'],
  '🔄 Resuming task: {0}': ['🔄 恢復任務：{0}', '🔄 恢复任务：{0}'],
  '📍 Continuing from iteration {0}': ['📍 從第 {0} 輪繼續', '📍 从第 {0} 轮继续'],
  '📝 Last progress: {0} ({1} %)': ['📝 上次進度：{0}（{1}%）', '📝 上次进度：{0}（{1}%）'],
  '📝 Last progress: nothing done yet ({0} %)': [
    '📝 上次進度：尚未完成任何步驟（{0}%）',
    '📝 上次进度：尚未完成任何步骤（{0}%）',
  ],
  '📝 Last progress: step "{0}" done ({1} %)': [
    '📝 上次進度：步驟「{0}」已完成（{1}%）',
    '📝 上次进度：步骤“{0}”已完成（{1}%）',
  ],
  '📝 Last progress: step "{0}" failed ({1} %)': [
    '📝 上次進度：步驟「{0}」失敗（{1}%）',
    '📝 上次进度：步骤“{0}”失败（{1}%）',
  ],
  'nothing was rolled back': ['沒有退回過任何內容', '没有退回过任何内容'],
  'rollback undone': ['已取消退回', '已取消退回'],
  'it changed files, and files are not captured here': [
    '它更改過檔案，而這裡不知道有哪些檔案',
    '它更改过文件，而这里不知道有哪些文件',
  ],
  'clean-up has removed what was rolled back': ['退回的內容已被清理', '退回的内容已被清理'],
  'what was rolled back does not belong to this task': [
    '退回的內容不屬於這個任務',
    '退回的内容不属于这个任务',
  ],
  'something was recorded since ({0})': ['之後又有新的紀錄（{0}）', '之后又有新的记录（{0}）'],
  'clean-up has removed entries that were rolled back': ['退回的日誌內容已被清理', '退回的日志内容已被清理'],
  'There is nothing to redo for task {0}: {1}.': [
    '任務 {0} 沒有可以重做的：{1!}。',
    '任务 {0} 没有可以重做的：{1!}。',
  ],
  'A rollback can be undone until the task continues, or clean-up removes what was rolled back.': [
    '在任務繼續進行或收起的內容被清理之前，都可以取消退回。',
    '在任务继续进行或收起的内容被清理之前，都可以取消退回。',
  ],
  'Task "{0}" ({1}) has not failed: it is {2}.': [
    '任務「{0}」（{1}）沒有失敗：它的狀態是 {2!}。',
    '任务“{0}”（{1}）没有失败：它的状态是 {2!}。',
  ],
  'Resume it, or say from which step to try again.': [
    '請繼續它，或說明要從哪個步驟重試。',
    '请继续它，或说明要从哪个步骤重试。',
  ],
  'rolled back to before {0}': ['退回到 {0} 之前', '退回到 {0} 之前'],
  'There are no files to restore: files are not captured here.': [
    '沒有可以還原的檔案：這裡不知道有哪些檔案。',
    '没有可以还原的文件：这里不知道有哪些文件。',
  ],
  'Run it where the files of the project are known, or leave --only out.': [
    '請在知道專案檔案的地方執行，或省略 --only。',
    '请在知道项目文件的地方运行，或省略 --only。',
  ],
  'Nobody answered "{0}" in time.': ['沒有人及時回答「{0}」。', '没有人及时回答“{0}”。'],
  'Nobody answered {0} in time.': ['沒有人及時回答 {0}。', '没有人及时回答 {0}。'],
  'A retry of the task asks again.': ['重試任務會再問一次。', '重试任务会再问一次。'],
  'How long to wait': ['等待的時間', '等待的时间'],
  'A task cannot wait inside a step ({0}).': [
    '任務不能在步驟中等待（{0}）。',
    '任务不能在步骤中等待（{0}）。',
  ],
  'A task cannot sleep inside a step ({0}).': [
    '任務不能在步驟中休眠（{0}）。',
    '任务不能在步骤中休眠（{0}）。',
  ],
  'End the step first.': ['請先結束該步驟。', '请先结束该步骤。'],
  'No step succeeded before step {0} of {1}.': [
    '{1} 的步驟 {0} 之前沒有成功的步驟。',
    '{1} 的步骤 {0} 之前没有成功的步骤。',
  ],
  'List its checkpoints; to run all its steps, start it again.': [
    '請列出它的檢查點；要執行所有步驟，請重新開始。',
    '请列出它的检查点；要运行所有步骤，请重新开始。',
  ],
  'What it needs to continue is missing: {0}.': [
    '繼續所需的內容已不存在：{0}。',
    '继续所需的内容已不存在：{0}。',
  ],
  'Not a reference to a context: {0}.': ['這不是上下文的參照：{0}。', '这不是上下文的引用：{0}。'],
  'It is context://{task_id}/{entry}, as in accumulated_context of a task’s state.': [
    '格式是 context://{task_id}/{entry}，見任務狀態的 accumulated_context。',
    '格式是 context://{task_id}/{entry}，见任务状态的 accumulated_context。',
  ],
  'Nothing was changed. Fix it, or choose with --on-environment: {0}.': [
    '沒有做任何變更。請先修正，或以 --on-environment選擇：{0}。',
    '没有做任何更改。请先修正，或以 --on-environment选择：{0}。',
  ],
  'The task goes back to {0}, whose requirements are met.': [
    '任務退回到 {0}，它所需的環境仍在。',
    '任务退回到 {0}，它所需的环境仍在。',
  ],
  'Resume it from there: {0}.': ['請由此繼續：{0}。', '请由此继续：{0}。'],
  'Checkpoint {0} ({1}, step {2}) does not need it: "go_back" resumes there.': [
    '檢查點 {0}（{1}，步驟 {2}）不需要它：選「go_back」即由此繼續。',
    '检查点 {0}（{1}，步骤 {2}）不需要它：选“go_back”即由此继续。',
  ],
  'Changed since the task read them: {0}.': ['任務讀取後已被更改：{0}。', '任务读取后已被更改：{0}。'],
  '{0} is not a plain file, and is not replaced.': [
    '{0} 不是一般檔案，不會取代。',
    '{0} 不是普通文件，不会替换。',
  ],
  'Name another file. Nothing was changed.': [
    '請指定其他檔案。沒有變更任何內容。',
    '请指定其他文件。没有更改任何内容。',
  ],
  'What was thrown cannot be read.': ['無法讀取拋出的內容。', '无法读取抛出的内容。'],
};
