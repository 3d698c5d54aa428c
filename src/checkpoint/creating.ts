/**
 * The first blobs of a task have to be stored before the commit that creates it, and nothing would find blobs without a
 * task. So a note is stored before them and removed with that commit; clean-up removes what never got that far.
 */
import type { NewBlob, RecordWrite, Storage } from '../storage/contract.ts';
import { creatingKey } from '../task/keys.ts';

/** Stores them; returns what has to go into the commit that refers to them. */
export async function putFirstBlobs(
  storage: Storage,
  task: string,
  blobs: readonly NewBlob[],
  { at, fence }: { readonly at: string; readonly fence?: number | undefined },
): Promise<RecordWrite[]> {
  if (blobs.length === 0) return [];
  const note = { category: 'tasks', key: creatingKey(task) };
  const { records } = await storage.commit({
    task,
    ...(fence === undefined ? {} : { fence }),
    records: [{ ...note, data: { at } }],
  });
  await storage.putBlobs(task, blobs);
  return [{ ...note, remove: true, expect: records[0]!.revision }]; // Otherwise the blobs were removed with it.
}
