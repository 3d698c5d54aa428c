/** `npm run bench:storage`: what a durable commit costs over the bare disk or database, and how soon a full store opens. */
import { openScratch, runBench } from './harness.ts';
import { storageFigures } from './storage/figures.ts';

const scratch = openScratch();
try {
  process.exitCode = await runBench(
    { name: 'storage', figures: storageFigures(scratch), directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
