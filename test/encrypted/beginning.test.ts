/** Two processes that begin the same encrypted store at once. */
import { expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { keyProvider } from '../contract/open-store.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const KEY = keyProvider('c0ffee'.padEnd(64, '0'));

test('the slower one finds what the quicker one has begun', async () => {
  const root = tempDir();
  const plain = await openJsonStorage({ root });
  /** Between the look for a key and the look whether the store is empty, the other one is done with both. */
  const overtaken: Storage = {
    ...plain,
    async tasks(query) {
      const quick = await openEncryptedStorage(await openJsonStorage({ root }), KEY);
      await quick.commit({ task: 't1', records: [{ category: 'tasks', key: 't1/state', data: 'theirs' }] });
      await quick.close();
      return plain.tasks(query);
    },
  };
  const slow = await openEncryptedStorage(overtaken, KEY);
  expect(await slow.load('tasks', 't1/state')).toBe('theirs');
  await slow.close();
});

test('what is in it without a key is not taken for one', async () => {
  const plain = await openJsonStorage({ root: tempDir() });
  await plain.save('config', 'x', 1);
  await expect(openEncryptedStorage(plain, KEY)).rejects.toMatchObject({ code: 'STORE_NOT_ENCRYPTED' });
  await plain.close();
});
