/** Values that are words, too, are said in the reader's language. */
import { expect, test } from 'vitest';
import { translator } from '../../src/verbs/text/translate.ts';

test.each([
  ['journal entry 12', '日誌第 12 筆', '日志第 12 条'],
  ['paused from the command line', '由命令列暫停', '由命令行暂停'],
  ['damaged rows 1-5', 'damaged 的第 1 到 5 列', 'damaged 的第 1 到 5 行'],
  ['30002 bytes in blob://abc', '30002 個位元組，存於 blob://abc', '30002 个字节，存于 blob://abc'],
])('%s', async (english, traditional, simplified) => {
  expect((await translator('zh-Hant'))(english)).toBe(traditional);
  expect((await translator('zh-Hans'))(english)).toBe(simplified);
});
