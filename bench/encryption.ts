/** `npm run bench:encryption`: what sealing everything costs a durable step. */
import { encryptionFigures } from './encryption/figures.ts';
import { openScratch, runBench } from './harness.ts';

const scratch = openScratch();
try {
  process.exitCode = await runBench(
    { name: 'encryption', figures: encryptionFigures(scratch), directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
