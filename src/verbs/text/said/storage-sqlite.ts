import type { Said } from './said.ts';

export const storageSqlite: Said = {
  'Put the same bytes again to repair it; what refers to it cannot be loaded until then.': [
    '請再次放入相同的內容以修復；在此之前，參照它的內容都無法載入。',
    '请再次放入相同的内容以修复；在此之前，引用它的内容都无法载入。',
  ],
  'Task {0} was claimed under number {1}, which is not above {2}.': [
    '任務 {0} 以編號 {1} 取得，而它不大於 {2}。',
    '任务 {0} 以编号 {1} 取得，而它不大于 {2}。',
  ],
  'The lock directory does not belong to this store: all processes have to use the same one.': [
    '鎖的目錄不屬於這個儲存庫：所有行程都必須使用同一個。',
    '锁的目录不属于这个存储库：所有进程都必须使用同一个。',
  ],
  'Wait until that process is done.': ['請等該行程完成。', '请等该进程完成。'],
  'Task {0} is no longer owned by this process: claim {1} was followed by {2}.': [
    '這個行程不再擁有任務 {0}：第 {1} 號之後已有第 {2} 號。',
    '这个进程不再拥有任务 {0}：第 {1} 号之后已有第 {2} 号。',
  ],
  'Another process took over. Nothing was written: resume the task again.': [
    '另一個行程已接手。什麼都沒有寫入：請再次繼續任務。',
    '另一个进程已接手。什么都没有写入：请再次继续任务。',
  ],
  'not a SQLite database': ['不是 SQLite 資料庫的檔案', '不是 SQLite 数据库的文件'],
  "another program's database": ['其他程式的資料庫', '其他程序的数据库'],
  'The file system of {0} cannot hold a write-ahead log.': [
    '{0} 所在的檔案系統無法使用預寫日誌。',
    '{0} 所在的文件系统无法使用预写日志。',
  ],
  'Network file systems cannot. Put the store on a local disk, or use PostgreSQL to share it.': [
    '網路檔案系統無法如此。請將儲存庫放在本機磁碟，或使用 PostgreSQL 來共用。',
    '网络文件系统无法如此。请将存储库放在本机磁盘，或使用 PostgreSQL 来共用。',
  ],
  'Use a local path (the setting persistence.path), or PostgreSQL for several machines.': [
    '請使用本機路徑（設定 persistence.path）；多台機器請用 PostgreSQL。',
    '请使用本机路径（设置 persistence.path）；多台机器请用 PostgreSQL。',
  ],
  '{0} is {1}, not a store of Vibe Engine.': [
    '{0} 是{1!}，不是 Vibe Engine 的儲存庫。',
    '{0} 是{1!}，不是 Vibe Engine 的存储库。',
  ],
  'It was left as it is. Move it away or set another path for the store.': [
    '它維持原狀。請將它移開，或為儲存庫設定另一個路徑。',
    '它保持原状。请将它移开，或为存储库设置另一个路径。',
  ],
  '{0} has version {1}; this program knows {2}.': [
    '{0} 是版本 {1}；這個程式只認得 {2}。',
    '{0} 是版本 {1}；这个程序只认得 {2}。',
  ],
  'It was written by a newer Vibe Engine: update this one. Nothing was changed.': [
    '它由較新的 Vibe Engine 寫成：請更新這一個。什麼都沒有改變。',
    '它由较新的 Vibe Engine 写成：请更新这一个。什么都没有改变。',
  ],
  'the records outside tasks': ['任務之外的紀錄', '任务之外的记录'],
  'task {0}': ['任務 {0}', '任务 {0}'],
  'The head of {0} does not match its checksum.': [
    '{0!}的標頭與其校驗和不符。',
    '{0!}的标头与其校验和不符。',
  ],
  'vibe-engine doctor --repair rebuilds it from what is stored.': [
    'vibe-engine doctor --repair 會由儲存的內容重建它。',
    'vibe-engine doctor --repair 会由存储的内容重建它。',
  ],
  'The record of a cut does not match its checksum': [
    '移除範圍的紀錄與其校驗和不符',
    '移除范围的记录与其校验和不符',
  ],
  'damaged rows {0}-{1}': ['damaged 的第 {0} 到 {1} 列', 'damaged 的第 {0} 到 {1} 行'],
  'journal entry {0}': ['日誌第 {0} 筆', '日志第 {0} 条'],
  'The entry is missing': ['該筆遺失', '该条丢失'],
  'The entry does not follow from the one before it': ['該筆與前一筆不相接', '该条与前一条不相接'],
  'The entry is not the one its head names': ['該筆不是標頭所指的那一筆', '该条不是标头所指的那一条'],
  '{0}: task {1}, entry {2}.': ['{0!}：任務 {1}，第 {2} 筆。', '{0!}：任务 {1}，第 {2} 条。'],
  '{0} is empty, but there was a store in it.': [
    '{0} 是空的，但裡面曾有儲存庫。',
    '{0} 是空的，但里面曾有存储库。',
  ],
  'Restore it from a backup. To begin a new store, remove the file.': [
    '請從備份還原它。若要建立新的儲存庫，請移除該檔案。',
    '请从备份还原它。若要建立新的存储库，请移除该文件。',
  ],
  'was not closed and is damaged: {0}': ['沒有正常關閉且已損壞：{0}', '没有正常关闭且已损坏：{0}'],
  'limit is not a whole number of at least 1.': [
    'limit 不是不小於 1 的整數。',
    'limit 不是不小于 1 的整数。',
  ],
  'Leave it out for 100.': ['省略即為 100。', '省略即为 100。'],
  'Save it again from a good copy, or delete it; other records are not affected.': [
    '請由完好的副本重新儲存，或刪除它；其他紀錄各自檢查。',
    '请由完好的副本重新存储，或删除它；其他记录各自检查。',
  ],
  'The head of task {0} does not match its checksum.': [
    '任務 {0} 的標頭與其校驗和不符。',
    '任务 {0} 的标头与其校验和不符。',
  ],
  'The journal of task {0} is intact only up to entry {1}.': [
    '任務 {0} 的日誌只完整到第 {1} 筆。',
    '任务 {0} 的日志只完整到第 {1} 条。',
  ],
  'The head of the records outside tasks did not match its checksum.': [
    '任務之外的紀錄的標頭與其校驗和不符。',
    '任务之外的记录的标头与其校验和不符。',
  ],
  'nothing: it was rebuilt from the records': ['沒有：已由紀錄重建', '没有：已由记录重建'],
  'The mark of what is indexed does not match its checksum.': [
    '索引進度的標記與其校驗和不符。',
    '索引进度的标记与其校验和不符。',
  ],
  'vibe-engine doctor --repair rebuilds the index.': [
    'vibe-engine doctor --repair 會重建索引。',
    'vibe-engine doctor --repair 会重建索引。',
  ],
  'The log is being read.': ['日誌正在讀取中。', '日志正在读取中。'],
  'The database is inconsistent: {0}.': ['資料庫內部不一致：{0}。', '数据库内部不一致：{0}。'],
  'The rows of {0} are not in order.': ['{0} 的列順序不對。', '{0} 的列顺序不对。'],
  'A cut in task {0} does not match its checksum.': [
    '任務 {0} 的一個移除範圍與其校驗和不符。',
    '任务 {0} 的一个移除范围与其校验和不符。',
  ],
  'The journal of task {0} has {1} entries, but is intact only up to entry {2}.': [
    '任務 {0} 的日誌有 {1} 筆，但只完整到第 {2} 筆。',
    '任务 {0} 的日志有 {1} 条，但只完整到第 {2} 条。',
  ],
  'A journal entry belongs to no journal.': ['有一筆日誌不屬於任何日誌。', '有一条日志不属于任何日志。'],
};
