import type { Said } from './said.ts';

export const storagePostgres: Said = {
  'Install it: npm install pg': ['請安裝它：npm install pg', '请安装它：npm install pg'],
  'A blob of {0} bytes is too large for PostgreSQL.': [
    '{0} 個位元組的資料塊對 PostgreSQL 太大。',
    '{0} 个字节的数据块对 PostgreSQL 太大。',
  ],
  'Split it into parts of at most {0} bytes.': [
    '請分割成最多 {0} 個位元組的部分。',
    '请分割成最多 {0} 个字节的部分。',
  ],
  'It was damaged, or changed by something other than the store. Restore the row from a backup.': [
    '它在儲存庫之外被更改或已損壞。請由備份還原該列。',
    '它在存储库之外被更改或已损坏。请由备份还原该列。',
  ],
  'A commit of {0} characters is too large for PostgreSQL.': [
    '{0} 個字元的寫入對 PostgreSQL 太大。',
    '{0} 个字符的写入对 PostgreSQL 太大。',
  ],
  'Put large values into blobs, or make several commits of it.': [
    '請將大的值放入資料塊，或分成多次寫入。',
    '请将大的值放入数据块，或分成多次写入。',
  ],
  'timeout: no answer in time': ['逾時：沒有及時回應', '超时：没有及时回应'],
  'The PostgreSQL back end needs the package "pg".': [
    'PostgreSQL 儲存後端需要套件「pg」。',
    'PostgreSQL 存储后端需要包“pg”。',
  ],
  'The PostgreSQL server at {0} has no room left on its disk.': [
    '位於 {0} 的 PostgreSQL 伺服器磁碟已滿。',
    '位于 {0} 的 PostgreSQL 服务器磁盘已满。',
  ],
  'Free some space on the server and try again: nothing of this write was kept, all earlier ones are.': [
    '請在伺服器上釋出空間後再試：這次寫入沒有保留，先前的都在。',
    '请在服务器上释出空间后再试：这次写入没有保留，先前的都在。',
  ],
  'The PostgreSQL server at {0} refused: {1}.': [
    '位於 {0} 的 PostgreSQL 伺服器不允許這樣做：{1}。',
    '位于 {0} 的 PostgreSQL 服务器不允许这样做：{1}。',
  ],
  'Grant the role CREATE on the database, or create the schema in advance and give it to the role.': [
    '請授予該角色對資料庫的 CREATE 權限，或事先建立 schema 並交給該角色。',
    '请授予该角色对数据库的 CREATE 权限，或事先创建 schema 并交给该角色。',
  ],
  'The PostgreSQL server at {0} failed: {1} ({2}).': [
    '位於 {0} 的 PostgreSQL 伺服器失敗：{1}（{2}）。',
    '位于 {0} 的 PostgreSQL 服务器失败：{1}（{2}）。',
  ],
  'The log of the server says more.': ['伺服器的日誌有更多資訊。', '服务器的日志有更多资讯。'],
  'no answer': ['沒有回應', '没有回应'],
  'The PostgreSQL server at {0} cannot be used: {1}.': [
    '位於 {0} 的 PostgreSQL 伺服器無法使用：{1!}。',
    '位于 {0} 的 PostgreSQL 服务器无法使用：{1!}。',
  ],
  'Whether the last write was kept is not known.': [
    '不知道最後一次寫入是否已保留。',
    '不知道最后一次写入是否已保留。',
  ],
  'Check that the server runs, that host and port are right, and the network.': [
    '請檢查伺服器是否執行中、主機與連接埠是否正確，以及網路。',
    '请检查服务器是否运行中、主机与端口是否正确，以及网络。',
  ],
  'Create the database (createdb), or correct its name in the URL.': [
    '請建立資料庫（createdb），或更正 URL 中的名稱。',
    '请创建数据库（createdb），或更正 URL 中的名称。',
  ],
  'Correct the user or password in the URL.': [
    '請更正 URL 中的使用者或密碼。',
    '请更正 URL 中的用户或密码。',
  ],
  'Correct the user in the URL, or allow it in pg_hba.conf.': [
    '請更正 URL 中的使用者，或在 pg_hba.conf 中允許它。',
    '请更正 URL 中的用户，或在 pg_hba.conf 中允许它。',
  ],
  'Lower the setting persistence.pool_size, or raise max_connections of the server.': [
    '請調低設定 persistence.pool_size，或調高伺服器的 max_connections。',
    '请调低设置 persistence.pool_size，或调高服务器的 max_connections。',
  ],
  'This server is read-only (a standby?). Use the primary.': [
    '這個伺服器只能讀取（是備援嗎？）。請使用主要伺服器。',
    '这个服务器只能读取（是备援吗？）。请使用主要服务器。',
  ],
  'The store at {0} is closed.': ['位於 {0} 的儲存庫已關閉。', '位于 {0} 的存储库已关闭。'],
  'Open it again; a closed store takes no calls.': [
    '請重新開啟它；已關閉的儲存庫無法使用。',
    '请重新开启它；已关闭的存储库无法使用。',
  ],
  'Entry {0} is missing': ['第 {0} 筆遺失', '第 {0} 条丢失'],
  'The gap that ends at {0} does not match its seal': [
    '到 {0} 為止的空缺與其封印不符',
    '到 {0} 为止的空缺与其封印不符',
  ],
  'What comes before entry {0} is missing': ['第 {0} 筆之前的內容遺失', '第 {0} 条之前的内容丢失'],
  'Entry {0} does not continue the chain': ['第 {0} 筆與前面的鏈不相接', '第 {0} 条与前面的链不相接'],
  '{0} in the journal of task {1}.': ['任務 {1} 的日誌有問題：{0!}。', '任务 {1} 的日志有问题：{0!}。'],
  'What comes before it still loads. Resuming the task sets the damaged part aside and continues from there; so does vibe-engine doctor --repair.':
    [
      '在它之前的內容仍可載入。繼續任務時會將損壞的部分另存，並由此接續；vibe-engine doctor --repair 也會這樣做。',
      '在它之前的内容仍可载入。继续任务时会将损坏的部分另存，并由此接续；vibe-engine doctor --repair 也会这样做。',
    ],
  'The journal of task {0} ends at {1}, its head says {2}.': [
    '任務 {0} 的日誌到 {1} 為止，而它的標頭記為 {2}。',
    '任务 {0} 的日志到 {1} 为止，而它的标头记为 {2}。',
  ],
  'Entries were lost, or changed by something other than the store. Resuming the task continues from the last good entry.':
    [
      '有內容在儲存庫之外遺失或被更改。繼續任務時會由最後完好的一筆接續。',
      '有内容在存储库之外丢失或被更改。继续任务时会由最后完好的一条接续。',
    ],
  'a whole number from 1': ['不小於 1 的整數', '不小于 1 的整数'],
  'a number above 0': ['大於 0 的數字', '大于 0 的数字'],
  'a number from 0': ['不小於 0 的數字', '不小于 0 的数字'],
  'The PostgreSQL setting "{0}" is not {1}.': [
    'PostgreSQL 設定「{0}」不是{1!}。',
    'PostgreSQL 设置“{0}”不是{1!}。',
  ],
  'Set it to {0}.': ['請設為{0!}。', '请设为{0!}。'],
  'The record {0}/{1} does not match its checksum.': [
    '紀錄 {0}/{1} 與其校驗和不符。',
    '记录 {0}/{1} 与其校验和不符。',
  ],
  'It was damaged, or changed by something other than the store. Save it again, or restore the row from a backup.':
    [
      '它在儲存庫之外被更改或已損壞。請重新儲存，或由備份還原該列。',
      '它在存储库之外被更改或已损坏。请重新存储，或由备份还原该列。',
    ],
  'The journal of task {0} ends at {1}, not at {2}.': [
    '任務 {0} 的日誌到 {1} 為止，而不是 {2}。',
    '任务 {0} 的日志到 {1} 为止，而不是 {2}。',
  ],
  'The record {0}/{1} has revision {2}, not {3}.': [
    '紀錄 {0}/{1} 的版次是 {2}，而不是 {3}。',
    '记录 {0}/{1} 的版次是 {2}，而不是 {3}。',
  ],
  'Task {0} is owned by {1}.': ['任務 {0} 由 {1} 擁有。', '任务 {0} 由 {1} 拥有。'],
  'Wait until that process is done, or, if it died, until its lease ends.': [
    '請等該行程完成；若它已終止，請等租約到期。',
    '请等该进程完成；若它已终止，请等租约到期。',
  ],
  'Task {0} is no longer owned by this process (claim {1}).': [
    '這個行程不再擁有任務 {0}（第 {1} 號）。',
    '这个进程不再拥有任务 {0}（第 {1} 号）。',
  ],
  'The lease ended, or another process took over. Nothing was written: resume the task again.': [
    '租約已到期，或由另一個行程接手。什麼都沒有寫入：請再次繼續任務。',
    '租约已到期，或由另一个进程接手。什么都没有写入：请再次继续任务。',
  ],
  'The PostgreSQL database at {0} is too old or not in UTF-8.': [
    '位於 {0} 的 PostgreSQL 資料庫太舊，或不是 UTF-8。',
    '位于 {0} 的 PostgreSQL 数据库太旧，或不是 UTF-8。',
  ],
  'Use PostgreSQL 13 or newer, and a database with the encoding UTF8.': [
    '請使用 PostgreSQL 13 或更新版本，以及編碼為 UTF8 的資料庫。',
    '请使用 PostgreSQL 13 或更新版本，以及编码为 UTF8 的数据库。',
  ],
  'The PostgreSQL server at {0} runs with {1} = off.': [
    '位於 {0} 的 PostgreSQL 伺服器以 {1} = off 執行。',
    '位于 {0} 的 PostgreSQL 服务器以 {1} = off 运行。',
  ],
  'It would lose acknowledged writes in a crash. Set {0} = on, or the setting persistence.allow_unsafe_server to take the risk.':
    [
      '當機時會遺失已確認的寫入。請設定 {0} = on，或以設定 persistence.allow_unsafe_server 承擔風險。',
      '崩溃时会丢失已确认的写入。请设置 {0} = on，或以设置 persistence.allow_unsafe_server 承担风险。',
    ],
  'The schema "{0}" at {1} holds tables of another program.': [
    '位於 {1} 的 schema「{0}」含有其他程式的資料表。',
    '位于 {1} 的 schema“{0}”含有其他程序的数据表。',
  ],
  'Name another schema in the settings (persistence.schema); nothing in this one was changed.': [
    '請在設定中指定另一個 schema（persistence.schema）；這一個沒有任何改變。',
    '请在设置中指定另一个 schema（persistence.schema）；这一个没有任何改变。',
  ],
  'The store in schema "{0}" at {1} has version {2}; this program knows {3}.': [
    '位於 {1} 的 schema「{0}」中的儲存庫是版本 {2}；這個程式只認得 {3}。',
    '位于 {1} 的 schema“{0}”中的存储库是版本 {2}；这个程序只认得 {3}。',
  ],
  'Update vibe-engine; the store was not changed.': [
    '請更新 vibe-engine；儲存庫沒有改變。',
    '请更新 vibe-engine；存储库没有改变。',
  ],
  'is listed, but has no content': ['列在清單中，但沒有內容', '列在清单中，但没有内容'],
  'has content, but is not listed': ['有內容，但不在清單中', '有内容，但不在清单中'],
  'Task {0} {1}.': ['任務 {0} {1!}。', '任务 {0} {1!}。'],
};
