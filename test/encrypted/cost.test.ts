/** What encryption adds to a step: one message to seal, and nothing else that is written. */
import { expect, test } from 'vitest';
import type { PreparedCommit } from '../../src/storage/backend.ts';
import { START } from '../../src/storage/chain.ts';
import { createStorage } from '../../src/storage/create.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { keyProvider } from '../contract/open-store.ts';
import { tempDirs } from '../support/temp.ts';
import { BACK_ENDS, sealedStore } from './world.ts';

const tempDir = tempDirs();

test.each(BACK_ENDS)('%s: a commit of one entry is one sealed text', async (type) => {
  const { inner, key, close } = await sealedStore(tempDir(), type);
  const seen: PreparedCommit[] = [];
  const watched = createStorage({
    ...inner.backend,
    commit: (commit) => {
      seen.push(commit);
      return inner.backend.commit(commit);
    },
  });
  const store = await openEncryptedStorage(watched, keyProvider(key));
  const { fence, release } = await store.claim('t1');
  const first = await store.commit({ task: 't1', fence, append: { after: START, entries: [1] } });
  seen.length = 0;
  await store.commit({ task: 't1', fence, append: { after: first.position!, entries: [{ mark: {} }] } });
  expect(seen).toHaveLength(1);
  expect(seen[0]!.records).toEqual([]);
  expect(seen[0]!.append!.entries.map(({ text }) => text.slice(0, 5))).toEqual(['"ve1:']);
  await release();
  await close();
});
