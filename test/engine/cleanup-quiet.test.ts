/**
 * Tasks that ended and have nothing due are not looked at after every task that completes, and are when it is time. Only the store
 * sees the difference, by what it is asked for, so that this listens to it.
 */
import { expect, test } from 'vitest';
import { clean } from '../../src/engine/cleanup/clean.ts';
import type { NotDue } from '../../src/engine/cleanup/not-due.ts';
import { openEngine } from '../../src/engine/engine.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { blobsOf, checkpointsOf, entriesOf, runWorker, worker } from './cleanup-world.ts';

const tempDir = tempDirs();
const DAY = 24 * 60 * 60 * 1000;

/** Notes of which tasks the keys are asked for. */
function listening(storage: Storage, asked: Set<string>): Storage {
  return {
    ...storage,
    page: (category, query) => {
      const task = /^([^/]+)\/$/.exec(query?.prefix ?? '')?.[1];
      if (task && query?.limit !== 1) asked.add(task);
      return storage.page(category, query);
    },
  };
}

test('what is not due is left in peace until it is', async () => {
  const clock = manualClock(new Date());
  const options = {
    project_dir: tempDir(),
    tasks: [worker],
    clock,
    automatic_cleanup: false,
    signals: false,
  };
  const engine = await openEngine({ ...options, auto_save: false });
  const completed = await runWorker(engine, { turns: 2, end: 'complete' });
  const parent = await runWorker(engine, { turns: 3, end: 'complete' });
  const fork = await engine.fork((await checkpointsOf(engine, parent))[2]!);
  const asked = new Set<string>();
  const quiet: NotDue = new Map();
  const host = { clock, config: engine.config, storage: listening(engine.storage, asked) };
  const look = async () => {
    asked.clear();
    const report = await clean(host, { thorough: false, quiet, triggers: ['completion'] });
    return { asked: [...asked].sort(), emptied: [...report.emptied].sort() };
  };
  const all = [completed, parent, fork.id].sort();
  const [ended, none]: string[][] = [[completed, parent].sort(), []];

  expect(await look()).toEqual({ asked: all, emptied: none });
  expect(await look()).toEqual({ asked: [fork.id], emptied: none });
  clock.advance(7 * DAY);
  expect(await look()).toEqual({ asked: all, emptied: ended });
  expect(await look()).toEqual({ asked: [fork.id], emptied: none });
  await engine.cancel(fork.id);
  expect((await look()).asked).toEqual([fork.id]);
  clock.advance(DAY);
  const needed = await engine.checkpoints.loadCheckpoint(fork.checkpoint);
  // The fork is not due and not looked at, and what it shares stays all the same.
  expect((await look()).asked).not.toContain(fork.id);
  expect(await entriesOf(engine.storage, completed)).toEqual([]);
  expect(await blobsOf(engine.storage, completed)).toHaveLength(1);
  expect((await entriesOf(engine.storage, parent)).length).toBeGreaterThan(0);
  expect(await engine.checkpoints.loadCheckpoint(fork.checkpoint)).toEqual(needed);
  expect((await look()).asked).toEqual(ended);
  expect((await look()).asked).toEqual([]);
  await engine.close();
});
