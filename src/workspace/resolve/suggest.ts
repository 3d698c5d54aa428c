/** Suggestions for a conflict. About half of them are right, so they are shown, never applied. */
import type { TextConflict } from '../../merge/pieces.ts';

export interface Suggestion {
  /** Which conflict of the file, counted from 0. */
  readonly conflict: number;
  /** `recorded`: the same three hunks were resolved so before. */
  readonly by: 'recorded' | 'both added' | 'whitespace';
  readonly bytes: Uint8Array;
}

export function suggestFor(conflicts: readonly TextConflict[]): Suggestion[] {
  return conflicts.flatMap((conflict, index) => {
    const guesses: Suggestion[] = [];
    const guess = (by: Suggestion['by'], bytes: Uint8Array) => guesses.push({ conflict: index, by, bytes });
    const { base, ours, theirs } = conflict;
    if (base.length === 0 && ours.length > 0 && theirs.length > 0)
      guess('both added', Buffer.concat([ours, theirs]));
    const side = whoseWords(conflict);
    if (side) guess('whitespace', conflict[side]);
    return guesses;
  });
}

/** Where one side changed nothing but white space, the other side is suggested. */
function whoseWords({ base, ours, theirs }: TextConflict): 'ours' | 'theirs' | undefined {
  const [before, mine, yours] = [base, ours, theirs].map(words) as [string, string, string];
  if (mine === yours || mine === before) return 'theirs';
  return yours === before ? 'ours' : undefined;
}

function words(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').replace(/\s+/g, '');
}
