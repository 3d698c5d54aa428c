/**
 * Emphasis, where it can be shown. It is marked with a random sequence that no text can contain, and turned into control
 * sequences at the very end.
 */
import { randomBytes } from 'node:crypto';
import { harmless } from './width.ts';

export type Painter = (text: string) => string;

export interface Paint {
  readonly bold: Painter;
  readonly dim: Painter;
  readonly good: Painter;
  readonly warn: Painter;
  readonly bad: Painter;
}

const plain: Painter = (text) => text;

/** Of characters that are not used otherwise, and do not look like a secret. */
const MARK = String.fromCodePoint(...[...randomBytes(12)].map((byte) => 0xf0000 + byte));

export const noPaint: Paint = { bold: plain, dim: plain, good: plain, warn: plain, bad: plain };

export const ansiPaint: Paint = {
  bold: ansi(1, 22),
  dim: ansi(2, 22),
  good: ansi(32, 39),
  warn: ansi(33, 39),
  bad: ansi(31, 39),
};

function ansi(on: number, off: number): Painter {
  return (text) => (text === '' ? '' : `${MARK}${on}m${text}${MARK}${off}m`);
}

/** Everything that is written or asked goes through here: the only control sequences in it are our own. */
export function toScreen(text: string): string {
  const [first, ...painted] = text.split(MARK);
  return harmless(first!) + painted.map((part) => `\u001b[${harmless(part)}`).join('');
}
