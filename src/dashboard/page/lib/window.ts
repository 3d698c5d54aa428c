/** Which rows of a long list are in view. All rows have one height, so this is a division. Pure. */

interface Window {
  /** The first row that is drawn. */
  readonly from: number;
  /** The row after the last that is drawn. */
  readonly to: number;
  /** Pixels above the first. */
  readonly offset: number;
  /** Pixels of the whole list. */
  readonly height: number;
}

const AROUND = 6;

export function windowOf(scrolled: number, view: number, rowHeight: number, total: number): Window {
  const first = Math.floor(scrolled / rowHeight);
  const from = Math.min(Math.max(0, first - AROUND), Math.max(0, total - 1));
  const to = Math.min(total, Math.max(0, first) + Math.ceil(view / rowHeight) + AROUND);
  return { from: total === 0 ? 0 : from, to, offset: from * rowHeight, height: total * rowHeight };
}

/** Where to scroll so that a row is seen whole; null where it is already. */
export function scrollFor(row: number, scrolled: number, view: number, rowHeight: number): number | null {
  const top = row * rowHeight;
  if (top < scrolled) return top;
  if (top + rowHeight > scrolled + view) return top + rowHeight - view;
  return null;
}
