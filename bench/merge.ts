/**
 * `node bench/merge.ts [--corpus DIR]`: merging text against git and against the clock. The corpus is a directory of
 * `*.jsonl.gz` files with one real merge a line (`base`, `ours`, `theirs`, `human`); without it, its figures are left out.
 */
import { openScratch, runBench } from './harness.ts';
import { takeCorpus } from './merge/corpus.ts';
import { mergeFigures } from './merge/figures.ts';

const { corpus, rest } = takeCorpus(process.argv.slice(2));
const scratch = openScratch();
if (!corpus)
  console.error('left out without --corpus DIR: agreement with git, wrong clean merges, time on real merges');
try {
  process.exitCode = await runBench(
    { name: 'merge', figures: mergeFigures(scratch, corpus), directory: scratch.directory },
    rest,
  );
} finally {
  scratch.remove();
}
