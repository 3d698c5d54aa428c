/** `npm run bench:workspace`: what capturing and restoring files costs beside a shadow git repository. */
import { openScratch, runBench } from './harness.ts';
import { workspaceFigures } from './workspace/figures.ts';

const scratch = openScratch();
try {
  process.exitCode = await runBench(
    { name: 'workspace', figures: workspaceFigures(scratch), directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
