import type { Said } from './said.ts';

export const engineTransfer: Said = {
  'Task {0} is being run by {1}.': ['任務 {0} 由 {1} 執行。', '任务 {0} 由 {1} 运行。'],
  'Pause it first.': ['請先暫停它。', '请先暂停它。'],
  'Files of task {0} are being restored, or its branch is being moved.': [
    '任務 {0} 的檔案正在還原，或它的分支正在移動。',
    '任务 {0} 的文件正在还原，或它的分支正在移动。',
  ],
  'Resume it, or repeat the interrupted command; then export it.': [
    '請繼續它，或重做被中斷的操作，再匯出。',
    '请继续它，或重做被中断的操作，再导出。',
  ],
  'The id of task {0} looks like a secret, and cannot be masked.': [
    '任務 {0} 的識別碼看似機密，無法遮蔽。',
    '任务 {0} 的标识符看似机密，无法遮蔽。',
  ],
  'If it is not a secret, export it with --reveal.': [
    '若它不是機密，請加上 --reveal 原樣匯出。',
    '若它不是机密，请加上 --reveal 原样导出。',
  ],
  'Task {0} changed while it was being read.': ['讀取期間任務 {0} 仍在進行。', '读取期间任务 {0} 仍在进行。'],
  'Pause it, then export it again.': ['請先暫停它，再匯出一次。', '请先暂停它，再导出一次。'],
  'The file {0} already exists.': ['已經有檔案 {0}。', '已经有文件 {0}。'],
  'Name another, or replace it with --replace.': [
    '請指定另一個檔名，或以 --replace 取代它。',
    '请指定另一个文件名，或以 --replace 替换它。',
  ],
  'it has data after its end': ['它的結尾之後還有內容', '它的结尾之后还有内容'],
  'line {0}': ['第 {0} 行', '第 {0} 行'],
  'its end is missing': ['它缺少結尾', '它缺少结尾'],
  'a line of it has more than {0} bytes': ['其中一行超過 {0} 個位元組', '其中一行超过 {0} 个字节'],
  'it unpacks to more than {0} bytes': ['它解開後超過 {0} 個位元組', '它解开后超过 {0} 个字节'],
  'a line of it is not JSON': ['其中一行不是 JSON', '其中一行不是 JSON'],
  'This is not an exported task, or not a complete one: {0}.': [
    '這不是匯出的任務，或不完整：{0!}。',
    '这不是导出的任务，或不完整：{0!}。',
  ],
  'Export it again, with a version of vibe-engine that is not newer than this one. Nothing was changed.': [
    '請重新匯出，使用的 vibe-engine 版本不可比這一個新。什麼都沒有改變。',
    '请重新导出，使用的 vibe-engine 版本不可比这一个新。什么都没有改变。',
  ],
  'Task {0} exists here already, or did once.': [
    '這裡已經有或曾經有任務 {0}。',
    '这里已经有或曾经有任务 {0}。',
  ],
  'Nothing was changed. Use the one that is here, or import it into another project.': [
    '什麼都沒有改變。請使用這裡現有的，或匯入另一個專案。',
    '什么都没有改变。请使用这里现有的，或导入另一个项目。',
  ],
  'There is no file {0}.': ['沒有檔案 {0}。', '没有文件 {0}。'],
  'Name a file that "export" wrote.': ['請指定匯出所產生的檔案。', '请指定导出所产生的文件。'],
  'Did you mean "{0}"? Name a file that "export" wrote.': [
    '你是指「{0}」嗎？請指定匯出所產生的檔案。',
    '你是指“{0}”吗？请指定导出所产生的文件。',
  ],
  'its entries and records have more than {0} characters': [
    '它的日誌與紀錄超過 {0} 個字元',
    '它的日志与记录超过 {0} 个字符',
  ],
  'entry {0} is out of place': ['第 {0} 筆的位置不對', '第 {0} 条的位置不对'],
  'the record {0} is there twice': ['紀錄 {0} 出現兩次', '记录 {0} 出现两次'],
  'its journals have more than {0} entries': ['它的日誌超過 {0} 筆', '它的日志超过 {0} 条'],
  'its header does not name its task': ['它的開頭沒有說明是哪個任務', '它的开头没有说明是哪个任务'],
  '{0} shares data that is not in it': ['{0} 共用了其中沒有的內容', '{0} 共用了其中没有的内容'],
  'What was withheld from task {0} cannot be read.': [
    '無法讀取任務 {0} 保留了哪些內容。',
    '无法读取任务 {0} 保留了哪些内容。',
  ],
  'no task has a record {0}/{1}': ['沒有任務有紀錄 {0}/{1}', '没有任务有记录 {0}/{1}'],
  'The state of task {0} belongs to task {1}.': [
    '任務 {0} 的狀態其實是任務 {1} 的。',
    '任务 {0} 的状态其实是任务 {1} 的。',
  ],
  'Export it again. Nothing was changed.': ['請重新匯出。什麼都沒有改變。', '请重新导出。什么都没有改变。'],
  'the blob {0} belongs to no task': ['資料塊 {0} 不屬於任何任務', '数据块 {0} 不属于任何任务'],
  'the blob {0} does not match its hash': ['資料塊 {0} 與其名稱不符', '数据块 {0} 与其名称不符'],
  'its header does not name the task {0}': ['它的開頭沒有提到任務 {0}', '它的开头没有提到任务 {0}'],
  'The blob {0} does not match its name.': ['資料塊 {0} 的名稱與內容不符。', '数据块 {0} 的名称与内容不符。'],
  'Something other than the store put it there. Run vibe-engine doctor.': [
    '它是在儲存庫之外放入的。請執行 vibe-engine doctor。',
    '它是在存储库之外放入的。请运行 vibe-engine doctor。',
  ],
  'the category {0}': ['類別 {0}', '类 {0}'],
  'the record {0}/{1}': ['紀錄 {0}/{1}', '记录 {0}/{1}'],
  'the journal of task {0}': ['任務 {0} 的日誌', '任务 {0} 的日志'],
  'entry {0} of task {1}': ['任務 {1} 的第 {0} 筆', '任务 {1} 的第 {0} 条'],
  'the record tasks/{0}': ['紀錄 tasks/{0}', '记录 tasks/{0}'],
  'the record at {0}/{1}': ['{0}/{1} 的內容', '{0}/{1} 的内容'],
  'the blob {0}': ['資料塊 {0} 的內容', '数据块 {0} 的内容'],
  'The copy differs from what is stored: {0}.': [
    '副本與儲存的內容不同：{0!}。',
    '副本与存储的内容不同：{0!}。',
  ],
  'The original is unchanged. Run vibe-engine doctor, then try again.': [
    '儲存的內容維持原狀。請執行 vibe-engine doctor，再試一次。',
    '存储的内容保持原状。请运行 vibe-engine doctor，再试一次。',
  ],
  'The record {0}/{1} cannot be in an encrypted store.': [
    '紀錄 {0}/{1} 不能放在加密的儲存庫中。',
    '记录 {0}/{1} 不能放在加密的存储库中。',
  ],
  'Save it under another category than "{0}". Nothing was changed.': [
    '請儲存在「{0}」以外的類別。什麼都沒有改變。',
    '请存储在“{0}”以外的类。什么都没有改变。',
  ],
  'Tasks are running: {0}.': ['有任務正在執行：{0}。', '有任务正在运行：{0}。'],
  'Pause them, or wait until they are done; then try again. Nothing was changed.': [
    '請暫停它們，或等它們完成，再試一次。什麼都沒有改變。',
    '请暂停它们，或等它们完成，再试一次。什么都没有改变。',
  ],
  'The keys of this store are being changed, or it is being moved, by {0}.': [
    '{0} 正在更換這個儲存庫的金鑰，或正在搬移它。',
    '{0} 正在更换这个存储库的密钥，或正在搬移它。',
  ],
  'Wait until that is done. Nothing was changed.': [
    '請等它完成。什麼都沒有改變。',
    '请等它完成。什么都没有改变。',
  ],
  'A second store of the type {0} cannot be made from here.': [
    '無法在這裡建立第二個 {0} 類型的儲存庫。',
    '无法在这里建立第二个 {0} 类型的存储库。',
  ],
  'Open two of them and use copyStorage() of the library: docs/guides/encrypt.md. Nothing was changed.': [
    '請開啟兩個儲存庫，使用程式庫的 copyStorage()：docs/guides/encrypt.md。什麼都沒有改變。',
    '请打开两个存储库，使用程序库的 copyStorage()：docs/guides/encrypt.md。什么都没有改变。',
  ],
  'Task {0} says that it was forked from itself.': ['任務 {0} 聲稱由自己分支。', '任务 {0} 声称由自己分支。'],
};
