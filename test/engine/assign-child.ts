/** Assigns files to an agent that keeps them until this process is killed. Its clock goes on by what it is told. */
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { manualClock } from '../support/manual-clock.ts';

const [dir, config, now] = process.argv.slice(2) as [string, string, string];
const clock = manualClock(new Date(now));
process.stdin.on('data', (milliseconds) => clock.advance(Number(milliseconds)));
const engine = await openEngine({ project_dir: dir, workspace: true, config: JSON.parse(config), clock });
const beat = setInterval(() => {}, 1000);
await engine.run(
  defineTask('assigns', (task) =>
    task.agent('first', { files: ['src/**'] }, async () => {
      process.stdout.write('assigned\n');
      await new Promise(() => {});
    }),
  ),
  undefined,
);
clearInterval(beat);
