/** Clean-up killed on the way: nothing that is kept is lost, and the next one finishes it. */
import { spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { unlessFull } from '../support/full.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { CleanupJob } from './cleanup-child.ts';
import { checkpointsOf, contexts, entriesOf, resumeWorker, runWorker, worker } from './cleanup-world.ts';
import { onEachStore, type Store } from './stores.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Everything goes at once, so that one clean-up does all there is to do. */
const CLEANUP = { grace_hours: 0, newest_per_execution: 2, max_per_task: 1000 };

interface Prepared {
  readonly now: Date;
  readonly config: CleanupJob['config'];
  /** What stays, and with which contexts. */
  readonly kept: ReadonlyMap<string, string>;
  readonly ended: readonly string[];
  readonly paused: string;
  readonly fork: string;
}

/** Every point takes a process. */
const STEP = unlessFull(111, 37);

const program = fileURLToPath(new URL('./cleanup-child.ts', import.meta.url));

async function cleanInChild(job: CleanupJob): Promise<'killed' | 'done'> {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve('killed');
      else if (code === 0) resolve('done');
      else reject(new Error(`The child ended with ${code ?? signal}.`));
    });
  });
}

function openAt(store: Store, prepared: Pick<Prepared, 'now' | 'config'>): Promise<Engine> {
  const clock = manualClock(prepared.now);
  return store.open({
    tasks: [worker],
    clock,
    automatic_cleanup: false,
    auto_save: false,
    config: prepared.config,
  });
}

/** A completed parent and its paused fork, a failed task, a task that was rolled back, and a blob that nobody named. */
async function prepare(store: Store): Promise<Prepared> {
  const config = { ...store.config, cleanup: CLEANUP };
  const engine = await openAt(store, { now: new Date(), config });
  const parent = await runWorker(engine, { turns: 4, end: 'complete' });
  const { id: fork } = await engine.fork((await checkpointsOf(engine, parent))[2]!);
  const failed = await runWorker(engine, { turns: 2, end: 'fail' });
  const paused = await runWorker(engine, { turns: 5, end: 'pause' });
  await engine.rollback((await checkpointsOf(engine, paused))[4]!);
  await engine.storage.putBlobs(paused, [{ kind: 'other', bytes: new Uint8Array(20_000) }]);
  const now = new Date(Date.now() + 40 * DAY);
  const going = new Set(
    (await (await openAt(store, { now, config })).clean({ dry_run: true })).removed.map(({ id }) => id),
  );
  const kept = new Map([...(await contexts(engine))].filter(([id]) => !going.has(id)));
  expect(kept.size).toBeGreaterThanOrEqual(3);
  await engine.close();
  return { now, config, kept, ended: [parent, failed], paused, fork };
}

/** What is kept is whole, whatever of the rest is still there; nothing is damaged. */
async function expectKept(store: Store, prepared: Prepared): Promise<void> {
  const engine = await openAt(store, prepared);
  const found = await contexts(engine);
  for (const [id, context] of prepared.kept) expect(found.get(id), id).toBe(context);
  for (const task of prepared.ended) expect((await engine.history(task)).steps.length).toBeGreaterThan(0);
  const problems: unknown[] = [];
  for await (const problem of engine.storage.verify()) problems.push(problem);
  expect(problems).toEqual([]);
  await engine.close();
}

async function expectDone(store: Store, prepared: Prepared): Promise<void> {
  const engine = await openAt(store, prepared);
  expect(await engine.clean()).toMatchObject({
    removed: [],
    emptied: [],
    forgotten: [],
    freed_bytes: 0,
    skipped: [],
  });
  expect(new Map(await contexts(engine))).toEqual(prepared.kept);
  const [parent, failed] = prepared.ended;
  expect(await entriesOf(engine.storage, failed!)).toEqual([]);
  expect((await entriesOf(engine.storage, parent!)).length).toBeGreaterThan(0);
  for (const task of [prepared.paused, prepared.fork]) {
    await resumeWorker(engine, task);
    expect((await engine.history(task)).steps.length).toBeGreaterThanOrEqual(4);
  }
  await engine.close();
}

onEachStore((fresh, type) => {
  test('killed before and after each change, again and again, it finishes in the end', async () => {
    const store = await fresh();
    const prepared = await prepare(store);
    const job = { dir: store.dir, config: prepared.config, now: prepared.now.toISOString() };
    // On a server each kill costs a lease. Odd, so that it is killed before one change and after another.
    const stride = type === 'postgres' ? 4 : unlessFull(5, 1);
    let kills = 0;
    for (let call = 1; ; call += stride) {
      const when = call % 2 === 0 ? 'after' : 'before';
      if ((await cleanInChild({ ...job, kill: { call, when } })) === 'done') break;
      await expectKept(store, prepared);
      kills++;
    }
    expect(kills).toBeGreaterThan(2);
    if (type === 'postgres') {
      // What a killed one held for a moment is held until the lease runs out, and skipped until then.
      await sleep(2500);
      expect(await cleanInChild({ ...job, kill: null })).toBe('done');
    }
    await expectDone(store, prepared);
  });
});

onEachStore(
  (fresh) => {
    test('killed at any change of a file, the next clean-up finishes it', async () => {
      const store = await fresh();
      const prepared = await prepare(store);
      const whole = `${store.dir}-whole`;
      cpSync(store.dir, whole, { recursive: true });
      const job = { dir: store.dir, config: prepared.config, now: prepared.now.toISOString() };
      let kills = 0;
      try {
        for (let io = 1; ; io += STEP) {
          const end = await cleanInChild({ ...job, kill: { io } });
          if (end === 'killed') await expectKept(store, prepared);
          if (end === 'done' || io % 2 === 0) {
            expect(await cleanInChild({ ...job, kill: null })).toBe('done');
            await expectDone(store, prepared);
          }
          if (end === 'done') break;
          kills++;
          rmSync(store.dir, { recursive: true });
          cpSync(whole, store.dir, { recursive: true });
        }
      } finally {
        rmSync(whole, { recursive: true });
      }
      expect(kills).toBeGreaterThan(2);
    });
  },
  ['json'],
);
