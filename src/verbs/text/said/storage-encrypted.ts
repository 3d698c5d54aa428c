import type { Said } from './said.ts';

export const storageEncrypted: Said = {
  'Encryption is already on here.': ['這裡已經開啟加密。', '这里已经开启加密。'],
  'Show its status: {0}': ['查看狀態：{0}', '查看状态：{0}'],
  'Encryption is not on here, so there is no key to change.': [
    '這裡未開啟加密，沒有可更換的金鑰。',
    '这里未开启加密，没有可更换的密钥。',
  ],
  'Turn it on with: {0}': ['開啟加密：{0}', '开启加密：{0}'],
  'Encryption is not on here.': ['這裡未開啟加密。', '这里未开启加密。'],
  'A key must not be in the store that it opens: {0}.': [
    '金鑰不該放在它所鎖住的儲存庫裡：{0}。',
    '密钥不该放在它所锁住的存储库里：{0}。',
  ],
  'Name a path outside .vibe-engine, such as next to your own settings. Nothing was changed.': [
    '請指定 .vibe-engine 以外的位置，例如個人設定檔旁邊。什麼都沒有改變。',
    '请指定 .vibe-engine 以外的位置，例如个人设置文件旁边。什么都没有改变。',
  ],
  'There is no store here yet; encryption is on.': [
    '這裡尚未儲存任何內容；加密已開啟。',
    '这里尚未存储任何内容；加密已开启。',
  ],
  'There is no store here yet; encryption is off.': [
    '這裡尚未儲存任何內容；加密未開啟。',
    '这里尚未存储任何内容；加密未开启。',
  ],
  'The blob {0} does not decrypt to what was stored there.': [
    '資料塊 {0} 不是當初封存的內容。',
    '数据块 {0} 不是当初封存的内容。',
  ],
  'Something other than the store changed it or put it there. Put the same bytes again, or restore it from a backup.':
    [
      '它在儲存庫之外被更改或放入。請再次放入相同的內容，或由備份還原。',
      '它在存储库之外被更改或放入。请再次放入相同的内容，或由备份还原。',
    ],
  'The record tasks/{0}/{1} is older than the journal says, or missing.': [
    '紀錄 tasks/{0}/{1} 比日誌所述的舊，或已遺失。',
    '记录 tasks/{0}/{1} 比日志所述的旧，或已丢失。',
  ],
  'Something other than the store replaced it by an old copy, or removed it. Restore the whole store from one backup; nothing was changed.':
    [
      '有人在儲存庫之外以舊副本取代了它，或將它拿走。請由同一份備份還原整個儲存庫；什麼都沒有改變。',
      '有人在存储库之外以旧副本替换了它，或将它拿走。请由同一份备份还原整个存储库；什么都没有改变。',
    ],
  'The journal of task {0} has {1} entries, but its record tasks/{2} was written when it had {3}.': [
    '任務 {0} 的日誌有 {1} 筆，但它的紀錄 tasks/{2} 寫入時有 {3} 筆。',
    '任务 {0} 的日志有 {1} 条，但它的记录 tasks/{2} 写入时有 {3} 条。',
  ],
  'Something other than the store removed its end. Restore the whole store from one backup; nothing was changed.':
    [
      '它的末段在儲存庫之外被拿走。請由同一份備份還原整個儲存庫；什麼都沒有改變。',
      '它的末段在存储库之外被拿走。请由同一份备份还原整个存储库；什么都没有改变。',
    ],
  'Entry {0} of task {1} does not decrypt to what was stored there.': [
    '任務 {1} 的第 {0} 筆不是當初封存的內容。',
    '任务 {1} 的第 {0} 条不是当初封存的内容。',
  ],
  'Something other than the store changed it or put it there. What comes before it can be read; nothing was changed.':
    [
      '它在儲存庫之外被更改或放入。在它之前的內容可以讀取；什麼都沒有改變。',
      '它在存储库之外被更改或放入。在它之前的内容可以读取；什么都没有改变。',
    ],
  'Entries {0} to {1} of task {2} are missing.': [
    '任務 {2} 的第 {0} 到 {1} 筆遺失。',
    '任务 {2} 的第 {0} 到 {1} 条丢失。',
  ],
  'Something other than the store removed them. Restore it from a backup; nothing was changed.': [
    '它們在儲存庫之外被拿走。請由備份還原；什麼都沒有改變。',
    '它们在存储库之外被拿走。请由备份还原；什么都没有改变。',
  ],
  'is missing': ['遺失', '丢失'],
  'is not what was stored': ['不是當初儲存的內容', '不是当初存储的内容'],
  'The key of task {0} {1}.': ['任務 {0} 的金鑰{1!}。', '任务 {0} 的密钥{1!}。'],
  'Restore it from a backup: without it nothing of this task can be read. Other tasks are not affected.': [
    '請由備份還原：沒有它，這個任務的內容都無法讀取。其他任務不受影響。',
    '请由备份还原：没有它，这个任务的内容都无法读取。其他任务不受影响。',
  ],
  'is not {0} bytes': ['不是 {0} 個位元組', '不是 {0} 个字节'],
  'The record of the store’s key is not what was stored.': [
    '儲存庫金鑰的紀錄不是當初儲存的內容。',
    '存储库密钥的记录不是当初存储的内容。',
  ],
  'Restore it from a backup: without it nothing in the store can be read. Nothing was changed.': [
    '請由備份還原：沒有它，儲存庫的內容都無法讀取。什麼都沒有改變。',
    '请由备份还原：没有它，存储库的内容都无法读取。什么都没有改变。',
  ],
  'The key from {0} does not open this store.': [
    '來自{0!}的金鑰打不開這個儲存庫。',
    '来自{0!}的密钥打不开这个存储库。',
  ],
  'Give the key that the store was encrypted with. Nothing was changed; without that key nobody can read the store.':
    [
      '請提供鎖住這個儲存庫的金鑰。什麼都沒有改變；沒有那把金鑰，任何人都無法讀取。',
      '请提供锁住这个存储库的密钥。什么都没有改变；没有那把密钥，任何人都无法读取。',
    ],
  '{0} does not give a key: a key has {1} bytes.': [
    '{0!}提供的不是金鑰：金鑰有 {1} 個位元組。',
    '{0!}提供的不是密钥：密钥有 {1} 个字节。',
  ],
  'A key is 32 random bytes; from a terminal: openssl rand -hex 32': [
    '金鑰是 32 個隨機位元組；可在終端機產生：openssl rand -hex 32',
    '密钥是 32 个随机字节；可在终端产生：openssl rand -hex 32',
  ],
  'This store is not encrypted, and it is not empty.': [
    '這個儲存庫沒有加密，而裡面已有內容。',
    '这个存储库没有加密，而里面已有内容。',
  ],
  'Encrypt it: vibe-engine keys encrypt. Or turn encryption off. Nothing was changed.': [
    '將內容加密：vibe-engine keys encrypt。或者關閉加密。什麼都沒有改變。',
    '将内容加密：vibe-engine keys encrypt。或者关闭加密。什么都没有改变。',
  ],
  'the variable {0}': ['環境變數 {0}', '环境变量 {0}'],
  'it is not set': ['它沒有設定', '它没有设置'],
  'Set {0}, or say where the key is: "encryption.key_from".': [
    '請設定 {0}，或以「encryption.key_from」說明金鑰在哪裡。',
    '请设置 {0}，或以“encryption.key_from”说明密钥在哪里。',
  ],
  'the file {0}': ['檔案 {0}', '文件 {0}'],
  'it does not exist': ['它不存在', '它不存在'],
  'Put it back, or create a new one for a new store: openssl rand -hex 32': [
    '請將它放回，或為新的儲存庫產生一把：openssl rand -hex 32',
    '请将它放回，或为新的存储库产生一把：openssl rand -hex 32',
  ],
  'it is not a file': ['它不是檔案', '它不是文件'],
  'Name a file that holds a key.': ['請指定含有金鑰的檔案。', '请指定含有密钥的文件。'],
  'others can read it, too': ['其他人也能讀取它', '其他人也能读取它'],
  'Run: chmod 600 {0}': ['請執行：chmod 600 {0}', '请运行：chmod 600 {0}'],
  'the command {0}': ['指令 {0}', '命令 {0}'],
  'it was ended by {0}': ['它被 {0} 終止', '它被 {0} 终止'],
  'it ended with {0}': ['它以 {0} 結束', '它以 {0} 结束'],
  'it was still running after {0} seconds': ['它在 {0} 秒後仍未完成', '它在 {0} 秒后仍未完成'],
  'Run it yourself. It said: {0}': ['請手動執行看看。它的輸出：{0}', '请手动运行看看。它的输出：{0}'],
  'the passphrase': ['通行密語', '通行密语'],
  'there is none': ['沒有提供', '没有提供'],
  'it is too short': ['它太短', '它太短'],
  'Use at least {0} characters; four or five words are better.': [
    '請使用至少 {0} 個字元；四、五個單字更好。',
    '请使用至少 {0} 个字符；四、五个单字更好。',
  ],
  'its content is not a key': ['其中的內容不是金鑰', '其中的内容不是密钥'],
  'A key is 64 hexadecimal digits, or 32 bytes in base64.': [
    '金鑰是 64 個十六進位數字，或 base64 形式的 32 個位元組。',
    '密钥是 64 个十六进位数字，或 base64 形式的 32 个字节。',
  ],
  'There is no key from {0}: {1}.': ['無法由{0!}取得金鑰：{1!}。', '无法由{0!}取得密钥：{1!}。'],
  'does not decrypt to what was stored there': ['不是當初封存的內容', '不是当初封存的内容'],
  'is not encrypted, although everything else in this store is': [
    '沒有加密，而這個儲存庫的其他內容都已加密',
    '没有加密，而这个存储库的其他内容都已加密',
  ],
  'The record {0}/{1} {2}.': ['紀錄 {0}/{1} {2!}。', '记录 {0}/{1} {2!}。'],
  'Something other than the store changed it or put it there. Restore it from a backup; nothing was changed.':
    [
      '它在儲存庫之外被更改或放入。請由備份還原；什麼都沒有改變。',
      '它在存储库之外被更改或放入。请由备份还原；什么都没有改变。',
    ],
  'An encrypted store keeps {0} for itself.': [
    '加密的儲存庫將 {0} 保留給自己使用。',
    '加密的存储库将 {0} 保留给自己使用。',
  ],
  'Use another name.': ['請使用另一個名稱。', '请使用另一个名称。'],
};
