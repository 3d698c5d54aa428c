/** Conflicts, decided one by one: by their numbers, from 1. Pure. */
import { type Resolution, resolveConflicts, type TextMerge } from './result.ts';

export const DECISIONS = ['ours', 'theirs', 'both', 'base', 'suggested'] as const;
export type Decision = (typeof DECISIONS)[number];

/** By the number of the conflict. */
export type Decisions = ReadonlyMap<number, Decision>;

interface Decided {
  readonly bytes: Uint8Array;
  /** Conflicts about which nothing is decided. */
  readonly open: readonly number[];
}

/** `first`: the number of the first conflict. `suggested`: what takes the place of one, by its index. */
export function decide(
  merge: TextMerge,
  decisions: Decisions,
  first = 1,
  suggested: (index: number) => Uint8Array | undefined = () => undefined,
): Decided {
  const open: number[] = [];
  const { bytes } = resolveConflicts(merge, (conflict, index): Resolution => {
    const decision = decisions.get(first + index);
    const own = decision === 'suggested' ? suggested(index) : undefined;
    if (decision === undefined || (decision === 'suggested' && !own)) open.push(first + index);
    if (decision === 'suggested') return own;
    return decision === 'both' ? both(conflict) : decision;
  });
  return { bytes, open };
}

/** Ours, then theirs, each on lines of its own. */
function both({ ours, theirs, newline }: TextMerge['conflicts'][number]): Uint8Array {
  const ends = ours.length === 0 || ours.at(-1) === 10;
  return Buffer.concat([ours, ...(ends ? [] : [Buffer.from(newline)]), theirs]);
}
