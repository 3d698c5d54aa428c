/** The figures of merging, each with its bar. */
import { mergeText } from '../../src/merge/text.ts';
import type { GitMerge } from '../../test/merge/git-merges.ts';
import type { Figure, Measurement, Scratch } from '../harness.ts';
import { type RealMerge, readCorpus } from './corpus.ts';
import { bracesAndBlanks, largeFile, type Three } from './generated.ts';
import { type Judged, judgeMerges, mergedByGit } from './judge.ts';

export function mergeFigures(scratch: Scratch, corpus: string | undefined): Figure[] {
  return [...(corpus ? corpusFigures(scratch, corpus) : []), ...timeFigures()];
}

function corpusFigures(scratch: Scratch, corpus: string): Figure[] {
  let judged: ReturnType<typeof judgeAll> | undefined;
  const judge = () => {
    judged ??= judgeAll(readCorpus(corpus), scratch.fresh('git-merges'));
    return judged;
  };
  return [
    {
      name: 'merge: agreement with git merge-file on real merges',
      bar: { atLeast: 99.7, unit: '%' },
      how: 'rows of the corpus on which both are clean with the same bytes, or neither is clean',
      prepare: async () => once(() => judge().agreement),
    },
    {
      name: "merge: wrong clean merges / git's",
      bar: { atMost: 1 },
      how: 'clean, but not what the merge commit has: rows of ours / rows of git merge-file',
      prepare: async () => once(() => judge().wrong / judge().wrongByGit),
    },
    {
      name: 'merge: p95 on real merges',
      bar: { atMost: 1, unit: 'ms' },
      how: 'mergeText from bytes to bytes on every row of the corpus, one after another; the 95th percentile of a pass',
      prepare: async () => {
        const rows = readCorpus(corpus);
        return repeated(() => {
          const times = rows.map((row) => timeOf(row)).sort((a, b) => a - b);
          return times[Math.floor(times.length * 0.95)]!;
        });
      },
    },
  ];
}

function timeFigures(): Figure[] {
  return [
    {
      name: 'merge: 6,000 lines of } and blanks',
      bar: { atMost: 50, unit: 'ms' },
      how: 'three files of 6,000 lines, each line } or blank at random, independently of each other',
      prepare: async () => timed(bracesAndBlanks(6_000)),
    },
    {
      name: 'merge: 200,000 lines with 2,000 edits a side',
      bar: { atMost: 1_500, unit: 'ms' },
      how: 'lines of source text, a fifth of them common ones; a third each of the edits insert, delete, replace a line',
      prepare: async () => timed(largeFile(200_000, 2_000)),
    },
  ];
}

function judgeAll(rows: readonly RealMerge[], directory: string): Judged & { readonly wrongByGit: number } {
  const byGit = mergedByGit(rows, directory);
  const ours = rows.map(({ base, ours: mine, theirs }): GitMerge => {
    const { outcome, bytes } = mergeText(base, mine, theirs);
    return { clean: outcome === 'clean', bytes };
  });
  return { ...judgeMerges(rows, ours, byGit), wrongByGit: judgeMerges(rows, byGit, byGit).wrong };
}

function timed(files: Three): Measurement {
  return repeated(() => timeOf(files));
}

function timeOf({ base, ours, theirs }: Three): number {
  const begun = performance.now();
  mergeText(base, ours, theirs);
  return performance.now() - begun;
}

/** What does not vary is measured once and answered every round. */
function once(measure: () => number): Measurement {
  let value: number | undefined;
  return repeated(() => {
    value ??= measure();
    return value;
  });
}

function repeated(measure: () => number): Measurement {
  return { measure: async () => measure(), close: async () => {} };
}
