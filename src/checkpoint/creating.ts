/**
 * The first blobs of a task have to be there before the commit that brings it into being, and blobs without a task are
 * found by nobody. So a note comes before them and goes with that commit; clean-up removes what never got so far.
 */
import type { NewBlob, RecordWrite, Storage } from '../storage/contract.ts';

export function creatingKey(task: string): string {
  return `${task}/creating`;
}

/** Stores them; answers what has to go into the commit that names them. */
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
  return [{ ...note, remove: true, expect: records[0]!.revision }]; // Else the blobs went with it.
}
