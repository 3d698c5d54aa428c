/** Takes the task's own changes out of a file that others changed too: a three-way merge for each of them, backwards. */
import type { TextMerge } from '../../merge/result.ts';
import { mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import { type Asking, askResolvers, type DisputedText } from '../resolve/ask.ts';
import type { Reader } from '../snapshot/reader.ts';
import { type FileEntry, sameEntry, type TreeEntry } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

export interface MergedBack {
  readonly entry: FileEntry;
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

/** Null where both changed the same lines and no resolver has an answer, or the file is not text. */
export async function mergeBack(
  item: Pick<PlanItem, 'path' | 'current' | 'steps'>,
  reader: Reader,
  asked: Asked,
): Promise<MergedBack | null> {
  const answers: Answer[] = [];
  let value = item.current;
  for (const { before, after } of item.steps.toReversed()) {
    if (sameEntry(value, after)) {
      value = before;
      continue;
    }
    if (!isFile(value) || !isFile(before) || !isFile(after)) return null;
    const files = [after, before, value].map((entry) => ({ path: item.path, entry }));
    const [base, ours, theirs] = (await reader.contents(files)) as [Uint8Array, Uint8Array, Uint8Array];
    const merged = mergeText(base, theirs, ours);
    const settled =
      merged.outcome === 'clean' ? merged : await askAbout({ path: item.path, base, ours, theirs }, asked);
    if (!settled) return null;
    if ('by' in settled) answers.push(settled);
    const [blob] = await asked.storage.putBlobs(null, [{ kind: 'file', bytes: settled.bytes }]);
    const mode = value.mode === after.mode ? before.mode : value.mode;
    value = { kind: 'file', mode, size: settled.bytes.length, hash: blob!.slice('file/'.length) };
  }
  if (!isFile(value)) return null;
  const by = answers.at(-1)?.by;
  return { entry: value, answers, ...(by === undefined ? {} : { by }) };
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
