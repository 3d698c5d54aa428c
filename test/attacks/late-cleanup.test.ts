/** A clean-up that was held up while it had a task, and goes on when another owns it. */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOrphans } from '../../src/engine/cleanup/blobs.ts';
import type { Claim, Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const DAY_MS = 86_400_000;
const blob = { kind: 'step_results', bytes: Buffer.from('the result of a step') };

/** A task with an old blob that nothing names. */
async function withOrphan() {
  const root = tempDir();
  const storage = await openJsonStorage({ root });
  const records = [{ category: 'tasks', key: 't/state', data: 1 }];
  await storage.commit({ task: 't', records });
  const [id] = await storage.putBlobs('t', [blob]);
  for (const { name, parentPath } of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const old = (Date.now() - DAY_MS) / 1000;
    if (id!.endsWith(name)) utimesSync(join(parentPath, name), old, old);
  }
  const orphans = await Array.fromAsync(storage.listBlobs('t'));
  const end = await storage.position('t');
  const clean = (storage: Storage) =>
    removeOrphans(
      { storage, dry: false, skip: () => {} } as never,
      { of: { task: 't', head: null }, end, gone: new Set() } as never,
      orphans,
    );
  return { storage, id: id!, clean };
}

test('removes nothing that the new owner has stored again', async () => {
  const { storage, id, clean } = await withOrphan();
  const deleteBlobs: Storage['deleteBlobs'] = async (...given) => {
    await storage.putBlobs('t', [blob]); // It is there, so the owner may name it.
    return storage.deleteBlobs(...given);
  };
  expect(await clean({ ...storage, deleteBlobs })).toEqual([]);
  expect(await storage.getBlob('t', id)).toEqual(new Uint8Array(blob.bytes));
  expect(await clean(storage)).toEqual([]);
  await storage.close();
});

test('removes nothing of a task that it has lost', async () => {
  const { storage, id, clean } = await withOrphan();
  const claim = async (task: string): Promise<Claim> => {
    const held = await storage.claim(task);
    const lost = AbortSignal.abort(Object.assign(new Error('lost'), { code: 'FENCED_OUT' }));
    return { ...held, lost, live: () => false };
  };
  await expect(clean({ ...storage, claim })).rejects.toMatchObject({ code: 'FENCED_OUT' });
  expect(await storage.getBlob('t', id)).not.toBeNull();
  expect(await clean(storage)).toMatchObject([{ id }]);
  expect(await storage.getBlob('t', id)).toBeNull();
  await storage.close();
});
