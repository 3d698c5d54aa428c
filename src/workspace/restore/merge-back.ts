/** Takes the task's own changes out of a file that others changed too: a three-way merge for each of them, backwards. */
import { hash } from 'node:crypto';
import { InvalidInputError } from '../../errors.ts';
import { type Decisions, decide } from '../../merge/decide.ts';
import type { TextMerge } from '../../merge/result.ts';
import { mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import { type Asking, askResolvers, type DisputedText } from '../resolve/ask.ts';
import { noSuchHunk } from '../resolve/by-hunks.ts';
import type { Reader } from '../snapshot/reader.ts';
import { type FileEntry, sameEntry, type TreeEntry } from '../tree/tree.ts';
import type { RestoreChoices } from './decide.ts';
import type { PlanItem } from './plan.ts';

export interface MergedBack {
  readonly entry: FileEntry;
  /** Its content, which nothing has stored yet; null where it is a version that was captured. */
  readonly bytes: Uint8Array | null;
  /** The last resolver that settled lines which both had changed. */
  readonly by?: string;
  /** What resolvers answered: to be remembered once it is in the file. */
  readonly answers: readonly Answer[];
  /** Somebody decided about lines that both had changed. */
  readonly decided: boolean;
}

/** Lines that both changed, and nobody has decided about. */
export interface BackConflict {
  /** Ours is the file before the task, the base is as the task left it, theirs is as it is. */
  readonly merge: TextMerge;
  readonly versions: Readonly<Record<'base' | 'ours' | 'theirs', Uint8Array>>;
  /** The number of its first conflict: earlier ones of the file are decided. */
  readonly first: number;
}

/** `conflict`: null where it is not a question of lines. */
export interface NotMerged {
  readonly entry: null;
  readonly conflict: BackConflict | null;
}

export function isMergedBack(result: MergedBack | NotMerged): result is MergedBack {
  return result.entry !== null;
}

export interface Answer {
  readonly merge: TextMerge;
  readonly bytes: Uint8Array;
  readonly by: string;
}

interface Asked extends Pick<Asking, 'storage' | 'root' | 'resolvers'> {
  /** Of somebody, about the lines that resolvers have no answer for. */
  readonly decisions?: Decisions | undefined;
  readonly intent?: string | undefined;
}

/** Changes and stores nothing. Not merged where both changed the same lines and nobody has an answer, or it is not text. */
export async function mergeBack(
  item: Pick<PlanItem, 'path' | 'current' | 'steps'>,
  reader: Reader,
  asked: Asked,
): Promise<MergedBack | NotMerged> {
  const answers: Answer[] = [];
  let count = 0;
  let value = item.current;
  /** What is in it, where it is a merge. */
  let merged: Uint8Array | null = null;
  for (const { before, after } of item.steps.toReversed()) {
    if (sameEntry(value, after)) {
      value = before;
      merged = null;
      continue;
    }
    if (!isFile(value) || !isFile(before) || !isFile(after)) return UNMERGEABLE;
    const files = [after, before, ...(merged ? [] : [value])].map((entry) => ({ path: item.path, entry }));
    const [base, ours, there]: Uint8Array[] = await reader.contents(files);
    const text: DisputedText = { path: item.path, base: base!, ours: ours!, theirs: (there ?? merged)! };
    const result: TextMerge = mergeText(text.base, text.theirs, text.ours);
    const settled = result.outcome === 'clean' ? result : await askAbout(text, asked);
    if ('conflict' in settled) {
      const { conflict } = settled;
      const { bytes: chosen, open } = decide(conflict, asked.decisions ?? new Map(), count + 1);
      if (open.length > 0 || conflict.outcome !== 'conflict') {
        const { base, ours, theirs } = text;
        return {
          entry: null,
          conflict: { merge: conflict, versions: { base, ours, theirs }, first: count + 1 },
        };
      }
      count += conflict.conflicts.length;
      merged = chosen;
    } else merged = settled.bytes;
    if ('by' in settled) answers.push(settled);
    const mode: number = value.mode === after.mode ? before.mode : value.mode;
    value = { kind: 'file', mode, size: merged.length, hash: hash('sha256', merged) };
  }
  if (!isFile(value)) return UNMERGEABLE;
  const unknown = [...(asked.decisions?.keys() ?? [])].filter((number) => number > count);
  if (unknown.length > 0) throw noSuchHunk(item.path, unknown, count);
  const by = answers.at(-1)?.by;
  return { entry: value, bytes: merged, answers, decided: count > 0, ...(by === undefined ? {} : { by }) };
}

interface HowMerged extends Pick<RestoreChoices, 'contents' | 'hunks'> {
  readonly intent?: string;
  readonly resolvers?: Asked['resolvers'];
}

/** As somebody gave it, or as it merges by what was decided about its lines; the answers of resolvers have to be known then. */
export async function mergedAs(
  { root, storage, reader }: Pick<Asked, 'root' | 'storage'> & { readonly reader: Reader },
  item: PlanItem,
  { contents, hunks, resolvers = [], intent }: HowMerged,
  foreseeable = false,
): Promise<MergedBack | NotMerged> {
  const given = contents?.[item.path];
  if (given) return { entry: givenBack(item, given), bytes: given, answers: [], decided: true };
  const decisions = hunks?.[item.path];
  const sure = decisions || foreseeable ? resolvers.filter((one) => one.foreseeable) : resolvers;
  return mergeBack(item, reader, { root, storage, resolvers: sure, decisions, intent });
}

const UNMERGEABLE: NotMerged = { entry: null, conflict: null };

/** A file as somebody gives it: with the mode that taking back the task's changes gives it. */
function givenBack(item: Pick<PlanItem, 'current' | 'steps'>, bytes: Uint8Array): FileEntry {
  const there = isFile(item.current) ? item.current.mode : 0o644;
  const mode = item.steps.toReversed().reduce((now, { before, after }) => {
    const isTasks = isFile(after) && isFile(before) && now === after.mode;
    return isTasks ? before.mode : now;
  }, there);
  return { kind: 'file', mode, size: bytes.length, hash: hash('sha256', bytes) };
}

/** Our side is the undo of the task's changes; the other side is the changes of others. */
async function askAbout(text: DisputedText, asked: Asked): Promise<Answer | { conflict: TextMerge }> {
  const merge = mergeText(text.base, text.ours, text.theirs);
  const asking = {
    ...asked,
    since: async () => null,
    intent: asked.intent ?? phrase`to undo what the task did to this file`,
  };
  const answer = await askResolvers(asking, text, merge);
  return answer.resolved ? { merge, bytes: answer.bytes, by: answer.by } : { conflict: merge };
}

function isFile(entry: TreeEntry | null): entry is FileEntry {
  return entry?.kind === 'file';
}

/** Names the conflicts that are left. */
export function undecidedLines(path: string, conflict: BackConflict | null): InvalidInputError {
  const count = conflict?.merge.conflicts.length ?? 0;
  const open = Array.from({ length: count }, (_, index) => (conflict?.first ?? 1) + index);
  return new InvalidInputError('USAGE', phrase`Not every conflict of ${path} is decided: look at ${open}.`, {
    data: { path, open },
    hint: phrase`Nothing was changed. Decide each by --hunk ${path}:1=yours, before, task or both; --dry-run --path ${path} shows them.`,
  });
}
