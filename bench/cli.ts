/** `npm run bench:cli`: how soon a command answers, relative to starting Node for nothing. Measures the build. */
import { cliFigures } from './cli/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('cli', cliFigures);
