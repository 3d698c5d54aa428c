/** A process with two engines, each with a task in progress: asked to stop, one does so at once, the other after a while. */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const dir = process.argv[2]!;
let under_way = 0;
for (const [name, ms] of [
  ['quick', 0],
  ['slow', 300],
] as const) {
  const task = defineTask(name, (task) =>
    task.step('run', async () => {
      if (++under_way === 2) process.stdout.write('under way\n');
      const beat = setInterval(() => {}, 1000);
      await once(task.signal, 'abort');
      await sleep(ms);
      clearInterval(beat);
    }),
  );
  const engine = await openEngine({ project_dir: join(dir, name) });
  await engine.start(task, undefined, { task_id: name });
}
