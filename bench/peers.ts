/**
 * `npm run bench:peers`: what others would use instead, measured beside us on the same work. Writes `docs/benchmarks.md`
 * and the table in the README; with `--quick`, `--only` or `--section` it only prints.
 */
import { openScratch } from './harness.ts';
import { runPeers } from './peers/run.ts';

const scratch = openScratch();
// Also when it is stopped: what was started for the run ends, and its files go.
process.once('exit', scratch.remove);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await runPeers(scratch, process.argv.slice(2));
