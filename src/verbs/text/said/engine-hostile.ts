import type { Said } from '../catalogue.ts';

export const engineHostile: Said = {
  '{0} is not a plain file, and is not replaced.': [
    '{0} 不是一般檔案，不會取代。',
    '{0} 不是普通文件，不会替换。',
  ],
  'Name another file. Nothing was changed.': [
    '請指定其他檔案。沒有變更任何內容。',
    '请指定其他文件。没有更改任何内容。',
  ],
  'What was thrown cannot be read.': ['無法讀取拋出的內容。', '无法读取抛出的内容。'],
};
