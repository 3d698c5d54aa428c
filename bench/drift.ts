/** `npm run bench:drift`: what looking for drift costs beside what a person would type. */
import { driftFigures } from './drift/figures.ts';
import { openScratch, runBench } from './harness.ts';

const scratch = openScratch();
try {
  const figures = driftFigures(scratch);
  process.exitCode = await runBench(
    { name: 'drift', figures, directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
