/**
 * `npm run bench:workspace [-- --corpus DIR]`: what capturing and restoring files costs beside a shadow git repository,
 * and merging text against git and the clock. The corpus is a directory of `*.jsonl.gz` files with one real merge a line
 * (`base`, `ours`, `theirs`, `human`); without it, its figures are left out.
 */
import { openScratch, runBench } from './harness.ts';
import { takeCorpus } from './merge/corpus.ts';
import { mergeFigures } from './merge/figures.ts';
import { workspaceFigures } from './workspace/figures.ts';

const { corpus, rest } = takeCorpus(process.argv.slice(2));
const scratch = openScratch();
if (!corpus)
  console.error('left out without --corpus DIR: agreement with git, wrong clean merges, time on real merges');
try {
  const figures = [...workspaceFigures(scratch), ...mergeFigures(scratch, corpus)];
  process.exitCode = await runBench({ name: 'workspace', figures, directory: scratch.directory }, rest);
} finally {
  scratch.remove();
}
