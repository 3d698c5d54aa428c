/** Decisions about the places of a conflict, and the file that follows from them. Pure. */
import type { Conflicted, ConflictHunk } from '../../shapes/files.ts';

/** By the number of the place, from 1. */
export type Decisions = ReadonlyMap<number, string>;

/** What is decided about: pieces of a file, in order. */
export interface Decided extends Pick<Conflicted, 'hunks'> {
  /** Its lines are not all shown. */
  readonly cut: boolean;
}

/** A version of each place, and what it is called. */
export interface Column {
  readonly kind: 'ours' | 'base' | 'theirs';
  readonly label: string;
}

export interface Region {
  readonly hunk: ConflictHunk;
  /** The lines around it. */
  readonly above: string;
  readonly below: string;
}

const AROUND = 3;

export function regionsIn({ hunks }: Pick<Conflicted, 'hunks'>): Region[] {
  return hunks.flatMap((hunk, at) =>
    hunk.index === null
      ? []
      : [
          {
            hunk,
            above: lines(hunks[at - 1]?.text ?? '')
              .slice(-AROUND)
              .join(''),
            below: lines(hunks[at + 1]?.text ?? '')
              .slice(0, AROUND)
              .join(''),
          },
        ],
  );
}

/** Those about which nothing is decided. */
export function openIn({ hunks }: Pick<Conflicted, 'hunks'>, decisions: Decisions): number[] {
  return hunks.flatMap(({ index }) => (index === null || decisions.has(index) ? [] : [index]));
}

interface ResultPart {
  readonly text: string;
  readonly decided: boolean;
  readonly open: boolean;
  /** Of a place. */
  readonly index: number | null;
}

export function resultOf({ hunks }: Pick<Conflicted, 'hunks'>, decisions: Decisions): ResultPart[] {
  return hunks.map((hunk) => {
    if (hunk.index === null) return { text: hunk.text ?? '', decided: false, open: false, index: null };
    const decision = decisions.get(hunk.index);
    const { index } = hunk;
    if (decision === undefined) return { text: '', decided: false, open: true, index };
    return { text: textOf(hunk, decision), decided: true, open: false, index };
  });
}

export function textIn(parts: readonly ResultPart[]): string {
  return parts.map(({ text }) => text).join('');
}

const MASK = '••••••';

/** Whether secrets were left out of what is shown: the text would replace them. */
export function isMasked({ hunks }: Pick<Conflicted, 'hunks'>): boolean {
  return hunks.some(({ text, ours, base, theirs }) =>
    [text, ours, base, theirs].some((one) => one?.includes(MASK)),
  );
}

/** As the server makes it of the decision. */
function textOf({ ours, base, theirs, suggestions }: ConflictHunk, decision: string): string {
  if (decision === 'ours') return ours ?? '';
  if (decision === 'theirs') return theirs ?? '';
  if (decision === 'base') return base ?? '';
  if (decision === 'suggested') return suggestions[0]?.text ?? '';
  const first = ours ?? '';
  return `${first}${first === '' || first.endsWith('\n') ? '' : '\n'}${theirs ?? ''}`;
}

/** Each with its line break. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
