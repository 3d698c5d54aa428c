/** Copies blobs to another store: they are named by their content, in every store. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob, Storage } from '../../storage/contract.ts';

const MOST_AT_ONCE = 8 * 1024 * 1024;

/** Copies the missing ones; returns how many there are in total. */
export async function copyBlobs(from: Storage, to: Storage, task: string | null): Promise<number> {
  const there = new Set(await blobsOf(to, task));
  let waiting: { readonly id: string; readonly blob: NewBlob }[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    const ids = await to.putBlobs(
      task,
      waiting.map(({ blob }) => blob),
    );
    for (const [index, { id }] of waiting.entries()) if (ids[index] !== id) throw misnamed(task, id);
    waiting = [];
    bytes = 0;
  };
  const ids = await blobsOf(from, task);
  for (const id of ids) {
    const content = there.has(id) ? null : await from.getBlob(task, id);
    if (!content) continue;
    waiting.push({ id, blob: { kind: id.slice(0, id.indexOf('/')), bytes: content } });
    bytes += content.length;
    if (bytes > MOST_AT_ONCE) await write();
  }
  if (waiting.length > 0) await write();
  return ids.length;
}

export async function blobsOf(store: Storage, task: string | null): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.listBlobs(task)) ids.push(id);
  return ids;
}

function misnamed(task: string | null, id: string): CorruptError {
  return new CorruptError(phrase`The blob ${id} does not match its name.`, {
    data: { task, id },
    hint: phrase`Something other than the store put it there. Run vibe-engine doctor.`,
  });
}
