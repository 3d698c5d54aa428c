import type { Said } from '../catalogue.ts';

export const engineMoving: Said = {
  'The blob {0} is not named by what is in it.': [
    'blob {0} 的名稱與內容不符。',
    'blob {0} 的名称与内容不符。',
  ],
  'It was put there past the store. Run vibe-engine doctor.': [
    '它是在儲存庫之外放入的。請執行 vibe-engine doctor。',
    '它是在存储库之外放入的。请运行 vibe-engine doctor。',
  ],
  'the category {0}': ['類別 {0}', '类 {0}'],
  'the record {0}/{1}': ['紀錄 {0}/{1}', '记录 {0}/{1}'],
  'the journal of task {0}': ['任務 {0} 的日誌', '任务 {0} 的日志'],
  'entry {0} of task {1}': ['任務 {1} 的第 {0} 筆', '任务 {1} 的第 {0} 条'],
  'the record tasks/{0}': ['紀錄 tasks/{0}', '记录 tasks/{0}'],
  'what there is at {0}/{1}': ['{0}/{1} 的內容', '{0}/{1} 的内容'],
  'the blob {0}': ['blob {0} 的內容', 'blob {0} 的内容'],
  'The copy differs from what is stored: {0}.': [
    '副本與儲存的內容不同：{0!}。',
    '副本与存储的内容不同：{0!}。',
  ],
  'What is stored is as it was. Run vibe-engine doctor, then try again.': [
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
  'Task {0} says that it was forked from itself.': ['任務 {0} 聲稱由自己分支。', '任务 {0} 声称由自己分支。'],
};
