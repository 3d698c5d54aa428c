/** Rows in columns as wide as what is in them; the last one is cut if a line is too long. */
import type { Painter } from './paint.ts';
import { clip, pad, tidy, widthOf } from './width.ts';

/** Text as it is, or with its emphasis. */
export type Cell = string | readonly [text: string, paint: Painter];

const GAP = '  ';

export function table(rows: readonly (readonly Cell[])[], width: number | null): string[] {
  const texts = rows.map((row) => row.map(textOf));
  const count = Math.max(0, ...texts.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...texts.map((row) => widthOf(row[at] ?? ''))),
  );
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + GAP.length, 0);
  const room = width === null ? null : Math.max(MIN_LAST, width - before);
  return rows.map((row, at) =>
    row
      .map((cell, column) => {
        const text = texts[at]![column]!;
        const last = column === count - 1;
        const shown = last && room !== null ? clip(text, room) : text;
        const painted = typeof cell === 'string' ? shown : cell[1](shown);
        return last ? painted : painted + pad('', widths[column]! - widthOf(shown));
      })
      .join(GAP)
      .trimEnd(),
  );
}

const MIN_LAST = 10;

function textOf(cell: Cell): string {
  return tidy(typeof cell === 'string' ? cell : cell[0]);
}
