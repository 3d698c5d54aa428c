/** Against the real thing: thousands of generated merges, each also done by `git merge-file`. */
import { expect, test } from 'vitest';
import { lineReader } from '../../src/merge/lines.ts';
import { toPieces } from '../../src/merge/pieces.ts';
import { findRegions } from '../../src/merge/regions.ts';
import { toResult } from '../../src/merge/result.ts';
import { matchShortest } from '../../src/merge/shortest.ts';
import { type ConflictStyle, inStyle } from '../../src/merge/style.ts';
import { mergeText } from '../../src/merge/text.ts';
import { tempDirs } from '../support/temp.ts';
import { drawFrom, type MergeCase, makeCase } from './cases.ts';
import { gitMerges } from './git-merges.ts';

const temp = tempDirs();
const STYLES: readonly ConflictStyle[] = ['zdiff3', 'diff3', 'merge'];

test('agrees with git on what is clean, and on the text when it is', () => {
  const draw = drawFrom(20_261);
  const cases = Array.from({ length: 1_500 }, (_, index) => ({
    ...makeCase(draw),
    style: STYLES[index % 3]!,
  }));
  const byGit = gitMerges(temp(), cases);
  const count = { agreed: 0, bolder: 0, otherText: 0, conflicts: 0, sameMarkers: 0, sameAsGit: 0 };
  cases.forEach((files, index) => {
    const { clean, bytes } = byGit[index]!;
    const merged = mergeText(files.base, files.ours, files.theirs, { style: files.style });
    const same = Buffer.compare(merged.bytes, bytes) === 0;
    if (merged.outcome === 'clean') {
      if (!clean) count.bolder++;
      else if (!same) count.otherText++;
      else count.agreed++;
    } else if (!clean) {
      count.agreed++;
      count.conflicts++;
      if (same) count.sameMarkers++;
    }
    if (Buffer.compare(shortestOnly(files, files.style), bytes) === 0) count.sameAsGit++;
  });
  // Git's versions differ in rare ties; 2.39 gives 0, 0 and all.
  expect(count.bolder).toBeLessThanOrEqual(3);
  expect(count.otherText).toBeLessThanOrEqual(3);
  expect(count.sameAsGit).toBeGreaterThanOrEqual(0.995 * cases.length);
  expect(count.agreed).toBeGreaterThanOrEqual(0.995 * cases.length);
  expect(count.conflicts).toBeGreaterThan(400);
  expect(count.sameMarkers).toBeGreaterThanOrEqual(0.93 * count.conflicts);
});

/** The merge as git computes it, without the second opinion. */
function shortestOnly(files: MergeCase, style: ConflictStyle): Uint8Array {
  const read = lineReader();
  const sides = { base: read(files.base), ours: read(files.ours), theirs: read(files.theirs) };
  const pieces = toPieces(sides, inStyle(style, sides, findRegions(sides, matchShortest)));
  const labels = { ours: 'ours', base: 'base', theirs: 'theirs' };
  return toResult(pieces, { style, labels, size: 7 }).bytes;
}
