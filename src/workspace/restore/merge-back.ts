/** Takes the task's own changes out of a file that others changed too: a three-way merge for each of them, backwards. */
import { hash } from 'node:crypto';
import type { TextMerge } from '../../merge/result.ts';
import { mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import { type Asking, askResolvers, type DisputedText } from '../resolve/ask.ts';
import type { Reader } from '../snapshot/reader.ts';
import { type FileEntry, sameEntry, type TreeEntry } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

export interface MergedBack {
  readonly entry: FileEntry;
  /** Its content, which nothing has stored yet; null where it is a version that was captured. */
  readonly bytes: Uint8Array | null;
  /** The last resolver that settled lines which both had changed. */
  readonly by?: string;
  /** What resolvers answered: to be remembered once it is in the file. */
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly merge: TextMerge;
  readonly bytes: Uint8Array;
  readonly by: string;
}

type Asked = Pick<Asking, 'storage' | 'root' | 'resolvers'>;

/** Changes and stores nothing. Null where both changed the same lines and no resolver has an answer, or the file is not text. */
export async function mergeBack(
  item: Pick<PlanItem, 'path' | 'current' | 'steps'>,
  reader: Reader,
  asked: Asked,
): Promise<MergedBack | null> {
  const answers: Answer[] = [];
  let value = item.current;
  /** What is in it, where it is a merge. */
  let merged: Uint8Array | null = null;
  for (const { before, after } of item.steps.toReversed()) {
    if (sameEntry(value, after)) {
      value = before;
      merged = null;
      continue;
    }
    if (!isFile(value) || !isFile(before) || !isFile(after)) return null;
    const files = [after, before, ...(merged ? [] : [value])].map((entry) => ({ path: item.path, entry }));
    const [base, ours, there]: Uint8Array[] = await reader.contents(files);
    const text: DisputedText = { path: item.path, base: base!, ours: ours!, theirs: (there ?? merged)! };
    const result: TextMerge = mergeText(text.base, text.theirs, text.ours);
    const settled = result.outcome === 'clean' ? result : await askAbout(text, asked);
    if (!settled) return null;
    if ('by' in settled) answers.push(settled);
    const { bytes } = settled;
    const mode: number = value.mode === after.mode ? before.mode : value.mode;
    value = { kind: 'file', mode, size: bytes.length, hash: hash('sha256', bytes) };
    merged = bytes;
  }
  if (!isFile(value)) return null;
  const by = answers.at(-1)?.by;
  return { entry: value, bytes: merged, answers, ...(by === undefined ? {} : { by }) };
}

/** Our side is the undo of the task's changes; the other side is the changes of others. */
async function askAbout(text: DisputedText, asked: Asked): Promise<Answer | null> {
  const merge = mergeText(text.base, text.ours, text.theirs);
  const asking = {
    ...asked,
    since: async () => null,
    intent: phrase`to undo what the task did to this file`,
  };
  const answer = await askResolvers(asking, text, merge);
  return answer.resolved ? { merge, bytes: answer.bytes, by: answer.by } : null;
}

function isFile(entry: TreeEntry | null): entry is FileEntry {
  return entry?.kind === 'file';
}
