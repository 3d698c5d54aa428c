import type { Said } from './said.ts';

export const storageJson: Said = {
  'The blob {0} is not what was stored.': [
    '資料塊 {0} 不是當初儲存的內容。',
    '数据块 {0} 不是当初存储的内容。',
  ],
  'it is not a number': ['它不是數字', '它不是数字'],
  'The store in {0} is closed.': ['{0} 的儲存庫已關閉。', '{0} 的存储库已关闭。'],
  'Open it again, or close it later.': ['請重新開啟它，或晚一點再關閉。', '请重新开启它，或晚一点再关闭。'],
  'The store in {0} no longer writes: syncing to the disk failed.': [
    '{0} 的儲存庫不再寫入：同步到磁碟失敗。',
    '{0} 的存储库不再写入：同步到磁盘失败。',
  ],
  'Check the disk, then close the store and open it again: opening reads what the disk really has.': [
    '請檢查磁碟，再關閉並重新開啟儲存庫：開啟時會讀回實際存在的內容。',
    '请检查磁盘，再关闭并重新开启存储库：开启时会读回实际存在的内容。',
  ],
  'The key part {0} would make a file name that is too long.': [
    '鍵的部分 {0} 會造成過長的檔名。',
    '键的部分 {0} 会造成过长的文件名。',
  ],
  'a file name of at most {0} bytes': ['最多 {0} 個位元組的檔名', '最多 {0} 个字节的文件名'],
  'Use a shorter key, or fewer capitals: this disk ignores the case of names.': [
    '請使用較短的鍵，或少用大寫字母：這個磁碟不區分大小寫。',
    '请使用较短的键，或少用大写字母：这个磁盘不区分大小写。',
  ],
  'a record there is not what was written': ['那裡的紀錄不是當初寫入的內容', '那里的记录不是当初写入的内容'],
  '{0} is damaged at byte {1}: {2}.': [
    '{0} 在第 {1} 個位元組處損壞：{2!}。',
    '{0} 在第 {1} 个字节处损坏：{2!}。',
  ],
  'What lies before the damage still loads. Resuming the task keeps a copy of the file and continues from there; so does vibe-engine doctor --repair.':
    [
      '損壞之前的內容仍可載入。繼續任務時會保留該檔案的副本，並由此接續；vibe-engine doctor --repair 也會這樣做。',
      '损坏之前的内容仍可载入。继续任务时会保留该文件的副本，并由此接续；vibe-engine doctor --repair 也会这样做。',
    ],
  'it ends there, but a record next to it is newer': [
    '它到此為止，但旁邊有一筆記錄更新',
    '它到此为止，但旁边有一条记录更新',
  ],
  'it is missing, but its index exists': ['它不見了，但它的索引還在', '它不见了，但它的索引还在'],
  'Task {0} is no longer owned by this process.': [
    '這個行程不再擁有任務 {0}。',
    '这个进程不再拥有任务 {0}。',
  ],
  'Nothing was written: resume the task again.': [
    '什麼都沒有寫入：請再次繼續任務。',
    '什么都没有写入：请再次继续任务。',
  ],
  'it is not a record of this store': ['它不是這個儲存庫所寫的紀錄', '它不是这个存储库所写的记录'],
  'neither the file nor the log has an intact copy of the record': [
    '檔案與日誌中都沒有完整的紀錄',
    '文件与日志中都没有完整的记录',
  ],
  '{0} is a file.': ['{0} 是檔案。', '{0} 是文件。'],
  'Name a directory for the store.': ['請為儲存庫指定一個目錄。', '请为存储库指定一个目录。'],
  '{0} has tasks but no store.json.': ['{0} 有任務，卻沒有 store.json。', '{0} 有任务，却没有 store.json。'],
  'Everything else may be intact. To create it again: vibe-engine doctor --repair. To use another directory, set persistence.base_dir.':
    [
      '其餘部分可能完好。重新建立：vibe-engine doctor --repair。要改用其他目錄，請設定 persistence.base_dir。',
      '其余部分可能完好。重新创建：vibe-engine doctor --repair。要改用其他目录，请设置 persistence.base_dir。',
    ],
  '{0} is not the description of a vibe-engine store.': [
    '{0} 不是 vibe-engine 儲存庫的描述。',
    '{0} 不是 vibe-engine 存储库的描述。',
  ],
  'Restore the file from a backup, or use another directory.': [
    '請由備份放回正確的檔案，或使用另一個目錄。',
    '请由备份放回正确的文件，或使用另一个目录。',
  ],
  '{0} is on a network file system ({1}), where locks and syncs may not hold.': [
    '{0} 位於網路檔案系統（{1}），鎖與同步可能不可靠。',
    '{0} 位于网络文件系统（{1}），锁与同步可能不可靠。',
  ],
  'Use a local directory (the setting persistence.path), or PostgreSQL for several machines.': [
    '請使用本機目錄（設定 persistence.path）；多台機器請用 PostgreSQL。',
    '请使用本机目录（设置 persistence.path）；多台机器请用 PostgreSQL。',
  ],
  'it holds a record of another task': ['其中有另一個任務的紀錄', '其中有另一个任务的记录'],
  'Another process wrote first. Nothing was written: try again.': [
    '另一個行程已先寫入。什麼都沒有寫入：請再試一次。',
    '另一个进程已先写入。什么都没有写入：请再试一次。',
  ],
  'it does not start like a log of this store': [
    '它的開頭不像這個儲存庫的日誌',
    '它的开头不像这个存储库的日志',
  ],
  'its index names a record of another task': [
    '它的索引指向另一個任務的紀錄',
    '它的索引指向另一个任务的记录',
  ],
  'it ends there, but its index has seen more of it': [
    '它到此為止，但它的索引曾看過更多',
    '它到此为止，但它的索引曾看过更多',
  ],
  '{0} was written by a newer vibe-engine (format {1}).': [
    '{0} 由較新的 vibe-engine 寫成（格式 {1}）。',
    '{0} 由较新的 vibe-engine 写成（格式 {1}）。',
  ],
  'Use at least that version of vibe-engine with this store; nothing was changed.': [
    '請以至少該版本的 vibe-engine 使用這個儲存庫；什麼都沒有改變。',
    '请以至少该版本的 vibe-engine 使用这个存储库；什么都没有改变。',
  ],
  'The readable file of a record was changed or is damaged; the journal has the record.': [
    '某筆紀錄的可讀檔案被更動或已損壞；日誌中仍有該紀錄。',
    '某条记录的可读文件被更改或已损坏；日志中仍有该记录。',
  ],
  'The index of the views is damaged; it is rebuilt at the next write.': [
    '檢視的索引已損壞；下次寫入時會重建。',
    '检视的索引已损坏；下次写入时会重建。',
  ],
  'entry {0} does not follow the one before it': ['第 {0} 筆與前一筆不相接', '第 {0} 条与前一条不相接'],
  'A record of a log is not JSON, or nested too deeply.': [
    '日誌中的一筆紀錄不是 JSON，或巢狀過深。',
    '日志中的一条记录不是 JSON，或嵌套过深。',
  ],
  'Another program wrote it. Restore the store from a backup. Nothing was changed.': [
    '它由別人寫成。請由備份還原儲存庫。什麼都沒有改變。',
    '它由别人写成。请由备份还原存储库。什么都没有改变。',
  ],
  'Another process has taken the task over. Look at it again before you do anything else with it.': [
    '另一個行程已接手這個任務。在做任何事之前，請再看一次它的狀況。',
    '另一个进程已接手这个任务。在做任何事之前，请再看一次它的状况。',
  ],
  '{0} was removed while the store was open.': ['儲存庫開著時，{0} 被移除。', '存储库开著时，{0} 被移除。'],
  'Nothing more is written. Restore it from a copy if there is one, then start again.': [
    '不再寫入任何內容。若有副本請放回，再重新開始。',
    '不再写入任何内容。若有副本请放回，再重新开始。',
  ],
};
