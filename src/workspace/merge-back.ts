/** Takes the task's own changes out of a file that others changed too: a three-way merge for each of them, backwards. */

import { mergeText } from '../merge/text.ts';
import type { Storage } from '../storage/contract.ts';
import type { PlanItem } from './plan.ts';
import type { Reader } from './reader.ts';
import { type FileEntry, sameEntry, type TreeEntry } from './tree.ts';

export interface MergedBack {
  readonly entry: FileEntry;
  /** It merged cleanly and should be looked at nevertheless. */
  readonly review: boolean;
}

/** Null where both changed the same lines, or what they changed is no text. */
export async function mergeBack(
  item: PlanItem,
  reader: Reader,
  storage: Storage,
): Promise<MergedBack | null> {
  let value = item.current;
  let review = false;
  for (const { before, after } of item.steps.toReversed()) {
    if (sameEntry(value, after)) {
      value = before;
      continue;
    }
    if (!isFile(value) || !isFile(before) || !isFile(after)) return null;
    const files = [after, value, before].map((entry) => ({ path: item.path, entry }));
    const [base, ours, theirs] = (await reader.contents(files)) as [Uint8Array, Uint8Array, Uint8Array];
    const merged = mergeText(base, ours, theirs);
    if (merged.outcome !== 'clean') return null;
    review ||= merged.review.length > 0;
    const [blob] = await storage.putBlobs(null, [{ kind: 'file', bytes: merged.bytes }]);
    const mode = value.mode === after.mode ? before.mode : value.mode;
    value = { kind: 'file', mode, size: merged.bytes.length, hash: blob!.slice('file/'.length) };
  }
  return isFile(value) ? { entry: value, review } : null;
}

function isFile(entry: TreeEntry | null): entry is FileEntry {
  return entry?.kind === 'file';
}
