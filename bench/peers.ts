/**
 * `npm run bench:peers`: what others would use instead, measured beside us on the same work. Writes `docs/benchmarks.md`;
 * with `--quick` or `--only` it prints and writes nothing.
 */
import { openScratch } from './harness.ts';
import { runPeers } from './peers/run.ts';

const scratch = openScratch();
try {
  process.exitCode = await runPeers(scratch, process.argv.slice(2));
} finally {
  scratch.remove();
}
