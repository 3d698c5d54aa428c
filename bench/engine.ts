/** `npm run bench:engine`: what a durable task costs in bytes, time and memory, and how soon it goes on. */
import { engineFigures } from './engine/figures.ts';
import { openScratch, runBench } from './harness.ts';

const scratch = openScratch();
try {
  process.exitCode = await runBench(
    { name: 'engine', figures: engineFigures(scratch), directory: scratch.directory },
    process.argv.slice(2),
  );
} finally {
  scratch.remove();
}
