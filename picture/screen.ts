/** What a terminal shows after it was sent these bytes: rows of cells, the lines that scrolled away included. */

export interface Style {
  readonly colour: Colour | null;
  readonly bold: boolean;
  readonly dim: boolean;
}

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey';

/** A character with its style; a wide one is followed by an empty cell. */
export interface Cell {
  readonly text: string;
  readonly style: Style;
}

export type Row = readonly Cell[];

const PLAIN: Style = { colour: null, bold: false, dim: false };
const BLANK: Cell = { text: ' ', style: PLAIN };
const COLOURS: readonly (Colour | null)[] = [null, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null];

/** Knows what our own output and that of @clack/prompts uses: cursor moves, erasing, colours. */
export function screenAfter(raw: string, widthOf: (text: string) => number): Row[] {
  const rows: Cell[][] = [[]];
  let style = PLAIN;
  let row = 0;
  let column = 0;
  const rowAt = (at: number): Cell[] => {
    while (rows.length <= at) rows.push([]);
    return rows[at]!;
  };
  const put = (text: string): void => {
    const cells = rowAt(row);
    while (cells.length < column) cells.push(BLANK);
    cells[column++] = { text, style };
    if (widthOf(text) === 2) cells[column++] = { text: '', style };
  };
  const steer = (code: string, numbers: readonly number[]): void => {
    const by = Math.max(1, numbers[0] ?? 1);
    if (code === 'm') style = numbers.reduce(restyled, style);
    else if (code === 'A') row = Math.max(0, row - by);
    else if (code === 'B') row += by;
    else if (code === 'C') column += by;
    else if (code === 'D') column = Math.max(0, column - by);
    else if (code === 'G') column = by - 1;
    else if (code === 'K') eraseLine(rowAt(row), numbers[0] ?? 0);
    else if (code === 'J') {
      rowAt(row).splice(column);
      rows.splice(row + 1);
    }
  };
  const eraseLine = (cells: Cell[], mode: number): void => {
    if (mode === 0) cells.splice(column);
    else if (mode === 2) cells.splice(0);
    else cells.fill(BLANK, 0, Math.min(cells.length, column + 1));
  };
  for (const [all, parameters, code] of raw.matchAll(TOKENS)) {
    if (code !== undefined) steer(code, numbersIn(parameters!));
    else if (all === '\r') column = 0;
    else if (all === '\n') rowAt(++row);
    else if (!all.startsWith('\u001b') && all >= ' ') put(all);
  }
  return rows;
}

export function textOf(row: Row): string {
  return row
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Sequences that steer, others that begin with an escape, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals are steered with.
const TOKENS = /\u001b\[([0-9;?]*)[ -/]*([@-~])|\u001b[^[]|[\s\S]/gu;

function numbersIn(parameters: string): number[] {
  if (parameters.startsWith('?')) return [];
  return parameters.split(';').map((number) => (number === '' ? 0 : Number(number)));
}

function restyled(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: null };
  if (code === 90) return { ...style, colour: 'grey' };
  if (code >= 30 && code <= 37) return { ...style, colour: COLOURS[code - 30] ?? null };
  return style;
}
