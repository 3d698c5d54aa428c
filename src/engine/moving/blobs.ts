/** Copies blobs to another store. */
import type { Storage } from '../../storage/contract.ts';
import { blobWriter } from '../transfer/blobs.ts';

/** Copies the missing ones; returns how many there are in total. */
export async function copyBlobs(from: Storage, to: Storage, task: string | null): Promise<number> {
  const there = new Set(await blobsOf(to, task));
  const writer = blobWriter(to);
  const ids = await blobsOf(from, task);
  for (const id of ids) {
    const bytes = there.has(id) ? null : await from.getBlob(task, id);
    if (bytes) await writer.add({ task, id, bytes });
  }
  await writer.end();
  return ids.length;
}

export async function blobsOf(store: Storage, task: string | null): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.listBlobs(task)) ids.push(id);
  return ids;
}
