/** `npm run bench:storage`: what a durable commit costs over the bare disk or database, and how soon a full store opens. */

import { benchMain } from './harness.ts';
import { storageFigures } from './storage/figures.ts';

await benchMain('storage', storageFigures);
