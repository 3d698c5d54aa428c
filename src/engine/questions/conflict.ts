/** A conflict as people see it, and as they resolve it: hunk by hunk, over the same merge that the task uses. */
import { InvalidInputError } from '../../errors.ts';
import { type Decisions, decide } from '../../merge/decide.ts';
import type { TextMerge } from '../../merge/result.ts';
import { type MergeOptions, mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { noSuchHunk, undecided } from '../../workspace/resolve/by-hunks.ts';
import { problemsIn } from '../../workspace/resolve/check.ts';
import { recordedFor } from '../../workspace/resolve/recorded.ts';
import { type Suggestion, suggestFor } from '../../workspace/resolve/suggest.ts';
import type { FileVersions } from '../api/prompter.ts';
import { MASK } from '../secrets/detect.ts';

/** How conflicts of tasks with others are written out. */
export const LABELS: NonNullable<MergeOptions['labels']> = {
  ours: "OURS (the agent's change)",
  theirs: 'THEIRS (the outside change)',
};

export interface Conflict {
  readonly path: string;
  readonly versions: FileVersions;
  readonly merge: TextMerge;
  readonly suggestions: readonly Suggestion[];
}

export async function conflictOf(storage: Storage, path: string, versions: FileVersions): Promise<Conflict> {
  const merge = mergeText(versions.base, versions.ours, versions.theirs, { labels: LABELS });
  const suggestions = [...(await recordedFor(storage, merge)), ...suggestFor(merge.conflicts)];
  return { path, versions, merge, suggestions };
}

/** The file with each conflict decided, by its number from 1. USAGE names those that are not. */
export function decided({ path, merge, suggestions }: Conflict, decisions: Decisions): Uint8Array {
  const count = merge.conflicts.length;
  const unknown = [...decisions.keys()].filter((number) => !(number >= 1 && number <= count));
  if (unknown.length > 0) throw noSuchHunk(path, unknown, count);
  const { bytes, open } = decide(
    merge,
    decisions,
    1,
    (index) => suggestions.find((one) => one.conflict === index)?.bytes,
  );
  if (open.length > 0) throw undecided(path, open);
  return bytes;
}

/** Refused here, where it can still be corrected: the task would not take it. */
export function assertTaken({ path, versions, merge, suggestions }: Conflict, content: Uint8Array): void {
  const nothing = { agent_intent: '', inferred_external_intent: '' };
  const complaints = problemsIn({ path, ...versions, merge, suggestions, ...nothing }, content);
  if (complaints.length === 0) return;
  throw new InvalidInputError('USAGE', phrase`This is no resolution of ${path}: ${complaints}.`, {
    data: { path, complaints },
    hint: phrase`Nothing was changed. Correct it and send it again.`,
  });
}

/** Secrets are masked where a conflict is shown: what is copied from there would replace them. */
export function assertUnmasked(
  { path, versions }: Pick<Conflict, 'path' | 'versions'>,
  content: Uint8Array,
): void {
  const has = (bytes: Uint8Array) => Buffer.from(bytes).includes(MASK);
  if (!has(content) || Object.values(versions).some(has)) return;
  throw new InvalidInputError('USAGE', phrase`This text has masked secrets in the place of real ones.`, {
    data: { path },
    hint: phrase`Nothing was changed. Resolve ${path} hunk by hunk, or send the file as it is on disk.`,
  });
}
