/** The labels along a line: each within it, and none over another. Pure. */

interface Label {
  /** Its middle. */
  readonly at: number;
  readonly text: string;
}

const APART = 8;

/** Those for which there is room, from the left. */
export function labelsOf(labels: readonly Label[], width: number): Label[] {
  const shown: Label[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { at, text } of labels) {
    const half = widthOf(text) / 2;
    const middle = Math.min(at, width - half);
    if (middle - half < end + APART) continue;
    shown.push({ at: middle, text });
    end = middle + half;
  }
  return shown;
}

/** About as wide as it is drawn: a Chinese character takes the room of two others. */
export function widthOf(text: string): number {
  return [...text].reduce((sum, one) => sum + (one > '\u2e7f' ? 13 : 7), 0);
}
