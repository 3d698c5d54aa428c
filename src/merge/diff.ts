/** What changed between two files, hunk by hunk. */
import type { LineSpan } from './lines.ts';
import { slideRuns } from './slide.ts';

/** These lines of the old file became those of the new one. Between two hunks at least one line is the same. */
export interface Hunk {
  readonly before: LineSpan;
  readonly after: LineSpan;
}

/** For each line of the old file its partner in the new one, or -1. */
export type Matcher = (before: Int32Array, after: Int32Array) => Int32Array;

export function diffLines(before: Int32Array, after: Int32Array, match: Matcher): Hunk[] {
  const partners = match(before, after);
  const partnersBack = new Int32Array(after.length).fill(-1);
  for (let line = 0; line < partners.length; line++) {
    if (partners[line] !== -1) partnersBack[partners[line]!] = line;
  }
  slideRuns(before, partners, partnersBack);
  slideRuns(after, partnersBack, partners);
  return hunksOf(partners, after.length);
}

function hunksOf(partners: Int32Array, afterCount: number): Hunk[] {
  const hunks: Hunk[] = [];
  let fromBefore = 0;
  let fromAfter = 0;
  for (let line = 0; line <= partners.length; line++) {
    const partner = line === partners.length ? afterCount : partners[line]!;
    if (partner === -1) continue;
    if (line > fromBefore || partner > fromAfter) {
      hunks.push({ before: { from: fromBefore, to: line }, after: { from: fromAfter, to: partner } });
    }
    fromBefore = line + 1;
    fromAfter = partner + 1;
  }
  return hunks;
}
