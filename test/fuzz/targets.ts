/** Everything that reads what can come from outside. */
import type { Target } from './target.ts';
import { entries } from './targets/entries.ts';
import { FILES } from './targets/files.ts';
import { PORTABLE } from './targets/portable.ts';
import { RECORDS } from './targets/records.ts';
import { DATABASES } from './targets/sqlite.ts';
import { STORES } from './targets/store.ts';
import { STORED } from './targets/stored.ts';
import { WORDS } from './targets/words.ts';

export const TARGETS: readonly Target[] = [
  ...STORED,
  entries,
  ...RECORDS,
  ...FILES,
  ...WORDS,
  ...PORTABLE,
  ...STORES,
  ...DATABASES,
];
