/** How a file that two sides changed is resolved: one of them, both merged, a resolver's answer, or a conflict. */
import { resolveConflicts, type TextMerge } from '../../merge/result.ts';
import { mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import { type Asking, askResolvers } from '../../workspace/resolve/ask.ts';
import type { Attempt } from '../../workspace/resolve/resolver.ts';
import { LABELS } from '../questions/conflict.ts';

/** Null where there is no file. */
export interface Sides {
  readonly path: string;
  readonly base: Uint8Array | null;
  readonly ours: Uint8Array | null;
  readonly theirs: Uint8Array | null;
}

export type SettledFile =
  | { readonly status: 'written' | 'unchanged'; readonly content: Uint8Array | null }
  | { readonly status: 'merged'; readonly content: Uint8Array }
  | { readonly status: 'resolved'; readonly content: Uint8Array; readonly by: string }
  | {
      readonly status: 'conflict';
      /** Both versions, conflicts between markers; the one there is where the other side removed it. */
      readonly content: Uint8Array;
      readonly why: string;
      readonly conflicts: number;
      readonly attempts: readonly Pick<Attempt, 'by' | 'complaints'>[];
    };

interface Settled {
  readonly file: SettledFile;
  /** The conflicts that a resolver answered: to be remembered once the answer is in the file. */
  readonly answered?: TextMerge;
}

export async function settleSides(
  asking: Asking,
  { path, base, ours, theirs }: Sides,
  signal: AbortSignal,
): Promise<Settled> {
  if (sameBytes(ours, theirs)) return { file: { status: 'unchanged', content: ours } };
  if (sameBytes(base, theirs)) return { file: { status: 'written', content: ours } };
  if (ours === null || theirs === null) return { file: removed(ours ?? theirs!, ours === null) };
  const whole = { path, base: base ?? new Uint8Array(), ours, theirs };
  const merge = mergeText(whole.base, ours, theirs, { labels: LABELS });
  if (merge.outcome === 'clean') return { file: { status: 'merged', content: merge.bytes } };
  const answer = await askResolvers(asking, whole, merge, signal);
  if (answer.resolved)
    return { file: { status: 'resolved', content: answer.bytes, by: answer.by }, answered: merge };
  const why = merge.reason
    ? phrase`both changed it, and it is ${merge.reason === 'binary' ? 'binary' : 'too large'}`
    : phrase`both changed the same lines`;
  const attempts = answer.attempts.map(({ by, complaints }) => ({ by, complaints }));
  const conflicts = merge.conflicts.length;
  return { file: { status: 'conflict', content: merge.bytes, why, conflicts, attempts } };
}

function removed(content: Uint8Array, byUs: boolean): SettledFile {
  const why = byUs ? phrase`it was about to be removed, and they changed it` : phrase`they removed it`;
  return { status: 'conflict', content, why, conflicts: 1, attempts: [] };
}

export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

/** For what may have been written before: the file has it, and others only added to it. */
export function alreadyThere({ base, ours, theirs }: Sides): Settled | null {
  if (!ours || !theirs || sameBytes(ours, theirs) || sameBytes(base, theirs)) return null;
  const built = builtOn(mergeText(base ?? new Uint8Array(), ours, theirs));
  return built && sameBytes(built, theirs) ? { file: { status: 'merged', content: theirs } } : null;
}

/** Where others left the task's lines as they are and added theirs, their version has both. */
export function builtOn(merge: TextMerge): Uint8Array | null {
  const settled = resolveConflicts(merge, ({ base, ours, theirs }) => {
    const [before, wanted, there] = [base, ours, theirs].map(linesOf) as [string[], string[], string[]];
    const added = addedTo(wanted, there);
    const removed = before.filter((line) => !wanted.includes(line));
    return added && !removed.some((line) => added.includes(line)) ? 'theirs' : undefined;
  });
  return settled.outcome === 'clean' ? settled.bytes : null;
}

/** Null unless all the lines are still there, in order. */
function addedTo(lines: readonly string[], there: readonly string[]): string[] | null {
  let at = 0;
  const added = there.filter((line) => line !== lines[at] || at++ < 0);
  return at === lines.length ? added : null;
}

function linesOf(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
