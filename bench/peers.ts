/**
 * `npm run bench:peers`: what others would use instead, measured beside us on the same work. Writes `docs/benchmarks.md`
 * and the table in the README; with `--quick`, `--rounds`, `--only` or `--section` it only prints. The exit status is 1 when we are
 * less far ahead than we want to be.
 */
import { exitAfter } from './harness/main.ts';
import { runPeers } from './peers/run.ts';

await exitAfter((scratch) => runPeers(scratch, process.argv.slice(2)));
