/** Lists that a damaged index leads round in circles come to an end. */
import { expect, test } from 'vitest';
import type { Page, PageQuery } from '../../src/storage/contract.ts';
import { everyKey } from '../../src/storage/walk.ts';
import { collect } from '../engine/stores.ts';

const listing = (pages: Readonly<Record<string, Page>>) => ({
  page: async (_category: string, { after = '' }: PageQuery = {}) => pages[after]!,
});

test('pages that follow each other are walked, in either direction', async () => {
  const up = listing({
    '': { keys: ['a', 'b'], next: 'b' },
    b: { keys: ['c'], next: 'c' },
    c: { keys: [], next: null },
  });
  expect(await collect(everyKey(up, 'config'))).toEqual(['a', 'b', 'c']);
  const down = listing({
    '': { keys: ['c'], next: 'c' },
    c: { keys: ['b'], next: 'b' },
    b: { keys: [], next: null },
  });
  expect(await collect(everyKey(down, 'config', { reverse: true }))).toEqual(['c', 'b']);
});

test.each(['a', 'b'])('a page that leads back to %s is damage', async (back) => {
  const store = listing({ '': { keys: ['b'], next: 'b' }, b: { keys: [back], next: back } });
  await expect(collect(everyKey(store, 'config'))).rejects.toMatchObject({ code: 'CORRUPT' });
});
