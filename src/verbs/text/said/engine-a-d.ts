import type { Said } from './said.ts';

export const engineAD: Said = {
  'The command exited with code {0}.': ['指令以代碼 {0} 結束。', '命令以代码 {0} 结束。'],
  'The command was ended by {0}.': ['指令被 {0} 終止。', '命令被 {0} 终止。'],
  'Resume the task to run it again, or roll it back.': [
    '可以繼續任務以再次執行，或將它退回。',
    '可以继续任务以再次运行，或将它退回。',
  ],
  'The task would run a different command from the one that was shown.': [
    '任務要執行的命令與所顯示的不同。',
    '任务要运行的命令与所显示的不同。',
  ],
  'Resume it again, and check the command that is shown.': [
    '請再次繼續，並查看所顯示的內容。',
    '请再次继续，并查看所显示的内容。',
  ],
  'it has left the queue': ['它已離開佇列', '它已离开队列'],
  '{0} workers have died while running it': [
    '已有 {0} 個工作程序因它而終止',
    '已有 {0} 个工作进程因它而终止',
  ],
  'Task "{0}" ({1}) was not claimed: {2}.': [
    '未接手任務「{0}」（{1}）：{2!}。',
    '未接手任务“{0}”（{1}）：{2!}。',
  ],
  'The call of a tool': ['工具的呼叫', '工具的调用'],
  'It was in progress when the run ended: it may or may not have taken effect.': [
    '執行結束時它仍在進行：可能已生效，也可能沒有。',
    '运行结束时它仍在进行：可能已生效，也可能没有。',
  ],
  'An agent yielded something that is not an event: {0}.': [
    '代理產生的不是事件：{0}。',
    '代理产生的不是事件：{0}。',
  ],
  'It may yield message, turn, tool_call, tool_result, tool_dropped, agent_end, decision, wait and done.': [
    '它可以產生 message、turn、tool_call、tool_result、tool_dropped、agent_end、decision、wait 與 done。',
    '它可以产生 message、turn、tool_call、tool_result、tool_dropped、agent_end、decision、wait 与 done。',
  ],
  'Agent {0} yields no events: it has no async iterator.': [
    '代理 {0} 沒有提供事件：它沒有非同步迭代器。',
    '代理 {0} 没有提供事件：它没有非同步迭代器。',
  ],
  'Write it as async function* (query, start) { … }.': [
    '請寫成 async function* (query, start) { … }。',
    '请写成 async function* (query, start) { … }。',
  ],
  'Sub-agent {0}': ['子代理 {0}', '子代理 {0}'],
  '{0} took longer than {1} ms.': ['{0!} 超過 {1} 毫秒。', '{0!} 超过 {1} 毫秒。'],
  'Raise timeout_ms, or let the step listen to its signal and end sooner.': [
    '請提高 timeout_ms，或讓步驟留意它的訊號並提早結束。',
    '请提高 timeout_ms，或让步骤留意它的信号并提早结束。',
  ],
  'The origin of a task': ['任務的來源', '任务的来源'],
  'This is not a task: it has no function to run.': [
    '這不是任務：它沒有可執行的函式。',
    '这不是任务：它没有可运行的函数。',
  ],
  'Make one with defineTask("name", async (task, input) => …).': [
    '請以 defineTask("name", async (task, input) => …) 建立。',
    '请以 defineTask("name", async (task, input) => …) 创建。',
  ],
  'The working directory of a task is a path.': ['任務的工作目錄是一個路徑。', '任务的工作目录是一个路径。'],
  'Leave it out to work in the project directory.': [
    '省略它就會在專案目錄中工作。',
    '省略它就会在项目目录中工作。',
  ],
  'Task {0} already exists.': ['已經有任務 {0}。', '已经有任务 {0}。'],
  'Resume that one, or start this one under another id.': [
    '請繼續那一個，或以另一個識別碼開始這一個。',
    '请继续那一个，或以另一个标识符开始这一个。',
  ],
  'The metadata of a checkpoint': ['檢查點的附加資料', '检查点的附加数据'],
  'There is no checkpoint {0}.': ['沒有檢查點 {0}。', '没有检查点 {0}。'],
  'List all checkpoints of the task: vibe-engine checkpoints list --all.': [
    '請列出任務的所有檢查點：vibe-engine checkpoints list --all。',
    '请列出任务的所有检查点：vibe-engine checkpoints list --all。',
  ],
  'Clean-up has removed it. List the checkpoints of the task.': [
    '它已被清理移除。請列出任務的檢查點。',
    '它已被清理移除。请列出任务的检查点。',
  ],
  'The task was rolled back past it: a redo brings it back, as long as the task has not run since.': [
    '任務已退回到它之前：只要任務尚未再執行，redo 就能恢復它。',
    '任务已退回到它之前：只要任务尚未再运行，redo 就能恢复它。',
  ],
  'A step': ['步驟', '步骤'],
  'A sub-agent': ['子代理', '子代理'],
  'A file': ['檔案', '文件'],
  '{0} needs a name.': ['{0!}需要名稱。', '{0!}需要名称。'],
  'Give it a text that says what it does.': ['請給它一段說明用途的文字。', '请给它一段说明用途的文本。'],
  '{0} needs a function to run.': ['{0!}需要可執行的函式。', '{0!}需要可运行的函数。'],
  'Give one, such as async () => …': ['請提供一個，例如 async () => …', '请提供一个，例如 async () => …'],
  '{0} is not a number of milliseconds: {1}.': ['{0!}不是毫秒數：{1}。', '{0!}不是毫秒数：{1}。'],
  'Give a number, such as 60_000.': ['請給一個數字，例如 60_000。', '请给一个数字，例如 60_000。'],
  '{0} has to be an object.': ['{0!}必須是物件。', '{0!}必须是对象。'],
  'Such as { reason: "halfway" }.': ['例如 { reason: "halfway" }。', '例如 { reason: "halfway" }。'],
  'no blob of it, or of tasks that share blobs with it, is removed: {0}': [
    '不移除它與共用任務的任何資料塊：{0!}',
    '不移除它与共用任务的任何数据块：{0!}',
  ],
  'no snapshot of files is removed: {0}': ['不移除任何檔案快照：{0!}', '不移除任何文件快照：{0!}'],
  'it cannot be compacted: {0}': ['無法壓縮整理：{0!}', '无法压缩整理：{0!}'],
  'it was rolled back repeatedly in the meantime': ['它在此期間一再被退回', '它在此期间一再被退回'],
  'the clock jumped to {0}: ages are counted up to {1} until it has stayed there for two days': [
    '時鐘跳到了 {0}：在它持續兩天之前，存放時間只計算到 {1}',
    '时钟跳到了 {0}：在它持续两天之前，存放时间只计算到 {1}',
  ],
  'it is running ({0}): its owner removes old checkpoints': [
    '它正在執行（{0}）：由擁有者精簡它的檢查點',
    '它正在运行（{0}）：由拥有者精简它的检查点',
  ],
  'it is damaged: its state is missing': ['它不完整：缺少狀態', '它不完整：缺少状态'],
  'it cannot be read: {0}': ['無法讀取：{0!}', '无法读取：{0!}'],
  'nobody continued the session since {0}': ['自 {0} 起無人繼續此工作階段', '自 {0} 起无人继续此会话'],
  'it is running: its owner removes old checkpoints': [
    '它正在執行：由擁有者精簡它的檢查點',
    '它正在运行：由拥有者精简它的检查点',
  ],
  'it changed in the meantime': ['它在此期間有變動', '它在此期间有变动'],
  'it is damaged: {0}': ['它已損壞：{0!}', '它已损坏：{0!}'],
  'The store is already being cleaned up ({0}).': ['儲存庫已在清理中（{0}）。', '存储库已在清理中（{0}）。'],
  'Wait until that is done, or until that process has ended.': [
    '請等它完成，或等該行程結束。',
    '请等它完成，或等该进程结束。',
  ],
  'A task needs a name of 1 to 200 characters.': [
    '任務需要 1 到 200 個字元的名稱。',
    '任务需要 1 到 200 个字符的名称。',
  ],
  'Task {0}': ['任務 {0}', '任务 {0}'],
  'What task {0} requires of {1} is not a string.': [
    '任務 {0} 對 {1} 的需求不是以文字給出。',
    '任务 {0} 对 {1} 的需求不是以文本给出。',
  ],
  "Such as { node: '>=24', 'env:API_KEY': 'set' }.": [
    "例如 { node: '>=24', 'env:API_KEY': 'set' }。",
    "例如 { node: '>=24', 'env:API_KEY': 'set' }。",
  ],
  'There is no durability {0}.': ['沒有持久性 {0}。', '没有持久性 {0}。'],
  'It is one of {0}.': ['可用的是 {0} 其中之一。', '可用的是 {0} 其中之一。'],
  'Such as defineTask("review", async (task, input) => …).': [
    '例如 defineTask("review", async (task, input) => …)。',
    '例如 defineTask("review", async (task, input) => …)。',
  ],
  'rolled back to {0}': ['退回到 {0}', '退回到 {0}'],
};
