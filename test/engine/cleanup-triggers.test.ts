/** What starts clean-up by itself, each by itself; clock, disk and pace are the test's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import type { CleanupConfig } from '../../src/config/types.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import { type Cleaner, createCleaner } from '../../src/engine/cleanup/schedule.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import { CLEANUP_CLAIM, claimTask } from '../../src/engine/task/records/claim.ts';
import { loadRuns, noteRuns } from '../../src/engine/task/records/cleaned.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { checkpointsOf, runWorker, worker } from './cleanup-world.ts';

const tempDir = tempDirs();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const HOUR = 60 * 60 * 1000;
const MB = 1024 * 1024;

interface Watched {
  readonly storage: Storage;
  readonly clock: ManualClock;
  readonly cleaner: Cleaner;
  /** The triggers of every clean-up so far, and its failures. */
  readonly heard: (readonly string[] | unknown)[];
  disk: number | null;
  busy: boolean;
  /** After several looks at the clock. */
  later(): Promise<void>;
}

interface Given {
  readonly cleanup?: Partial<CleanupConfig>;
  readonly at?: string;
  readonly last_run_at?: string | null;
  readonly storage?: Storage;
  readonly close?: number;
}

/** A cleaner that looks every few milliseconds, on a store that was cleaned a moment ago. */
async function watched({
  cleanup = {},
  at = '2026-11-20T12:00:00',
  close = 1000,
  ...given
}: Given = {}): Promise<Watched> {
  const storage = given.storage ?? (await openJsonStorage({ root: tempDir() }));
  const clock = manualClock(new Date(at));
  const last_run_at = given.last_run_at === undefined ? clock.now().toISOString() : given.last_run_at;
  await noteRuns(storage, { last_run_at, last_quick_at: last_run_at });
  const heard: Watched['heard'] = [];
  const settings = parseConfig({ cleanup }).cleanup;
  let looks = 0;
  const cleaner = createCleaner(
    {
      storage,
      clock,
      config: { cleanup: settings },
      emit: (event) => {
        if (event.type === 'cleanup') heard.push(event.triggers);
        if (event.type === 'cleanup.failed') heard.push(event.error);
      },
    },
    {
      disk: () => {
        looks++;
        return state.disk;
      },
      busy: () => state.busy,
    },
    { first: 2, every: 3, idle: 2, close, again: HOUR },
  );
  const state: Watched = {
    storage,
    clock,
    cleaner,
    heard,
    disk: 50,
    busy: false,
    async later() {
      const until = looks + 4;
      while (looks < until) await sleep(2);
    },
  };
  closing.push(async () => {
    await cleaner.stop();
    await storage.close();
  });
  cleaner.watch();
  return state;
}

const heardBy = ({ heard }: Watched) => expect.poll(() => heard, { interval: 5 });

test('nothing starts it without a reason', async () => {
  const watch = await watched();
  await watch.later();
  expect(watch.heard).toEqual([]);
});

test('the end of a task, when nothing runs any more', async () => {
  const watch = await watched();
  await watch.later();
  watch.busy = true;
  watch.cleaner.completed();
  await sleep(10);
  watch.busy = false;
  watch.cleaner.runEnded();
  await heardBy(watch).toEqual([['completion']]);
  await watch.later();
  expect(watch.heard).toEqual([['completion']]);
  const { last_run_at, last_quick_at } = await loadRuns(watch.storage);
  expect([last_run_at, last_quick_at]).toEqual(Array(2).fill(watch.clock.now().toISOString()));
});

test('a disk that is over 80 % full, once an hour', async () => {
  const watch = await watched();
  watch.disk = 80;
  await watch.later();
  expect(watch.heard).toEqual([]);
  watch.disk = 80.5;
  await heardBy(watch).toEqual([['disk']]);
  await sleep(20);
  expect(watch.heard).toEqual([['disk']]);
  watch.clock.advance(HOUR);
  await heardBy(watch).toEqual([['disk'], ['disk']]);
});

test('a store that is over its quota', async () => {
  const watch = await watched({ cleanup: { quota_mb: 0.5 } });
  await watch.later();
  expect(watch.heard).toEqual([]);
  await watch.storage.putBlobs(null, [{ kind: 'other', bytes: new Uint8Array(MB / 2 + 1) }]);
  await heardBy(watch).toEqual([['quota']]);
});

test('three o’clock in the morning, daily', async () => {
  const watch = await watched({ at: '2026-11-20T23:00:00' });
  watch.clock.set(new Date('2026-11-21T02:59:59'));
  await watch.later();
  expect(watch.heard).toEqual([]);
  watch.clock.set(new Date('2026-11-21T03:00:00'));
  await heardBy(watch).toEqual([['daily']]);
  await watch.later();
  expect(watch.heard).toEqual([['daily']]);
  watch.clock.set(new Date('2026-11-22T05:00:00'));
  await heardBy(watch).toEqual([['daily'], ['daily']]);
});

test('opening, when three o’clock passed while nobody had the store open', async () => {
  const missed = await watched({ last_run_at: new Date('2026-11-20T02:00:00').toISOString() });
  await heardBy(missed).toEqual([['start']]);
  const first = await watched({ last_run_at: null });
  await heardBy(first).toEqual([['start']]);
  const off = await watched({ last_run_at: null, cleanup: { on_start_if_missed: false } });
  await off.later();
  expect(off.heard).toEqual([]);
});

test('opening, when clean-up was cut off', async () => {
  const watch = await watched({ close: -1 });
  watch.cleaner.completed();
  await watch.cleaner.stop();
  expect(await loadRuns(watch.storage)).toMatchObject({ missed: true });
  const next = await watched({ storage: watch.storage });
  closing.pop();
  closing.push(() => next.cleaner.stop());
  await heardBy(next).toEqual([['start']]);
  expect(await loadRuns(watch.storage)).toMatchObject({ missed: false });
});

test('closing, when a task completed just before', async () => {
  const watch = await watched();
  watch.busy = true;
  watch.cleaner.completed();
  watch.busy = false;
  await watch.cleaner.stop();
  expect(watch.heard).toEqual([['completion']]);
});

test('while another process cleans, it is left to that one', async () => {
  const watch = await watched();
  const claim = await watch.storage.claim(CLEANUP_CLAIM);
  watch.disk = 90;
  await sleep(30);
  expect(watch.heard).toEqual([]);
  await claim.release();
});

test('what goes wrong is an event, and tried again later', async () => {
  const root = tempDir();
  const storage = await openJsonStorage({ root });
  let broken = true;
  const failing: Storage = {
    ...storage,
    tasks: (query) => (broken ? Promise.reject(new Error('no list today')) : storage.tasks(query)),
  };
  const watch = await watched({ storage: failing });
  watch.disk = 90;
  await heardBy(watch).toEqual([expect.objectContaining({ message: 'no list today' })]);
  await sleep(20);
  expect(watch.heard).toHaveLength(1);
  broken = false;
  watch.clock.advance(HOUR);
  await heardBy(watch).toEqual([expect.anything(), ['disk']]);
});

test('a task that clean-up holds for a moment is claimed all the same, one that runs is not', async () => {
  const storage = await openJsonStorage({ root: tempDir() });
  closing.push(() => storage.close());
  const lock = await storage.claim(CLEANUP_CLAIM);
  const held = await storage.claim('t1');
  const claiming = claimTask(storage, 't1');
  await sleep(15);
  await held.release();
  const claim = await claiming;
  await expect(claimTask(storage, 't1')).rejects.toMatchObject({ code: 'TASK_OWNED' });
  await lock.release();
  await expect(claimTask(storage, 't1')).rejects.toMatchObject({ code: 'TASK_OWNED' });
  await claim.release();
});

/** With the engine around it. */
async function engineWith(options: EngineOptions): Promise<{ engine: Engine; heard: EngineEvent[] }> {
  const engine = await openEngine({ project_dir: tempDir(), signals: false, tasks: [worker], ...options });
  closing.push(() => engine.close());
  const heard: EngineEvent[] = [];
  engine.on('cleanup', (event) => heard.push(event));
  engine.on('cleanup.failed', (event) => heard.push(event));
  return { engine, heard };
}

test('an engine cleans up after a task that completed', async () => {
  const { engine, heard } = await engineWith({ config: { cleanup: { remove_completed: true } } });
  const task = await runWorker(engine, { turns: 2, end: 'complete', size: 100 });
  await expect.poll(() => heard).toEqual([expect.objectContaining({ triggers: ['completion'] })]);
  expect(await checkpointsOf(engine, task)).toEqual([]);
});

test('an engine that is opened over a full disk cleans up soon', async () => {
  const { heard } = await engineWith({ disk: () => 95, config: { cleanup: { on_start_if_missed: false } } });
  await expect.poll(() => heard).toEqual([expect.objectContaining({ triggers: ['disk'] })]);
});

test('an engine that is told not to does not', async () => {
  const { engine, heard } = await engineWith({ disk: () => 95, automatic_cleanup: false });
  await runWorker(engine, { turns: 1, end: 'complete', size: 100 });
  await engine.close();
  expect(heard).toEqual([]);
});
