/** Assigns files to an agent that keeps them until this process is killed. */
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const [dir, config] = process.argv.slice(2) as [string, string];
const engine = await openEngine({ project_dir: dir, workspace: true, config: JSON.parse(config) });
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
