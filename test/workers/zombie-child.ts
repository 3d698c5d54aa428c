/** A worker that says before its n-th commit of the task that it is about to send it, and waits to be told to. */
import { appendFileSync } from 'node:fs';
import { importFrom, openStore, type StorePlace } from '../crash/stores.ts';
import { everyKind } from './job.ts';

export interface ZombieJob {
  readonly place: StorePlace;
  readonly project_dir: string;
  readonly witness: string;
  readonly task: string;
  /** Which commit of the task. */
  readonly stop_at: number;
}

const job = JSON.parse(process.argv[2]!) as ZombieJob;
const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
  job.place.src,
  'engine/engine.ts',
);
const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
  job.place.src,
  'engine/api/definition.ts',
);
const storage = await openStore(job.place);
let commits = 0;
const commit: typeof storage.commit = async (given) => {
  if (given.task === job.task && ++commits === job.stop_at) {
    const told = new Promise((resolve) => process.once('message', resolve));
    process.send!({ type: 'commits' });
    await told;
  }
  return storage.commit(given);
};
const begins = (what: string): void => appendFileSync(job.witness, `zombie ${what}\n`);
const engine = await openEngine({
  project_dir: job.project_dir,
  storage: { ...storage, commit },
  workspace: true,
  automatic_cleanup: false,
  tasks: [everyKind(defineTask, 'zombie', begins, job.witness)],
});
let ended = 'not taken';
engine.on('run.ended', ({ outcome, error }) => {
  ended = `${outcome} ${(error as { code?: string } | null)?.code ?? ''}`.trim();
});
await engine.work();
await engine.close();
await storage.close();
process.send!({ type: 'ended', ended }, () => process.disconnect());
