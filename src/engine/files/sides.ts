/** How a file that two sides changed is resolved: one of them, both merged, a resolver's answer, or a conflict. */
import type { TextMerge } from '../../merge/result.ts';
import { mergeText } from '../../merge/text.ts';
import { phrase } from '../../phrase.ts';
import { type Asking, askResolvers } from '../../workspace/resolve/ask.ts';
import type { Attempt } from '../../workspace/resolve/resolver.ts';

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

export interface Settled {
  readonly file: SettledFile;
  /** The conflicts that a resolver answered: to be remembered once the answer is in the file. */
  readonly answered?: TextMerge;
}

export async function settleSides(
  asking: Asking,
  { path, base, ours, theirs }: Sides,
  signal: AbortSignal,
): Promise<Settled> {
  if (same(ours, theirs)) return { file: { status: 'unchanged', content: ours } };
  if (same(base, theirs)) return { file: { status: 'written', content: ours } };
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

const LABELS = { ours: "OURS (the agent's change)", theirs: 'THEIRS (the outside change)' };

function removed(content: Uint8Array, byUs: boolean): SettledFile {
  const why = byUs ? phrase`it was about to be removed, and they changed it` : phrase`they removed it`;
  return { status: 'conflict', content, why, conflicts: 1, attempts: [] };
}

function same(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
