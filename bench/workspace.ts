/**
 * `npm run bench:workspace [-- --corpus DIR]`: what capturing and restoring files costs beside a shadow git repository,
 * and merging text against git and the clock. The corpus is a directory of `*.jsonl.gz` files with one real merge a line
 * (`base`, `ours`, `theirs`, `human`); without it, its figures are left out.
 */
import { benchMain } from './harness.ts';
import { takeCorpus } from './merge/corpus.ts';
import { mergeFigures } from './merge/figures.ts';
import { workspaceFigures } from './workspace/figures.ts';

const { corpus, rest } = takeCorpus(process.argv.slice(2));
if (!corpus)
  console.error('left out without --corpus DIR: agreement with git, wrong clean merges, time on real merges');
await benchMain(
  'workspace',
  (scratch) => [...workspaceFigures(scratch), ...mergeFigures(scratch, corpus)],
  rest,
);
