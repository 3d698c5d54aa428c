import type { Said } from './said.ts';

export const checkpoint: Said = {
  'A stored value refers to a blob, but not in a form that can be read.': [
    '儲存的值參照了一個資料塊，但格式無法讀取。',
    '存储的值引用了一个数据块，但格式无法读取。',
  ],
  'It was changed after it was written, or by a newer version: recovery falls back to the checkpoint before it.':
    [
      '它在寫入後被更改，或由較新的版本寫成：恢復時會退回到前一個檢查點。',
      '它在写入后被更改，或由较新的版本写成：恢复时会退回到前一个检查点。',
    ],
  'The checkpoint {0} refers to entry {1} of a journal that ends at entry {2}.': [
    '檢查點 {0} 位於日誌的第 {1} 筆，而日誌只到第 {2} 筆。',
    '检查点 {0} 位于日志的第 {1} 条，而日志只到第 {2} 条。',
  ],
  'The checkpoint {0} refers to entry {1} of a journal that ends differently at entry {2}.': [
    '檢查點 {0} 位於日誌的第 {1} 筆，而日誌到第 {2} 筆為止，內容卻不同。',
    '检查点 {0} 位于日志的第 {1} 条，而日志到第 {2} 条为止，内容却不同。',
  ],
  'The journal was repaired or replaced. Recovery falls back to the checkpoint before it.': [
    '日誌已被修復或取代。恢復時會退回到前一個檢查點。',
    '日志已被修复或替换。恢复时会退回到前一个检查点。',
  ],
  'A stored record says that members of it are in blobs, but not which.': [
    '儲存的紀錄表示部分成員放在資料塊中，但沒有說是哪些。',
    '存储的记录表示部分成员放在数据块中，但没有说是哪些。',
  ],
  'Recovery falls back to the checkpoint before it.': [
    '恢復時會退回到前一個檢查點。',
    '恢复时会退回到前一个检查点。',
  ],
  'The record at tasks/{0} is the checkpoint {1}.': [
    'tasks/{0} 處的紀錄其實是檢查點 {1}。',
    'tasks/{0} 处的记录其实是检查点 {1}。',
  ],
  'It was copied or moved there. Recovery falls back to the checkpoint before it.': [
    '它是被複製或搬移到那裡的。恢復時會退回到前一個檢查點。',
    '它是被复制或搬移到那里的。恢复时会退回到前一个检查点。',
  ],
  'Whether it was changed is not known: it was not loaded here. Ask a CheckpointManager for it by id.': [
    '無法得知它是否被改動過：它不是在這裡載入的。請以識別碼向 CheckpointManager 查詢。',
    '无法得知它是否被改动过：它不是在这里加载的。请以标识符向 CheckpointManager 查询。',
  ],
  'It is not in this store.': ['它不在這個儲存庫中。', '它不在这个存储库中。'],
  'It is not as it was stored: it was changed after it was loaded.': [
    '它與儲存時不同：載入後被更改過。',
    '它与存储时不同：载入后被更改过。',
  ],
  'A checkpoint cannot be made with this {0}.': [
    '不能以這樣的 {0} 建立檢查點。',
    '不能以这样的 {0} 创建检查点。',
  ],
  'Give data of your own as step_state, step_context and step_variables.': [
    '你自己的資料請放在 step_state、step_context 與 step_variables。',
    '你自己的数据请放在 step_state、step_context 与 step_variables。',
  ],
  'Not the id of a checkpoint: {0}.': ['這不是檢查點的識別碼：{0}。', '这不是检查点的标识符：{0}。'],
  'Use "ckpt-{task_id}-{sequence_number}", as listCheckpoints gives it.': [
    '請使用「ckpt-{task_id}-{sequence_number}」的形式，如檢查點清單所示。',
    '请使用“ckpt-{task_id}-{sequence_number}”的形式，如检查点清单所示。',
  ],
  'it is missing': ['它不見了', '它不见了'],
  'its hash does not match': ['它的雜湊不符', '它的哈希不符'],
  'it is said to hold {0} bytes, and at most {1} are read': [
    '據稱有 {0} 個位元組，而最多只讀取 {1} 個',
    '据称有 {0} 个字节，而最多只读取 {1} 个',
  ],
  'it holds {0} bytes instead of {1}': ['它有 {0} 個位元組，而不是 {1} 個', '它有 {0} 个字节，而不是 {1} 个'],
  'it does not decompress to {0} bytes': ['它解壓縮後不是 {0} 個位元組', '它解压缩后不是 {0} 个字节'],
  'The blob {0} cannot be used: {1}.': ['資料塊 {0} 無法使用：{1!}。', '数据块 {0} 无法使用：{1!}。'],
  'Restore it from a backup; checkpoints that do not need this blob still load.': [
    '請由備份還原；不需要這個資料塊的檢查點仍可載入。',
    '请由备份还原；不需要这个数据块的检查点仍可载入。',
  ],
  'its task completed': ['它的任務已完成', '它的任务已完成'],
  'its task ended {0} days ago or earlier': [
    '它的任務在 {0} 天前或更早就已結束',
    '它的任务在 {0} 天前或更早就已结束',
  ],
  'its task failed {0} days ago or earlier': [
    '它的任務在 {0} 天前或更早就已失敗',
    '它的任务在 {0} 天前或更早就已失败',
  ],
  'it is older than {0} days': ['它已超過 {0} 天', '它已超过 {0} 天'],
  'it is not one of the newest {0} of its task': [
    '它不是該任務最新的 {0} 個之一',
    '它不是该任务最新的 {0} 个之一',
  ],
  'its task has more than {0}': ['它的任務超過 {0} 個', '它的任务超过 {0} 个'],
  'its checksum does not match': ['它的校驗和不符', '它的校验和不符'],
  'The checkpoint {0} is damaged: {1}.': ['檢查點 {0} 不完整：{1!}。', '检查点 {0} 不完整：{1!}。'],
  'A checkpoint is damaged: {0}.': ['有一個檢查點不完整：{0!}。', '有一个检查点不完整：{0!}。'],
  'The requirement "{0}{1}" cannot be read: a variable can only be required to be "set".': [
    '無法解讀需求「{0}{1}」：對它只能要求「set」。',
    '无法解读需求“{0}{1}”：对它只能要求“set”。',
  ],
  'The variable {0} is not set.': ['變數 {0} 沒有設定。', '变量 {0} 没有设置。'],
  '{0} is missing, {1} is needed.': ['沒有 {0}，而需要 {1}。', '没有 {0}，而需要 {1}。'],
  'The requirement "{0}": "{1}" cannot be read (found {2}).': [
    '無法解讀需求「{0}」：「{1}」（現有 {2}）。',
    '无法解读需求“{0}”：“{1}”（现有 {2}）。',
  ],
  'Found {0} {1}, {2} is needed.': ['現有 {0} {1}，而需要 {2}。', '现有 {0} {1}，而需要 {2}。'],
  'the store is larger than {0} MB': ['儲存庫大於 {0} MB', '存储库大于 {0} MB'],
  'It lacks {0}.': ['缺少 {0}。', '缺少 {0}。'],
  'It is not a valid checkpoint: {0}: {1}.': [
    '它不符合檢查點的格式：{0}：{1}。',
    '它不符合检查点的格式：{0}：{1}。',
  ],
  'Its checksum does not match: it was changed after it was written.': [
    '它的校驗和不符：寫入後被更改過。',
    '它的校验和不符：写入后被更改过。',
  ],
  'Blobs it needs cannot be read: {0}.': ['它所需的資料塊無法讀取：{0!}。', '它所需的数据块无法读取：{0!}。'],
  'Its working directory {0} does not exist.': ['它的工作目錄 {0} 不存在。', '它的工作目录 {0} 不存在。'],
  'Changed since it was made: {0}.': ['在它建立之後有變更：{0!}。', '在它创建之后有更改：{0!}。'],
  '{0} and {1} more': ['{0} 以及其他 {1} 個', '{0} 以及其他 {1} 个'],
  '{0} was not asked for its version, {1} is needed: only known tools are started, and none for an imported task.':
    [
      '未查詢 {0} 的版本（需要 {1}）：只會啟動已知的工具，且不為匯入的任務啟動任何工具。',
      '未查询 {0} 的版本（需要 {1}）：只会启动已知的工具，且不为导入的任务启动任何工具。',
    ],
};
