import type { Said } from './said.ts';

export const merge: Said = {
  'The text to merge holds half a surrogate pair: it has no UTF-8 form.': [
    '要合併的文字含有半個代理對：無法表示為 UTF-8。',
    '要合并的文本含有半个代理对：无法表示为 UTF-8。',
  ],
  'Pass the bytes of the file instead of text.': [
    '請改為提供檔案的位元組，而不是文字。',
    '请改为提供文件的字节，而不是文本。',
  ],
};
