import type { Said } from './said.ts';

export const system: Said = {
  'Not a valid prefix for ids: {0}.': ['這不能作為識別碼的前綴：{0}。', '这不能作为标识符的前缀：{0}。'],
  'Not a valid time for an id: {0}.': ['這不能作為識別碼的時間：{0}。', '这不能作为标识符的时间：{0}。'],
  'Use lower-case letters, digits, "-" and "_" as prefix, and a date between the years 1970 and 10889.': [
    '前綴請使用小寫字母、數字、「-」與「_」，日期須在 1970 年到 10889 年之間。',
    '前缀请使用小写字母、数字、“-”与“_”，日期须在 1970 年到 10889 年之间。',
  ],
  'No room left on the disk of {0}.': ['{0} 所在的磁碟已滿。', '{0} 所在的磁盘已满。'],
  'Free some space or raise the quota, then open the store again; what was acknowledged is kept.': [
    '請釋出空間或提高配額，再重新開啟儲存庫；已確認的內容都在。',
    '请释出空间或提高配额，再重新开启存储库；已确认的内容都在。',
  ],
  'Not allowed to {0} {1} ({2}).': ['沒有權限對 {1} 進行 {0}（{2}）。', '没有权限对 {1} 进行 {0}（{2}）。'],
  'Check who owns the directory and its mode; the store must be writable by the user who runs this.': [
    '請檢查該目錄的擁有者與權限；執行者必須能寫入儲存庫。',
    '请检查该目录的拥有者与权限；运行者必须能写入存储库。',
  ],
  'Could not {0} {1} ({2}).': ['無法對 {1} 進行 {0}（{2}）。', '无法对 {1} 进行 {0}（{2}）。'],
  'See the cause. If the disk is failing, copy the store elsewhere before you continue.': [
    '請查看原因。若磁碟即將故障，請先將儲存庫複製到別處。',
    '请查看原因。若磁盘即将故障，请先将存储库复制到别处。',
  ],
  'This process no longer owns {0} (claim {1}).': [
    '這個行程不再擁有 {0}（第 {1} 號）。',
    '这个进程不再拥有 {0}（第 {1} 号）。',
  ],
  'Another process took over, or this one gave it up. Nothing was written: resume the task again.': [
    '另一個行程已接手，或這個行程已放棄。什麼都沒有寫入：請再次繼續任務。',
    '另一个进程已接手，或这个进程已放弃。什么都没有写入：请再次继续任务。',
  ],
  'The store stayed busy: another process holds its lock.': [
    '儲存庫一直忙碌：另一個行程持有它的鎖。',
    '存储库一直忙碌：另一个进程持有它的锁。',
  ],
  'A process that is stopped or hangs may hold it. Let it continue or end it, then try again.': [
    '可能是停止或卡住的行程持有它。請讓它繼續或結束它，再試一次。',
    '可能是停止或卡住的进程持有它。请让它继续或结束它，再试一次。',
  ],
  'The locks of the store are damaged: {0}.': ['儲存庫的鎖已損壞：{0}。', '存储库的锁已损坏：{0}。'],
  'End every process that uses the store, then remove this file and those next to it: they hold no data.': [
    '請結束所有使用這個儲存庫的行程，再移除這個檔案與旁邊的鎖檔案：其中沒有資料。',
    '请结束所有使用这个存储库的进程，再移除这个文件与旁边的锁文件：其中没有数据。',
  ],
  'Task {0} is owned by another runner ({1}).': [
    '任務 {0} 由另一個執行者擁有（{1}）。',
    '任务 {0} 由另一个运行者拥有（{1}）。',
  ],
  'Wait until it is done, pause it from here, or end that process; a dead owner is noticed at once.': [
    '請等它完成、由此暫停它，或結束該行程；擁有者一旦終止會立即察覺。',
    '请等它完成、由此暂停它，或结束该进程；拥有者一旦终止会立即察觉。',
  ],
  '{0} is a link that leads out of the project, to {1}.': [
    '{0} 是通往專案之外的連結，指向 {1}。',
    '{0} 是通往项目之外的链接，指向 {1}。',
  ],
  'Nothing there was read or changed. If the link is intended: vibe-engine trust. Otherwise delete it.': [
    '那裡沒有任何內容被讀取或變更。若那是你的位置，而且正是此意：vibe-engine trust。否則請刪除該連結。',
    '那里没有任何内容被读取或更改。若那是你的位置，而且正是此意：vibe-engine trust。否则请删除该链接。',
  ],
  '{0} is a link, and links are not followed there.': [
    '{0} 是連結，而那裡不跟隨任何連結。',
    '{0} 是链接，而那里不跟随任何链接。',
  ],
  'Look where it leads before you delete it: files elsewhere could be changed through it. To keep the store elsewhere set "persistence.path". Nothing was changed.':
    [
      '刪除之前請看它通往何處：別處的檔案可能會經由它被更改。若要將儲存庫放在別處，請設定「persistence.path」。什麼都沒有改變。',
      '删除之前请看它通往何处：别处的文件可能会经由它被更改。若要将存储库放在别处，请设置“persistence.path”。什么都没有改变。',
    ],
  'holds a number that no store writes': ['含有儲存庫不會寫入的數字', '含有存储库不会写入的数字'],
  'Free some space and try again: nothing of this write was kept, all earlier ones are.': [
    '請釋出空間後再試：這次寫入沒有保留，先前的都在。',
    '请释出空间后再试：这次写入没有保留，先前的都在。',
  ],
  '{0} was removed or replaced while the store was open.': [
    '儲存庫開著時，{0} 被移除或取代。',
    '存储库开着时，{0} 被移除或替换。',
  ],
  'Not allowed to open or write {0} ({1}).': [
    '沒有權限開啟或寫入 {0}（{1}）。',
    '没有权限开启或写入 {0}（{1}）。',
  ],
  'Check who owns the file and its directory, and their modes; both must be writable.': [
    '請檢查該檔案及其目錄的擁有者與權限；兩者都必須可以寫入。',
    '请检查该文件及其目录的拥有者与权限；两者都必须可以写入。',
  ],
  'is damaged ({0})': ['已損壞（{0}）', '已损坏（{0}）'],
  'Reading or writing {0} failed ({1}).': ['讀寫 {0} 失敗（{1}）。', '读写 {0} 失败（{1}）。'],
  'The store {0} {1}.': ['儲存庫 {0} {1!}。', '存储库 {0} {1!}。'],
  'Copy the file aside before anything else; then vibe-engine doctor lists what is wrong, and --repair repairs what it can.':
    [
      '請先複製該檔案；再以 vibe-engine doctor 列出問題，--repair 會修復可以修復的部分。',
      '请先复制该文件；再以 vibe-engine doctor 列出问题，--repair 会修复可以修复的部分。',
    ],
  'The store {0} stayed busy: another process is writing.': [
    '儲存庫 {0} 一直忙碌：另一個行程正在寫入。',
    '存储库 {0} 一直忙碌：另一个进程正在写入。',
  ],
  'A process that is stopped or hangs may hold its lock. Let it continue or end it, then try again.': [
    '可能是停止或卡住的行程持有它的鎖。請讓它繼續或結束它，再試一次。',
    '可能是停止或卡住的进程持有它的锁。请让它继续或结束它，再试一次。',
  ],
  'The store {0} is closed.': ['儲存庫 {0} 已關閉。', '存储库 {0} 已关闭。'],
  'A sync of {0} failed, so what the disk holds is not known.': [
    '{0} 同步失敗，因此不知道磁碟上有什麼。',
    '{0} 同步失败，因此不知道磁盘上有什么。',
  ],
  'Close the store and open it again: it is then checked, and continues from what the disk really has.': [
    '請關閉並重新開啟儲存庫：屆時會檢查它，並由磁碟上實際的內容接續。',
    '请关闭并重新开启存储库：届时会检查它，并由磁盘上实际的内容接续。',
  ],
  '{0} is a pipe, not a file.': ['{0} 是管道，不是檔案。', '{0} 是管道，不是文件。'],
  'Find out who put it there, then remove it. Nothing was changed.': [
    '請查明是誰放的，再將它移除。沒有變更任何內容。',
    '请查明是谁放的，再将它移除。没有更改任何内容。',
  ],
  'It answered with {0}.': ['它的回應是 {0}。', '它的回应是 {0}。'],
  'It did not answer in time.': ['它沒有及時回應。', '它没有及时回应。'],
  'The server has ended, and is started again.': ['伺服器已結束，正重新啟動。', '服务器已结束，正重新启动。'],
};
