/** A worker in a process of its own, for tests that kill it: it works the queue of a project once. */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const die = (): void => void process.kill(process.pid, 'SIGKILL');
let ran = 0;

/** Ends the process that runs it, as long as a file says so. */
export const deadly: TaskDefinition<string, void> = defineTask(
  'deadly',
  (task, given: string) =>
    task.step('run', async () => {
      appendFileSync(join(given, 'ran'), 'x');
      if (existsSync(join(given, 'deadly'))) die();
    }),
  { version: '1' },
);

/** Comes one step further each time before it dies. */
export const halting: TaskDefinition<void, string> = defineTask(
  'halting',
  async (task) => {
    for (let n = 0; n < 5; n++) {
      await task.step(`step ${n}`, () => {
        if (++ran === 2) die();
      });
    }
    return 'done';
  },
  { version: '1' },
);

export const asking: TaskDefinition<void, unknown> = defineTask(
  'asking',
  async (task) => {
    await task.step('first', () => {});
    return task.waitFor('user_input');
  },
  { version: '1' },
);

export const slow: TaskDefinition<string, void> = defineTask(
  'slow',
  (task, given: string) =>
    task.step('run', async () => {
      appendFileSync(join(given, 'ran'), 'x');
      if (existsSync(join(given, 'deadly'))) await sleep(60_000);
    }),
  { version: '1' },
);

if (import.meta.main) {
  const engine = await openEngine({
    project_dir: process.argv[2]!,
    automatic_cleanup: false,
    tasks: [deadly, halting, asking, slow],
    config: { recovery: { retry: { max_attempts: 1 } } },
  });
  await engine.work();
  await engine.close();
}
