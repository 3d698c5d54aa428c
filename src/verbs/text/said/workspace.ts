import type { Said } from './said.ts';

/** Files, and the merging of them. */
export const workspace: Said = {
  '{0} is not a directory, and yet has entries': ['{0} 不是目錄，裡面卻有東西', '{0} 不是目录，里面却有东西'],
  'A restore was interrupted, and its record cannot be read.': [
    '一次還原被中斷，而它原本要做的事無法讀取。',
    '一次还原被中断，而它原本要做的事无法读取。',
  ],
  'Look at the files, then remove the record {0}/{1} from the store.': [
    '請查看檔案，再從儲存庫移除紀錄 {0}/{1}。',
    '请查看文件，再从存储库移除记录 {0}/{1}。',
  ],
  'The choice for {0}': ['{0} 的選擇', '{0} 的选择'],
  '{0} cannot be {1}.': ['{0!} 不能是 {1}。', '{0!} 不能是 {1}。'],
  'Nothing was changed. Choose one of: {0}.': [
    '什麼都沒有改變。請擇一：{0}。',
    '什么都没有改变。请择一：{0}。',
  ],
  'The restore was aborted because of {0}.': ['還原因 {0} 而取消。', '还原因 {0} 而取消。'],
  'Nothing was changed. Resolve the conflict in the file, or choose differently.': [
    '什麼都沒有改變。請手動處理該檔案，或改選其他方式。',
    '什么都没有改变。请手动处理该文件，或改选其他方式。',
  ],
  'Others changed {0} and {1} more, and nothing says which version to keep.': [
    '他人更改了 {0} 以及其他 {1} 個檔案，而沒有人說明以何者為準。',
    '他人更改了 {0} 以及其他 {1} 个文件，而没有人说明以何者为准。',
  ],
  'Others changed {0}, and nothing says which version to keep.': [
    '他人更改了 {0}，而沒有人說明以何者為準。',
    '他人更改了 {0}，而没有人说明以何者为准。',
  ],
  'Whether the task or others changed {0} and {1} more is not known, and nothing says which version to keep.':
    [
      '{0} 以及其他 {1} 個檔案是由任務還是他人更改，無從得知，而沒有人說明以何者為準。',
      '{0} 以及其他 {1} 个文件是由任务还是他人更改，无从得知，而没有人说明以何者为准。',
    ],
  'Whether the task or others changed {0} is not known, and nothing says which version to keep.': [
    '{0} 是由任務還是他人更改，無從得知，而沒有人說明以何者為準。',
    '{0} 是由任务还是他人更改，无从得知，而没有人说明以何者为准。',
  ],
  'Nothing was changed. Say what to do with --on-modified and --on-deleted, for all files or for one (--on-modified {0}=use_current), or run it in a terminal to be asked.':
    [
      '什麼都沒有改變。請以 --on-modified 與 --on-deleted 說明怎麼做，對所有檔案或單一檔案皆可（--on-modified {0}=use_current），或在終端機中執行以便詢問。',
      '什么都没有改变。请以 --on-modified 与 --on-deleted 说明怎么做，对所有文件或单个文件皆可（--on-modified {0}=use_current），或在终端中运行以便询问。',
    ],
  'There is no directory {0}.': ['沒有目錄 {0}。', '没有目录 {0}。'],
  'Name the directory of a workspace.': ['請指定工作區的目錄。', '请指定工作区的目录。'],
  '{0} is not inside {1}.': ['{0} 不在 {1} 之內。', '{0} 不在 {1} 之内。'],
  'Name a file of the workspace, by a path that leads out of it neither by ".." nor by a link.': [
    '請指定工作區內的檔案，路徑不可經由「..」或連結通往外面。',
    '请指定工作区内的文件，路径不可经由“..”或链接通往外面。',
  ],
  'no entry has the code {0}': ['沒有代碼為 {0} 的項目', '没有代码为 {0} 的项目'],
  'its names are not in order': ['它的名稱順序不對', '它的名称顺序不对'],
  'the name {0} {1}': ['名稱 {0} {1!}', '名称 {0} {1!}'],
  'it cannot be unpacked': ['它無法解開', '它无法解开'],
  'its text is not JSON': ['它的文字不是 JSON', '它的文本不是 JSON'],
  'it was not written by this version': ['它不是由這個版本寫成', '它不是由这个版本写成'],
  'a link leads to no path': ['有一個連結沒有通往任何路徑', '有一个链接没有通往任何路径'],
  'a part of it is missing': ['它有一部分遺失', '它有一部分丢失'],
  'The snapshot cannot be read: {0}.': ['無法讀取快照：{0!}。', '无法读取快照：{0!}。'],
  'It was written by a newer version, or by another program. Nothing was changed.': [
    '它由較新的版本或別人寫成。什麼都沒有改變。',
    '它由较新的版本或别人写成。什么都没有改变。',
  ],
  'to undo what the task did to this file': ['取消任務對這個檔案所做的變更', '取消任务对这个文件所做的更改'],
  'is not a valid file name': ['不是檔案名稱', '不是文件名称'],
  'has a slash, a backslash or a control character': [
    '含有斜線、反斜線或控制字元',
    '含有斜线、反斜线或控制字符',
  ],
  'is not well-formed Unicode': ['不是格式正確的 Unicode', '不是格式正确的 Unicode'],
  'is longer than {0} bytes': ['超過 {0} 個位元組', '超过 {0} 个字节'],
  'stands for another name': ['代表另一個名稱', '代表另一个名称'],
  'belongs to git or to this project': ['屬於 git 或這個專案', '属于 git 或这个项目'],
  'Windows has no such name': ['在 Windows 上不可用', '在 Windows 上不可用'],
  'it would be the same file as {0}': ['會與 {0} 是同一個檔案', '会与 {0} 是同一个文件'],
  'The snapshot has an entry that is refused: {0}.': [
    '快照含有被拒絕的項目：{0!}。',
    '快照含有被拒绝的项目：{0!}。',
  ],
  'No scan of this project makes an entry like that: find out who wrote to the store. Nothing was changed.': [
    '掃描這個專案不會產生這樣的項目：請查出是誰寫入了儲存庫。什麼都沒有改變。',
    '扫描这个项目不会产生这样的项目：请查出是谁写入了存储库。什么都没有改变。',
  ],
  'No version of {0} was noted.': ['沒有記下 {0} 的版本。', '没有记下 {0} 的版本。'],
  'Call acquire(path) before you read it, and checkAndCommit when you have the new content.': [
    '請在讀取之前先取得（acquire），有了新內容再提交（checkAndCommit）。',
    '请在读取之前先取得（acquire），有了新内容再提交（checkAndCommit）。',
  ],
  '{0} is not a file.': ['{0} 不是檔案。', '{0} 不是文件。'],
  'Only files can be written this way: not directories, devices, or links that lead nowhere.': [
    '只有檔案可以這樣寫入：目錄、裝置或無處可去的連結都不行。',
    '只有文件可以这样写入：目录、装置或无处可去的链接都不行。',
  ],
  'There is no file {0} in {1}.': ['{1} 中沒有檔案 {0}。', '{1} 中没有文件 {0}。'],
  'The command "checkpoints diff" shows what a checkpoint holds.': [
    '指令「checkpoints diff」會顯示檢查點的內容。',
    '命令“checkpoints diff”会显示检查点的内容。',
  ],
  'The content of {0} no longer exists.': ['{0} 的內容已經不在。', '{0} 的内容已经不在。'],
  'Fetch the git object {0}, then try again.': [
    '請取回 git 物件 {0}，再試一次。',
    '请取回 git 对象 {0}，再试一次。',
  ],
  'Restore the store from a backup.': ['請由備份還原儲存庫。', '请由备份还原存储库。'],
  'The workspace {0} cannot be listed.': ['無法列出工作區 {0} 的內容。', '无法列出工作区 {0} 的内容。'],
  'Check that the directory is still there and may be read.': [
    '請檢查該目錄是否仍在，以及是否可以讀取。',
    '请检查该目录是否仍在，以及是否可以读取。',
  ],
  '{0} is not a snapshot of this version.': ['{0} 不是這個版本的快照。', '{0} 不是这个版本的快照。'],
  'its document cannot be read': ['它的文件無法讀取', '它的文件无法读取'],
  'The store does not have all of {0}.': ['儲存庫沒有 {0} 的全部內容。', '存储库没有 {0} 的全部内容。'],
  'Use the id of a snapshot that is still kept.': [
    '請使用仍保留的快照的識別碼。',
    '请使用仍保留的快照的标识符。',
  ],
  '{0} is not a directory for a workspace.': ['{0} 不能作為工作區的目錄。', '{0} 不能作为工作区的目录。'],
  'Use the directory of one project: not the home directory, nothing above it, and it must exist.': [
    '請使用單一專案的目錄：不可是家目錄或其上層，而且必須存在。',
    '请使用单一项目的目录：不可是家目录或其上层，而且必须存在。',
  ],
  '{0} is not changed: its owner, its access list or its attributes could not be kept.': [
    '{0} 不會變更：無法保留它的擁有者、存取清單或屬性。',
    '{0} 不会更改：无法保留它的所有者、访问列表或属性。',
  ],
  'Change it as its owner, or with a command that writes into it.': [
    '請以它的擁有者身分變更，或用直接寫入它的命令。',
    '请以它的所有者身份更改，或用直接写入它的命令。',
  ],
  '{0} is not changed: {1}.': ['{0} 不會變更：{1!}。', '{0} 不会更改：{1!}。'],
  'A change to it could not be undone. Choose another name, or do it with a command.': [
    '對它的變更無法收回。請換一個名稱，或用命令來做。',
    '对它的更改无法收回。请换一个名称，或用命令来做。',
  ],
  '{0} belongs to git or to vibe-engine, and is not changed.': [
    '{0} 屬於 git 或 vibe-engine，不會變更。',
    '{0} 属于 git 或 vibe-engine，不会更改。',
  ],
  'Change files of the project itself, and use git commands to change the repository.': [
    '請變更專案本身的檔案；要在儲存庫中進行的操作，請使用 git 命令。',
    '请更改项目本身的文件；要在仓库中进行的操作，请使用 git 命令。',
  ],
  'The task and others changed the same lines of {0}, and nothing says which version to keep.': [
    '任務和別人改了 {0} 的相同幾行，而沒有人說該以何者為準。',
    '任务和别人改了 {0} 的相同几行，而没有人说该以何者为准。',
  ],
  'No file was changed. Both versions are in {0}. Choose with --on-modified {1}=use_current or use_checkpoint, or resolve the conflict in the file and choose use_current.':
    [
      '沒有改變任何檔案。雙方想要的內容在 {0}。請用 --on-modified {1}=use_current 或 use_checkpoint 選擇，或親手改好檔案後選 use_current。',
      '没有改变任何文件。双方想要的内容在 {0}。请用 --on-modified {1}=use_current 或 use_checkpoint 选择，或亲手改好文件后选 use_current。',
    ],
  'The record of reserved files is damaged.': [
    '保留檔案的紀錄不是當初儲存的內容。',
    '保留文件的记录不是当初存储的内容。',
  ],
  'When no task is running in this workspace, remove the record reservations/{0} from the store.': [
    '請在沒有人使用這個工作區時，從儲存庫移除紀錄 reservations/{0}。',
    '请在没有人使用这个工作区时，从存储库移除记录 reservations/{0}。',
  ],
  '{0}: reserved for {1} by {2}.': ['{0}：由 {2} 保留，用於 {1}。', '{0}：由 {2} 保留，用于 {1}。'],
  'Wait until it is released, at the latest at {0} unless it is renewed, or give the agents different files.':
    [
      '請等它釋出（若未續約，最遲到 {0}），或讓代理處理不同的檔案。',
      '请等它释出（若未续约，最迟到 {0}），或让代理处理不同的文件。',
    ],
  'The reservation of {0} by {1} was taken over.': [
    '{1} 對 {0} 的保留已被接手。',
    '{1} 对 {0} 的保留已被接手。',
  ],
  'It was not renewed in time. Reserve the files again, read them again, then write.': [
    '它沒有及時續約。請重新保留檔案、重新讀取，然後再寫入。',
    '它没有及时续约。请重新保留文件、重新读取，然后再写入。',
  ],
  '{0}; and uncommitted: {1}': ['{0!}；以及尚未提交的：{1!}', '{0!}；以及尚未提交的：{1!}'],
  'adds {0} lines and removes {1}': ['增加 {0} 行，刪除 {1} 行', '增加 {0} 行，删除 {1} 行'],
  'The text to merge holds half a surrogate pair: it has no UTF-8 form.': [
    '要合併的文字含有半個代理對：無法表示為 UTF-8。',
    '要合并的文本含有半个代理对：无法表示为 UTF-8。',
  ],
  'Pass the bytes of the file instead of text.': [
    '請改為提供檔案的位元組，而不是文字。',
    '请改为提供文件的字节，而不是文本。',
  ],
  'There are no lines of {0} to decide about.': ['{0} 沒有需要決定的行。', '{0} 没有需要决定的行。'],
  'Nothing was changed. Look at the preview again (--dry-run): it names the files that others changed, too.':
    [
      '沒有任何變更。請再看一次預覽（--dry-run）：其中列出了他人也改過的檔案。',
      '没有任何更改。请再看一次预览（--dry-run）：其中列出了他人也改过的文件。',
    ],
  'There are two decisions about {0}.': ['對 {0} 有兩個決定。', '对 {0} 有两个决定。'],
  'Nothing was changed. Use one of --file, --hunk and --content for a file.': [
    '沒有任何變更。每個檔案只能使用 --file、--hunk 和 --content 其中之一。',
    '没有任何更改。每个文件只能使用 --file、--hunk 和 --content 其中之一。',
  ],
  '{0} was changed after this was decided.': ['{0} 在做出決定之後又被更改。', '{0} 在做出决定之后又被更改。'],
  'Nothing was changed. Look at the preview again (--dry-run), and decide again.': [
    '沒有任何變更。請再看一次預覽（--dry-run），然後重新決定。',
    '没有任何更改。请再看一次预览（--dry-run），然后重新决定。',
  ],
  'Not every conflict of {0} is decided: look at {1}.': [
    '{0} 還有沒決定的衝突：請看第 {1} 處。',
    '{0} 还有没决定的冲突：请看第 {1} 处。',
  ],
  'Nothing was changed. Decide each by --hunk {0}:1=yours, before, task or both; --dry-run --path {1} shows them.':
    [
      '沒有任何變更。請逐處決定：--hunk {0}:1=yours、before、task 或 both；--dry-run --path {1} 會列出它們。',
      '没有任何更改。请逐处决定：--hunk {0}:1=yours、before、task 或 both；--dry-run --path {1} 会列出它们。',
    ],
};
