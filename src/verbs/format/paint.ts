/** Emphasis, where it can be shown. */
export type Painter = (text: string) => string;

export interface Paint {
  readonly bold: Painter;
  readonly dim: Painter;
  readonly good: Painter;
  readonly warn: Painter;
  readonly bad: Painter;
}

const plain: Painter = (text) => text;

export const noPaint: Paint = { bold: plain, dim: plain, good: plain, warn: plain, bad: plain };

export const ansiPaint: Paint = {
  bold: ansi(1, 22),
  dim: ansi(2, 22),
  good: ansi(32, 39),
  warn: ansi(33, 39),
  bad: ansi(31, 39),
};

function ansi(on: number, off: number): Painter {
  return (text) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
}
