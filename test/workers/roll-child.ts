/** A worker of a deploy: works the queue until there is nothing left, or until it is told to end. */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFrom, openStore, type StorePlace } from '../crash/stores.ts';

export interface RollJob {
  readonly place: StorePlace;
  readonly project_dir: string;
  readonly witness: string;
  /** Where it says how each of its runs ended. */
  readonly ends: string;
  readonly step_ms: number;
}

export const STEPS = 4;

if (import.meta.main) await main(JSON.parse(process.argv[2]!) as RollJob);

async function main({ place, project_dir, witness, ends, step_ms }: RollJob): Promise<void> {
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    place.src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    place.src,
    'engine/api/definition.ts',
  );
  const job = defineTask(
    'job',
    async (task) => {
      for (let n = 0; n < STEPS; n++) {
        await task.step('work', async () => {
          appendFileSync(witness, `${task.id} ${n}\n`);
          await sleep(step_ms);
        });
      }
    },
    { version: '1' },
  );
  const storage = await openStore(place);
  const engine = await openEngine({ project_dir, storage, automatic_cleanup: false, tasks: [job] });
  engine.on('run.ended', ({ outcome }) => appendFileSync(ends, `${outcome}\n`));
  process.send!('ready');
  // As a service does: it looks again until it is told to end.
  for (;;) {
    await engine.work({ concurrency: 2 });
    await sleep(50);
  }
}
