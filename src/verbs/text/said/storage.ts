import type { Said } from './said.ts';

export const storage: Said = {
  'Not a checkpoint: its id is {0}.': [
    '這不是檢查點：它的識別碼是 {0}。',
    '这不是检查点：它的标识符是 {0}。',
  ],
  'The id is "ckpt-{task_id}-{sequence_number}", of the same task_id as the record; created_at is ISO 8601.':
    [
      '識別碼的形式是「ckpt-{task_id}-{sequence_number}」，task_id 須與紀錄相同；created_at 採 ISO 8601。',
      '标识符的形式是“ckpt-{task_id}-{sequence_number}”，task_id 须与记录相同；created_at 采 ISO 8601。',
    ],
  'This store is encrypted, and encryption is not turned on.': [
    '這個儲存庫已加密，但沒有開啟加密。',
    '这个存储库已加密，但没有开启加密。',
  ],
  'Set "encryption.enabled", and say where the key is; vibe-engine keys decrypt then decrypts the store. Nothing was changed.':
    [
      '請設定「encryption.enabled」並說明金鑰在哪裡；之後 vibe-engine keys decrypt 可以解除加密。什麼都沒有改變。',
      '请设置“encryption.enabled”并说明密钥在哪里；之后 vibe-engine keys decrypt 可以解除加密。什么都没有改变。',
    ],
  'Encryption needs the setting "encryption.{0}".': [
    '加密需要設定「encryption.{0}」。',
    '加密需要设置“encryption.{0}”。',
  ],
  'Set it, or take the key from elsewhere: "encryption.key_from".': [
    '請設定它，或以「encryption.key_from」改由他處取得金鑰。',
    '请设置它，或以“encryption.key_from”改由他处取得密钥。',
  ],
  'A back end cannot be registered as {0}.': ['不能以 {0} 註冊儲存後端。', '不能以 {0} 注册存储后端。'],
  'Use lower-case letters, digits, "-" and "_", and none of the built-in names.': [
    '請使用小寫字母、數字、「-」與「_」，且不可與內建名稱相同。',
    '请使用小写字母、数字、“-”与“_”，且不可与内建名称相同。',
  ],
  'The storage type "postgres" needs the setting "persistence.url".': [
    '儲存類型「postgres」需要設定「persistence.url」。',
    '存储类型“postgres”需要设置“persistence.url”。',
  ],
  'the URL of a PostgreSQL server': ['PostgreSQL 伺服器的 URL', 'PostgreSQL 服务器的 URL'],
  'Set it in config.json, or set the variable VIBE_ENGINE_PERSISTENCE_URL or DATABASE_URL, as in postgres://user:password@host:5432/database.':
    [
      '請在 config.json 中設定，或設定環境變數 VIBE_ENGINE_PERSISTENCE_URL 或 DATABASE_URL，例如 postgres://user:password@host:5432/database。',
      '请在 config.json 中设置，或设置环境变量 VIBE_ENGINE_PERSISTENCE_URL 或 DATABASE_URL，例如 postgres://user:password@host:5432/database。',
    ],
  'There is no storage type {0}; known are {1}.': [
    '沒有儲存類型 {0}；現有的是 {1}。',
    '没有存储类型 {0}；现有的是 {1}。',
  ],
  'Did you mean "{0}"? A back end of your own has to be registered first: docs/reference/storage.md.': [
    '你是指「{0}」嗎？自訂的儲存後端須先註冊：docs/reference/storage.md。',
    '你是指“{0}”吗？自订的存储后端须先注册：docs/reference/storage.md。',
  ],
  'A back end of your own has to be registered first: docs/reference/storage.md.': [
    '自訂的儲存後端須先註冊：docs/reference/storage.md。',
    '自订的存储后端须先注册：docs/reference/storage.md。',
  ],
  'lower-case letters, digits, "-" and "_", at most 64, beginning with a letter': [
    '小寫字母、數字、「-」與「_」，最多 64 個，以字母開頭',
    '小写字母、数字、“-”与“_”，最多 64 个，以字母开头',
  ],
  'task id': ['任務識別碼', '任务标识符'],
  'The key {0} does not begin with a task.': ['鍵 {0} 開頭不是任務。', '键 {0} 开头不是任务。'],
  'In the category "tasks", a key is a task\'s id, "/" and a name, such as "t1/state".': [
    '在類別「tasks」中，鍵是任務識別碼、「/」與名稱，例如「t1/state」。',
    '在类别“tasks”中，键是任务标识符、“/”与名称，例如“t1/state”。',
  ],
  'letters, digits, "-" and "_", at most 100, beginning with a letter or digit': [
    '字母、數字、「-」與「_」，最多 100 個，以字母或數字開頭',
    '字母、数字、“-”与“_”，最多 100 个，以字母或数字开头',
  ],
  'blob kind': ['資料塊種類', '数据块种类'],
  'lower-case letters, digits and "_", at most 32, beginning with a letter': [
    '小寫字母、數字與「_」，最多 32 個，以字母開頭',
    '小写字母、数字与“_”，最多 32 个，以字母开头',
  ],
  'an array of { kind, bytes }': ['由 { kind, bytes } 組成的陣列', '由 { kind, bytes } 组成的数组'],
  'an object { kind, bytes }': ['一個 { kind, bytes } 物件', '一个 { kind, bytes } 对象'],
  'a Uint8Array, such as a Buffer': ['Uint8Array，例如 Buffer', 'Uint8Array，例如 Buffer'],
  '{0} is not {1}.': ['{0} 不是{1!}。', '{0} 不是{1!}。'],
  'Give {0}; text as new TextEncoder().encode(text).': [
    '請提供{0!}；文字請用 new TextEncoder().encode(text)。',
    '请提供{0!}；文本请用 new TextEncoder().encode(text)。',
  ],
  'blob id': ['資料塊識別碼', '数据块标识符'],
  'text that is not empty': ['非空的文字', '非空的文本'],
  'well-formed Unicode (no lone surrogates)': [
    '格式正確的 Unicode（沒有單獨的代理碼）',
    '格式正确的 Unicode（没有单独的代理码）',
  ],
  'Unicode in NFC form (key.normalize("NFC"))': [
    'NFC 形式的 Unicode（key.normalize("NFC")）',
    'NFC 形式的 Unicode（key.normalize("NFC")）',
  ],
  'text without control characters or backslashes': [
    '沒有控制字元或反斜線的文字',
    '没有控制字符或反斜线的文本',
  ],
  'at most {0} bytes in UTF-8': ['UTF-8 最多 {0} 個位元組', 'UTF-8 最多 {0} 个字节'],
  'no empty part: no "/" at the start, the end or twice in a row': [
    '沒有空的部分：開頭、結尾沒有「/」，也沒有連續的「/」',
    '没有空的部分：开头、结尾没有“/”，也没有连续的“/”',
  ],
  'no "." or ".." between slashes': ['斜線之間沒有「.」或「..」', '斜线之间没有“.”或“..”'],
  'parts between slashes of at most {0} bytes in UTF-8': [
    '斜線之間的部分在 UTF-8 最多 {0} 個位元組',
    '斜线之间的部分在 UTF-8 最多 {0} 个字节',
  ],
  'Not a {0}: {1}.': ['這不是{0!}：{1}。', '这不是{0!}：{1}。'],
  'Use {0}.': ['請使用{0!}。', '请使用{0!}。'],
  'is being moved to {0}': ['正搬到 {0}', '正搬到 {0}'],
  'was moved from {0}, which has not been emptied yet': [
    '已由 {0} 搬來，而該處尚未清空',
    '已由 {0} 搬来，而该处尚未清空',
  ],
  'by {0}': ['由 {0} 進行', '由 {0} 进行'],
  'interrupted: finish it with vibe-engine keys {0}': [
    '已中斷：以 vibe-engine keys {0} 完成',
    '已中断：以 vibe-engine keys {0} 完成',
  ],
  'What is stored here {0} ({1}).': ['這裡儲存的內容{0!}（{1!}）。', '这里存储的内容{0!}（{1!}）。'],
  'The record {0}/{1} is not what the keys commands write.': [
    '紀錄 {0}/{1} 不是 keys 指令所寫的內容。',
    '记录 {0}/{1} 不是 keys 命令所写的内容。',
  ],
  'Restore it from a backup, or delete it if nothing of this store was ever moved.': [
    '請由備份還原；若這個儲存庫從未搬移，則可刪除它。',
    '请由备份还原；若这个存储库从未搬移，则可删除它。',
  ],
  'Everything stored here was moved to {0}.': [
    '這裡儲存的內容都已搬到 {0}。',
    '这里存储的内容都已搬到 {0}。',
  ],
  'Read the settings again: restart every process that has this store open, and set no other path in environment variables. Nothing was written.':
    [
      '請重新讀取設定：重新啟動所有開著這個儲存庫的程式，且不要在環境變數中設定其他位置。什麼都沒有寫入。',
      '请重新读取设置：重新启动所有开著这个存储库的程序，且不要在环境变量中设置其他位置。什么都没有写入。',
    ],
  'If nobody asked for that, do not: it would leave everything unencrypted.': [
    '若沒有人要求這樣做，請不要做：這會讓所有內容不再加密。',
    '若没有人要求这样做，请不要做：这会让所有内容不再加密。',
  ],
  'Wait until that is done. If it was interrupted, finish it: vibe-engine keys {0}.': [
    '請等它完成。若已中斷，請完成它：vibe-engine keys {0}。',
    '请等它完成。若已中断，请完成它：vibe-engine keys {0}。',
  ],
  'Nothing was written.': ['什麼都沒有寫入。', '什么都没有写入。'],
  'What is stored here is being moved to {0}.': ['這裡儲存的內容正搬到 {0}。', '这里存储的内容正搬到 {0}。'],
  'task is neither a task id nor null.': [
    'task 既不是任務識別碼，也不是 null。',
    'task 既不是任务标识符，也不是 null。',
  ],
  'Name the task, or give null for records outside tasks.': [
    '請指明任務；任務之外的紀錄請給 null。',
    '请指明任务；任务之外的记录请给 null。',
  ],
  'fence is not a fence.': ['fence 不是有效的編號。', 'fence 不是有效的编号。'],
  'Give the fence of the claim, or leave it out when there is none.': [
    '請給擁有任務時得到的編號；沒有時請省略。',
    '请给拥有任务时得到的编号；没有时请省略。',
  ],
  'append, cut and fence need a task.': [
    'append、cut 與 fence 都需要指明任務。',
    'append、cut 与 fence 都需要指明任务。',
  ],
  'Name the task the commit concerns.': ['請指明這次寫入所屬的任務。', '请指明这次写入所属的任务。'],
  'cut needs 1 <= from <= to.': ['cut 需要 1 <= from <= to。', 'cut 需要 1 <= from <= to。'],
  'Give the first and the last number of the entries to remove.': [
    '請給要移除的第一筆與最後一筆的編號。',
    '请给要移除的第一条与最后一条的编号。',
  ],
  'A commit either appends or cuts.': ['一次寫入只能附加或移除，擇一。', '一次写入只能附加或移除，择一。'],
  'Make two commits of it.': ['請分成兩次寫入。', '请分成两次写入。'],
  'A record write': ['一筆紀錄的寫入', '一条记录的写入'],
  'The record {0}/{1} does not belong to the records outside tasks.': [
    '紀錄 {0}/{1} 不屬於任務之外的紀錄。',
    '记录 {0}/{1} 不属于任务之外的记录。',
  ],
  'The record {0}/{1} does not belong to task {2}.': [
    '紀錄 {0}/{1} 不屬於任務 {2}。',
    '记录 {0}/{1} 不属于任务 {2}。',
  ],
  'A commit concerns one task and its records "tasks/{task}/…", or only records outside "tasks".': [
    '一次寫入只涉及一個任務及其紀錄「tasks/{task}/…」，或只涉及「tasks」之外的紀錄。',
    '一次写入只涉及一个任务及其记录“tasks/{task}/…”，或只涉及“tasks”之外的记录。',
  ],
  'expect of {0}/{1} is not a revision.': ['{0}/{1} 的 expect 不是版次。', '{0}/{1} 的 expect 不是版次。'],
  'Give a revision from get(), or 0 for "must not exist".': [
    '請給讀取時得到的版次；0 表示「必須不存在」。',
    '请给读取时得到的版次；0 表示“必须不存在”。',
  ],
  'The record {0} is written twice in one commit.': [
    '紀錄 {0} 在同一次寫入中寫了兩次。',
    '记录 {0} 在同一次写入中写了两次。',
  ],
  'Write it once.': ['請只寫一次。', '请只写一次。'],
  'What to do with the record {0}/{1} is not clear.': [
    '不清楚要對紀錄 {0}/{1} 做什麼。',
    '不清楚要对记录 {0}/{1} 做什么。',
  ],
  'Give either data, or remove: true; leave remove out to write.': [
    '請給 data，或給 remove: true；要寫入時請省略 remove。',
    '请给 data，或给 remove: true；要写入时请省略 remove。',
  ],
  'append.after is not a position.': ['append.after 不是位置。', 'append.after 不是位置。'],
  'Give the position from position() or the last receipt.': [
    '請給讀取日誌末端或上次寫入所得到的位置。',
    '请给读取日志末端或上次写入所得到的位置。',
  ],
  '{0} is not an object.': ['{0} 不是物件。', '{0} 不是对象。'],
  'Give it as the type Commit says.': ['請依照型別 Commit 的格式。', '请依照型别 Commit 的格式。'],
  '{0} is not an array.': ['{0} 不是陣列。', '{0} 不是数组。'],
  'Give an array, even for a single value.': ['即使只有一個，也請給陣列。', '即使只有一个，也请给数组。'],
  'a time in ISO 8601, such as toISOString gives it': [
    'ISO 8601 的時間，如 toISOString 所給',
    'ISO 8601 的时间，如 toISOString 所给',
  ],
  'an object, or nothing': ['一個物件，或省略', '一个对象，或省略'],
  'Give {0}, or leave {1} out.': ['請給{0!}，或省略 {1}。', '请给{0!}，或省略 {1}。'],
  'it has more than {0} characters': ['它超過 {0} 個字元', '它超过 {0} 个字符'],
  'it is not JSON': ['它不是 JSON', '它不是 JSON'],
  'The state stored for task {0} belongs to task {1}.': [
    '任務 {0} 儲存的狀態其實是任務 {1} 的。',
    '任务 {0} 存储的状态其实是任务 {1} 的。',
  ],
  'It was copied or moved there. The journal of the task still has its own state: resume from there.': [
    '它是被複製或搬移到那裡的。任務的日誌仍有自己的狀態：請由此繼續。',
    '它是被复制或搬移到那里的。任务的日志仍有自己的状态：请由此继续。',
  ],
  'The store lists its keys out of order, at {0}.': [
    '儲存庫列出鍵的順序不對，在 {0} 處。',
    '存储库列出键的顺序不对，在 {0} 处。',
  ],
  'It is damaged: see what vibe-engine doctor finds, then restore it from a backup.': [
    '它已損壞：請看 vibe-engine doctor 的結果，再由備份還原。',
    '它已损坏：请看 vibe-engine doctor 的结果，再由备份还原。',
  ],
  'This is not a back end.': ['這不是後端。', '这不是后端。'],
  'Give an object with {0}, as in the type Backend; for a store, give its "backend".': [
    '請給具有 {0} 的物件，如型別 Backend 所示；若是儲存庫，請給它的「backend」。',
    '请给具有 {0} 的对象，如类型 Backend 所示；若是存储库，请给它的“backend”。',
  ],
  'This {0} store is closed.': ['這個 {0} 儲存庫已關閉。', '这个 {0} 存储库已关闭。'],
  'Make a new one, or close it after the last use.': [
    '請建立新的儲存庫，或在最後一次使用之後再關閉。',
    '请创建新的存储库，或在最后一次使用之后再关闭。',
  ],
  'A store cannot be created for a project called {0}.': [
    '無法為名為 {0} 的專案建立儲存庫。',
    '无法为名为 {0} 的项目创建存储库。',
  ],
  'Give the name of a project, without "/" and "\\". A directory or a file is opened with open().': [
    '請給專案的名稱，不含「/」與「\\」。目錄或檔案請以 open() 開啟。',
    '请给项目的名称，不含“/”与“\\”。目录或文件请以 open() 开启。',
  ],
  'You may not write to {0}; even a look at its tasks takes a lock there.': [
    '你無法寫入 {0}；即使只是查看其中的任務，也要在那裡取得鎖定。',
    '你无法写入 {0}；即使只是查看其中的任务，也要在那里取得锁定。',
  ],
  "Make it writable, with everything in it. To look at it as it is, copy the project: cp -R '{0}' COPY && vibe-engine tasks --project COPY":
    [
      "請讓它及其中的一切可以寫入。若要照原樣查看，請複製專案：cp -R '{0}' COPY && vibe-engine tasks --project COPY",
      "请让它及其中的一切可以写入。若要照原样查看，请复制项目：cp -R '{0}' COPY && vibe-engine tasks --project COPY",
    ],
  '{0} belongs to user {1}, and you may not write to it; even a look at its tasks takes a lock there.': [
    '{0} 屬於使用者 {1}，你無法寫入；即使只是查看其中的任務，也要在那裡取得鎖定。',
    '{0} 属于用户 {1}，你无法写入；即使只是查看其中的任务，也要在那里取得锁定。',
  ],
  "Work as {0}. To look at it as it is, copy the project: cp -R '{1}' COPY && vibe-engine tasks --project COPY":
    [
      "請以 {0} 的身分操作。若要照原樣查看，請複製專案：cp -R '{1}' COPY && vibe-engine tasks --project COPY",
      "请以 {0} 的身份操作。若要照原样查看，请复制项目：cp -R '{1}' COPY && vibe-engine tasks --project COPY",
    ],
};
