/** The entries of a log, oldest first: of all that a log holds, they are read most often and are the most. */
import type * as io from '../../../system/io.ts';
import { openBlocks } from './blocks.ts';
import { entryLine, hashOf, seqOf } from './entry-line.ts';
import { entriesOf, type FrameEntry, frameIn, intactSum, SUM_LENGTH } from './frame.ts';
import { scanForward } from './log.ts';

/**
 * Those of the frames from `start` up to `end`, as many together as were read together, each line verified. Ends and throws as
 * `scanForward` does. The texts are cut out of longer ones, which stay in memory for as long as one of them is kept.
 */
export function* scanEntries(
  file: io.OpenFile,
  start: number,
  previousSum: string,
  end: number,
): Generator<readonly FrameEntry[], void> {
  const blocks = openBlocks(file, start);
  let found: FrameEntry[] = [];
  let sum = previousSum;
  let at = start;
  let first = start;
  while (at < end) {
    const newline = blocks.lineEnd(at);
    if (newline < 0) break;
    if (first !== blocks.first) {
      if (found.length > 0) yield found;
      found = [];
      first = blocks.first;
    }
    const { bytes } = blocks;
    const own = intactSum(bytes, at - first, newline, sum, at > first);
    if (own === null) break;
    const line = entryLine(bytes, at - first, newline - SUM_LENGTH);
    if (line) {
      const text = blocks.text(line.textAt, line.textEnd);
      found.push({ seq: seqOf(bytes, line), hash: hashOf(bytes, line), text });
    } else {
      const frame = frameIn(bytes, at - first, newline, own);
      if (!frame) break;
      if (frame.meta.e) found.push(...entriesOf(frame));
    }
    sum = own;
    at = first + newline + 1;
  }
  if (found.length > 0) yield found;
  // The end of the file, damage, or what another process is writing.
  if (at < end)
    for (const { frame } of scanForward(file, at, sum, end)) if (frame.meta.e) yield entriesOf(frame);
}
