/** `npm run bench:cli`: how soon a command answers, relative to starting Node for nothing. Measures the build. */
import { cliFigures } from './cli/figures.ts';
import { openScratch, runBench } from './harness.ts';

const scratch = openScratch();
try {
  const figures = cliFigures(scratch);
  process.exitCode = await runBench(
    { name: 'cli', figures, directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
