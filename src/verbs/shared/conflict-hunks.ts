/** The places of a conflict as data and as lines: what is the same on both sides, and the versions of the rest. */
import type { Conflict } from '../../engine/questions/conflict.ts';
import { insideKeys, KEY_BEGINS } from '../../merge/inside-keys.ts';
import type { Call } from '../kit/verb.ts';

/** Of a longer file, only the lines around the conflicts are shown. */
const MOST_BYTES = 1024 * 1024;
const AROUND = 3;

interface Shown extends Pick<Conflict, 'merge' | 'versions'> {
  readonly suggestions?: Conflict['suggestions'];
  /** The number of its first conflict; default: 1. */
  readonly first?: number;
}

export function shownConflict(conflict: Shown) {
  const { merge, versions } = conflict;
  const cut = Object.values(versions).some((bytes) => bytes.length > MOST_BYTES);
  // As a whole only: there are no places to show.
  const hunks = merge.reason === undefined ? hunksOf(conflict, cut) : [];
  return { cut, hunks, unmergeable: merge.reason ?? null };
}

function hunksOf({ merge, suggestions = [], first = 1 }: Shown, cut: boolean) {
  const inside = beginInside(merge.pieces);
  let index = 0;
  return merge.pieces.map((piece, at) => {
    const inside_key = inside[at]!;
    if (piece.kind === 'settled') {
      const text = textOf(piece.bytes);
      return { ...NO_HUNK, kind: 'same', text: cut ? middleCut(text) : text, inside_key };
    }
    const own = suggestions.filter((one) => one.conflict === index);
    const { base, ours, theirs, lines } = piece;
    return {
      index: first + index++,
      kind: 'conflict',
      text: null,
      base: textOf(base),
      ours: textOf(ours),
      theirs: textOf(theirs),
      at: [lines.base, lines.ours, lines.theirs].map(({ from, to }) => ({
        start: from + 1,
        count: to - from,
      })),
      // One is made of the lines of both sides.
      suggestions: own.map(({ by, bytes }) => ({
        by,
        text: textOf(bytes),
        inside_key: inside_key.length > 0 ? ['text'] : [],
      })),
      inside_key,
    };
  });
}

const SIDES = ['base', 'ours', 'theirs'] as const;
type Side = (typeof SIDES)[number];

/** Of each piece, the members that begin inside a private key: seen in each version of the file as a whole. */
function beginInside(pieces: Conflict['merge']['pieces']): string[][] {
  const found: string[][] = pieces.map(() => []);
  for (const side of SIDES) {
    const texts = pieces.map((piece) => textOf(piece.kind === 'settled' ? piece.bytes : piece[side]));
    const isInside = insideKeys(texts.join(''));
    let from = 0;
    for (const [at, text] of texts.entries()) {
      const name = pieces[at]!.kind === 'settled' ? 'text' : side;
      if (isInside(from) && !found[at]!.includes(name)) found[at]!.push(name);
      from += text.length;
    }
  }
  return found;
}

const NO_HUNK = { index: null, base: null, ours: null, theirs: null, at: [], suggestions: [] };

type ConflictHunk = ReturnType<typeof hunksOf>[number];

function middleCut(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= 2 * AROUND + 1) return text;
  const last = lines.slice(-AROUND - 1).join('\n');
  const isInside = insideKeys(text)(text.length - last.length);
  return [...lines.slice(0, AROUND), isInside ? `… ${KEY_BEGINS}` : '…', last].join('\n');
}

/** In the order of the labels. What is the same on both sides is shown next to the conflicts only. */
export function conflictLines(
  hunk: ConflictHunk,
  labels: Readonly<Record<Side, string>>,
  { paint, say }: Pick<Call, 'paint' | 'say'>,
): string[] {
  const { index, text, suggestions, inside_key } = hunk;
  const begun = (isInside: boolean): string[] => (isInside ? [`… ${KEY_BEGINS}`] : []);
  if (index === null) {
    const shown = [...begun(inside_key.length > 0), ...linesIn(middleCut(text ?? ''))];
    return shown.map((line) => paint.dim(`  ${line}`));
  }
  const part = (label: string, content: string | null, isInside: boolean): string[] => [
    `  ${paint.bold(label)}`,
    ...[...begun(isInside), ...linesIn(content ?? '')].map((line) => `  │ ${line}`),
  ];
  return [
    paint.warn(say('conflicts.hunk', { number: index })),
    ...(Object.keys(labels) as Side[]).flatMap((side) =>
      part(labels[side], hunk[side], inside_key.includes(side)),
    ),
    ...suggestions.flatMap((one) => part(say('conflicts.suggested'), one.text, one.inside_key.length > 0)),
  ];
}

function linesIn(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
