import type { Said } from './said.ts';

export const engineFiles: Said = {
  '{0}: the task and others changed the same lines. Which version should be kept?': [
    '{0}：任務與他人改了相同的行。要保留哪個版本？',
    '{0}：任务与他人改了相同的行。要保留哪个版本？',
  ],
  '{0} was changed by others, too. Which version should be kept?': [
    '{0} 也被他人更改。要保留哪個版本？',
    '{0} 也被他人更改。要保留哪个版本？',
  ],
  '{0} was deleted by others. Which version should be kept?': [
    '{0} 被他人刪除。要保留哪個版本？',
    '{0} 被他人删除。要保留哪个版本？',
  ],
  "{0}: the task's lines cannot be removed without those of others. Which version should be kept?": [
    '{0}：任務的行無法單獨取出而不動到他人的行。要保留哪個版本？',
    '{0}：任务的行无法单独取出而不动到他人的行。要保留哪个版本？',
  ],
  'Tools execute the content of this file.': ['工具會執行這個檔案的內容。', '工具会运行这个文件的内容。'],
  '{0} was changed by others at the same time: {1}.': [
    '{0} 同時被他人更改：{1!}。',
    '{0} 同时被他人更改：{1!}。',
  ],
  'The file is as the others left it. Both versions are in {0}: resolve the conflict there, read the file, then write it.':
    [
      '檔案維持他人留下的樣子。雙方想要的內容在 {0}：請在那裡處理，讀取檔案，再寫入。',
      '文件保持他人留下的样子。双方想要的内容在 {0}：请在那里处理，读取文件，再写入。',
    ],
  '⚠️ Tools execute the content of these files, and they are restored: {0}': [
    '⚠️ 工具會執行這些檔案的內容，而它們正被還原：{0}',
    '⚠️ 工具会运行这些文件的内容，而它们正被还原：{0}',
  ],
  'Others changed {0} since the task last ran.': [
    '任務上次執行之後，他人更改了 {0}。',
    '任务上次运行之后，他人更改了 {0}。',
  ],
  'Nothing was changed. Fix it, then resume the task again.': [
    '什麼都沒有改變。請處理好，再繼續任務。',
    '什么都没有改变。请处理好，再继续任务。',
  ],
  'as chosen': ['依照選擇', '依照选择'],
  'someone changed it at that moment': ['當時有人改了它', '当时有人改了它'],
  'something is in its way': ['有東西擋住', '有东西挡住'],
  'its current content was not captured': ['現有內容未曾擷取', '现有内容未曾捕获'],
  'the store has lost its content': ['儲存庫已失去其內容', '存储库已丢失其内容'],
  '⚠️ These snapshots cannot be read: {0}. You are asked about files that changed between the snapshots before and after them, because others may have changed them.':
    [
      '⚠️ 這些快照無法讀取：{0}。在其前後的快照之間有變動的檔案會逐一詢問，因為可能是他人所改。',
      '⚠️ 这些快照无法读取：{0}。在其前后的快照之间有变动的文件会逐一询问，因为可能是他人所改。',
    ],
  '⚠️ The task’s first changes are no longer known: they stay as they are.': [
    '⚠️ 任務最初所做的變更已無從得知：維持原狀。',
    '⚠️ 任务最初所做的更改已无从得知：保持原状。',
  ],
  'its content was in git, and is no longer there': [
    '內容原在 git 中，現已不在',
    '内容原在 git 中，现已不在',
  ],
  'it is new, and nobody knows whose it is': ['它是新的，不知道是誰建立的', '它是新的，不知道是谁创建的'],
  'it is a link out of the project': ['它是通往專案之外的連結', '它是通往项目之外的链接'],
  'its owner, its access list or its attributes could not be kept': [
    '無法保留它的擁有者、存取清單或屬性',
    '无法保留它的所有者、访问列表或属性',
  ],
  '⚠️ {0} was left as it is when files were restored: {1}.': [
    '⚠️ 還原檔案時 {0} 維持原狀：{1!}。',
    '⚠️ 还原文件时 {0} 保持原状：{1!}。',
  ],
  '⚠️ {0} was saved while files were restored: kept as {1}.': [
    '⚠️ 還原檔案時有人儲存了 {0}：已保存為 {1}。',
    '⚠️ 还原文件时有人存储了 {0}：已保存为 {1}。',
  ],
  '{0} is not empty: {1} and {2} more.': [
    '{0} 有自己的檔案：{1} 以及其他 {2} 個。',
    '{0} 有自己的文件：{1} 以及其他 {2} 个。',
  ],
  '{0} is not empty: {1}.': ['{0} 有自己的檔案：{1}。', '{0} 有自己的文件：{1}。'],
  'None of them was changed. Name an empty directory, or a new worktree of the repository.': [
    '都沒有更改。請指定空目錄，或版本庫的新 worktree。',
    '都没有更改。请指定空目录，或仓库的新 worktree。',
  ],
  'both changed the same lines': ['雙方改了相同的行', '双方改了相同的行'],
  'it was about to be removed, and they changed it': [
    '它原本要被移除，而他人更改了它',
    '它原本要被移除，而他人更改了它',
  ],
  'they removed it': ['他人移除了它', '他人移除了它'],
  'The edit of {0}': ['對 {0} 的編輯', '对 {0} 的编辑'],
  '{0} is not UTF-8 text.': ['{0} 不是 UTF-8 文字。', '{0} 不是 UTF-8 文本。'],
  'Read it with readBytes, and write bytes.': [
    '請以 readBytes 讀取，並寫入位元組。',
    '请以 readBytes 读取，并写入字节。',
  ],
  'There is no file {0} to edit.': ['沒有可編輯的檔案 {0}。', '没有可编辑的文件 {0}。'],
  'Use write, which creates it.': ['請使用 write，它會建立檔案。', '请使用 write，它会创建文件。'],
  'The engine has to be opened with a workspace.': [
    '引擎必須連同工作區一起開啟。',
    '引擎必须连同工作区一起开启。',
  ],
  'A rollback of task {0} was interrupted, and its record cannot be read.': [
    '任務 {0} 的退回被中斷，而它原本要做的事無法讀取。',
    '任务 {0} 的退回被中断，而它原本要做的事无法读取。',
  ],
  'Look at the files, then remove the record tasks/{0} from the store.': [
    '請查看檔案，再從儲存庫移除紀錄 tasks/{0}。',
    '请查看文件，再从存储库移除记录 tasks/{0}。',
  ],
  'both changed it, and it is binary': ['雙方都改了它，而它是二進位檔', '双方都改了它，而它是二进制档'],
  'both changed it, and it is too large': ['雙方都改了它，而它太大', '双方都改了它，而它太大'],
  'What was there: vibe-engine files {0}': [
    '原本的內容：vibe-engine files {0}',
    '原本的内容：vibe-engine files {0}',
  ],
  'Restored as the task had left them: {0}.': [
    '已還原為任務留下的樣子：{0}。',
    '已还原为任务留下的样子：{0}。',
  ],
  'Merged with what others changed: {0}.': ['已與他人的變更合併：{0}。', '已与他人的更改合并：{0}。'],
};
