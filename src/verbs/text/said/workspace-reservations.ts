import type { Said } from '../catalogue.ts';

export const workspaceReservations: Said = {
  'What is kept of reserved files is not what was stored.': [
    '保留檔案的紀錄不是當初儲存的內容。',
    '保留文件的记录不是当初存储的内容。',
  ],
  'While nobody works in this workspace, remove the record reservations/{0} from the store.': [
    '請在沒有人使用這個工作區時，從儲存庫移除紀錄 reservations/{0}。',
    '请在没有人使用这个工作区时，从存储库移除记录 reservations/{0}。',
  ],
  '{0}: reserved for {1} by {2}.': ['{0}：由 {2} 保留，用於 {1}。', '{0}：由 {2} 保留，用于 {1}。'],
  'Wait until it is released, at the latest at {0} unless it is renewed, or give the agents different files.':
    [
      '請等它釋出（若未續約，最遲到 {0}），或讓代理處理不同的檔案。',
      '请等它释出（若未续约，最迟到 {0}），或让代理处理不同的文件。',
    ],
  'The reservation of {0} by {1} was taken over.': [
    '{1} 對 {0} 的保留已被接手。',
    '{1} 对 {0} 的保留已被接手。',
  ],
  'It was not renewed in time. Reserve the files again, read them anew, then write.': [
    '它沒有及時續約。請重新保留檔案、重新讀取，然後再寫入。',
    '它没有及时续约。请重新保留文件、重新读取，然后再写入。',
  ],
};
