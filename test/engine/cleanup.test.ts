/** Clean-up by hand, on each store: what the policies name goes, what anything kept needs stays. */
import { expect, test } from 'vitest';
import { checkpointKeys } from '../../src/checkpoint/located.ts';
import { CheckpointManager } from '../../src/checkpoint/manager.ts';
import type { CleanupReport } from '../../src/engine/cleanup/clean.ts';
import { liveCheckpoints } from '../../src/engine/history/checkpoints.ts';
import { loadCleaned } from '../../src/engine/task/records/cleaned.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import {
  blobsOf,
  checkpointsOf,
  contexts,
  digestOf,
  entriesOf,
  resumeWorker,
  runWorker,
  statusOf,
  worker,
} from './cleanup-world.ts';
import { onEachStore, type Store } from './stores.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** Checkpoints are not thinned as they are made, and nothing is cleaned by itself. */
async function quietEngine(store: Store, clock: ManualClock, cleanup: object = {}) {
  const config = { cleanup: { max_per_task: 1000, ...cleanup } };
  return store.open({
    tasks: [worker],
    clock,
    automatic_cleanup: false,
    auto_save: false,
    config: { ...store.config, ...config },
  });
}

const now = () => manualClock(new Date());
const removedIn = ({ removed }: CleanupReport) => removed.map(({ id }) => id);

onEachStore((fresh) => {
  test('of many checkpoints only those that a policy names are gone', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const task = await runWorker(engine, { turns: 28, end: 'pause', size: 100 });
    const others = await runWorker(engine, { turns: 3, end: 'complete', size: 100 });
    const all = await checkpointsOf(engine, task);
    expect(all.length).toBeGreaterThan(28);
    const untouched = await checkpointsOf(engine, others);

    const thinned = await engine.clean({ policy: { max_per_task: 20 } });
    const [first, last] = [all[0]!, all.at(-1)!];
    const fifths = all.slice(1, -1).filter((id) => Number(id.slice(id.lastIndexOf('-') + 1)) % 5 === 0);
    expect(await checkpointsOf(engine, task)).toEqual([first, ...fifths, last]);
    expect(removedIn(thinned)).toEqual(all.filter((id) => ![first, ...fifths, last].includes(id)));
    expect(new Set(thinned.removed.map(({ policy }) => policy))).toEqual(new Set(['max_per_task']));

    const newest = await engine.clean({ policy: { newest_per_execution: 3 }, tasks: [task] });
    expect(await checkpointsOf(engine, task)).toEqual([...fifths, last].slice(-3));
    expect(newest.removed.every(({ policy }) => policy === 'newest_per_execution')).toBe(true);

    clock.advance(2 * DAY);
    const late = await resumeWorker(engine, task);
    const made = (await checkpointsOf(engine, late)).filter((id) => !all.includes(id));
    await engine.clean({ policy: { older_than_days: 1 }, tasks: [task] });
    expect(await checkpointsOf(engine, task)).toEqual(made);

    expect(await checkpointsOf(engine, others)).toEqual(untouched);
    const completed = await engine.clean({ policy: { remove_completed: true } });
    expect(removedIn(completed)).toEqual(untouched);
    expect(completed.emptied).toEqual([others]);
    expect(await checkpointsOf(engine, others)).toEqual([]);
    expect(await checkpointsOf(engine, task)).toEqual(made);
    expect(await resumeWorker(engine, task)).toBe(task);
  });

  test('a dry run says what would go, why and how many bytes, and changes nothing', async () => {
    const clock = now();
    const store = await fresh();
    let engine = await quietEngine(store, clock, { grace_hours: 0 });
    await runWorker(engine, { turns: 3, end: 'complete' });
    await runWorker(engine, { turns: 3, end: 'fail' });
    const kept = await runWorker(engine, { turns: 3, end: 'pause' });
    clock.advance(31 * DAY);
    await engine.close();
    engine = await quietEngine(store, clock, { grace_hours: 0 });
    const before = await digestOf(engine.storage);
    const dry = await engine.clean({ dry_run: true, policy: { newest_per_execution: 2 } });
    expect(await digestOf(engine.storage)).toEqual(before);
    const real = await engine.clean({ policy: { newest_per_execution: 2 } });
    expect({ ...real, dry_run: true }).toEqual(dry);
    expect(dry.removed.map(({ why }) => why)).toContain('its task ended 7 days ago or earlier');
    expect(dry.removed.map(({ why }) => why)).toContain('its task failed 30 days ago or earlier');
    expect(dry.emptied).toHaveLength(2);
    expect(dry.freed_bytes).toBeGreaterThan(6 * 3 * 12_000);
    expect(await checkpointsOf(engine, kept)).toHaveLength(2);
    const again = await engine.clean({ policy: { newest_per_execution: 2 } });
    expect(again).toMatchObject({ removed: [], freed_bytes: 0 });
  });

  test('seven days after it completed a task keeps its state, output and history alone', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const task = await runWorker(engine, { turns: 4, end: 'complete' });
    const history = await engine.history(task);
    const state = await engine.state(task);
    const made = await checkpointsOf(engine, task);

    clock.advance(7 * DAY - HOUR);
    expect((await engine.clean()).removed).toEqual([]);
    clock.advance(HOUR);
    const gone = await engine.clean();
    expect(removedIn(gone)).toEqual(made);
    expect(gone.freed.entries).toBe(0);
    expect(gone.pending_bytes).toBeGreaterThan(4 * 2 * 12_000);
    expect((await entriesOf(engine.storage, task)).length).toBeGreaterThan(0);
    const full = await engine.storage.size();

    clock.advance(24 * HOUR);
    const freed = await engine.clean();
    expect(freed.freed.entries).toBeGreaterThan(0);
    expect(freed.freed_bytes).toBeGreaterThan(4 * 2 * 12_000);
    expect(await entriesOf(engine.storage, task)).toEqual([]);
    expect(await engine.storage.size()).toBeLessThan(full - 4 * 2 * 10_000);
    expect(await engine.state(task)).toEqual(state);
    expect(await blobsOf(engine.storage, task)).toEqual([expect.stringMatching(/^final_outputs\//)]);
    expect(await engine.history(task)).toEqual({ ...history, checkpoints: [], last_checkpoint: null });
    expect((await engine.tasks()).map(({ task_id }) => task_id)).toEqual([task]);
  });

  test('thirty days after it failed a task has expired, for good', async () => {
    const clock = now();
    const store = await fresh();
    const engine = await quietEngine(store, clock);
    const task = await runWorker(engine, { turns: 2, end: 'fail' });
    clock.advance(30 * DAY - HOUR);
    expect((await engine.clean()).removed).toEqual([]);
    expect(await resumeWorker(engine, task)).toBe(task);
    clock.advance(30 * DAY);
    expect((await engine.clean()).emptied).toEqual([task]);
    const refused = { code: 'NOT_RESUMABLE' };
    await expect(engine.resume(task)).rejects.toMatchObject(refused);
    const patient = await quietEngine(store, clock, { failed_days: 1000 });
    await expect(patient.resume(task)).rejects.toMatchObject(refused);
    expect((await engine.history(task)).status).toBe('failed');
  });

  test('a rollback can be redone until its grace period is over, then its bytes go', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const task = await runWorker(engine, { turns: 5, end: 'pause' });
    const all = await checkpointsOf(engine, task);
    const before = await contexts(engine);
    await engine.rollback(all[2]!);
    clock.advance(23 * HOUR);
    expect(await engine.clean()).toMatchObject({ forgotten: [], freed_bytes: 0 });
    await engine.redo(task);
    expect(await checkpointsOf(engine, task)).toEqual(all);
    expect(await contexts(engine)).toEqual(before);

    await engine.rollback(all[2]!);
    const kept = await contexts(engine);
    const blobs = await blobsOf(engine.storage, task);
    clock.advance(24 * HOUR);
    const report = await engine.clean();
    expect(report.forgotten).toEqual([{ task, at: expect.any(String) }]);
    expect(report.freed.entries).toBeGreaterThan(0);
    expect(report.freed.blobs).toBeGreaterThanOrEqual(6);
    expect((await blobsOf(engine.storage, task)).length).toBe(blobs.length - report.freed.blobs);
    await expect(engine.redo(task)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
    expect((await loadHead(engine.storage, task))?.undone).toEqual([]);
    expect(await contexts(engine)).toEqual(kept);
    expect(await engine.clean()).toMatchObject({ freed_bytes: 0 });
    await resumeWorker(engine, task);
    expect((await engine.history(task)).steps).toHaveLength(5);
  });

  test('a fork keeps what it shares for as long as it needs it', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const parent = await runWorker(engine, { turns: 5, end: 'complete' });
    const at = (await checkpointsOf(engine, parent))[3]!;
    const fork = await engine.fork(at);
    const grandchild = await engine.fork(fork.checkpoint);
    const before = await contexts(engine);
    const needed = [fork, grandchild].map(({ checkpoint }) => before.get(checkpoint));

    clock.advance(7 * DAY);
    expect((await engine.clean()).emptied).toEqual([parent]);
    clock.advance(2 * DAY);
    const part = await engine.clean();
    expect(part.freed.entries).toBeGreaterThan(0);
    expect(await checkpointsOf(engine, parent)).toEqual([]);
    const all = await contexts(engine);
    expect([fork, grandchild].map(({ checkpoint }) => all.get(checkpoint))).toEqual(needed);

    await engine.cancel(fork.id);
    clock.advance(7 * DAY);
    await engine.clean({ policy: { grace_hours: 0 } });
    expect((await contexts(engine)).get(grandchild.checkpoint)).toEqual(needed[1]);
    await resumeWorker(engine, grandchild.id);
    expect((await engine.history(grandchild.id)).steps).toHaveLength(5);

    await engine.cancel(grandchild.id).catch(() => {});
    clock.advance(8 * DAY);
    await engine.clean({ policy: { grace_hours: 0 } });
    expect(await entriesOf(engine.storage, parent)).toEqual([]);
    expect(await entriesOf(engine.storage, fork.id)).toEqual([]);
    expect(await engine.clean()).toMatchObject({ removed: [], freed_bytes: 0 });
  });

  test('a task that runs is left to its owner, and said so', async () => {
    const clock = now();
    const store = await fresh();
    const [engine, other] = [await quietEngine(store, clock), await quietEngine(store, clock)];
    const handle = await engine.start(worker, { turns: 6, end: 'pause', size: 100 });
    await expect.poll(() => statusOf(engine, handle.id)).toBe('waiting');
    const made = await checkpointsOf(engine, handle.id);
    for (const cleaning of [engine, other]) {
      const report = await cleaning.clean({ policy: { newest_per_execution: 1 } });
      expect(report.removed).toEqual([]);
      expect(report.skipped).toEqual([
        { task: handle.id, why: expect.stringMatching(/^it is running \(.* \d+\)/) },
      ]);
    }
    expect(await checkpointsOf(engine, handle.id)).toEqual(made);
    await engine.pause(handle.id);
    await handle.outcome;
    expect((await other.clean({ policy: { newest_per_execution: 1 } })).removed).toHaveLength(made.length);
    expect(await checkpointsOf(engine, handle.id)).toHaveLength(1);
  });

  test('the last valid checkpoint of a task that can resume stays, whatever is asked', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const task = await runWorker(engine, { turns: 3, end: 'fail', size: 100 });
    await engine.checkpoints.createCheckpoint({ execution_id: task });
    const places = await liveCheckpoints(engine.storage, task);
    const [valid, newest] = places.slice(-2);
    await engine.storage.save('tasks', newest!.key!, { damaged: true });
    clock.advance(10 * DAY);
    const policy = { older_than_days: 0, newest_per_execution: 1, quota_mb: 0.000_001, max_per_task: 2 };
    const report = await engine.clean({ policy });
    expect(report.spared).toEqual([
      expect.objectContaining({ because: 'last_valid', sequence: valid!.sequence }),
    ]);
    expect((await liveCheckpoints(engine.storage, task)).map(({ key }) => key)).toEqual([valid!.key]);
    const made = await resumeWorker(engine, task);
    const numbers = (await liveCheckpoints(engine.storage, made)).map(({ sequence }) => sequence);
    expect(numbers.filter((number) => number === newest!.sequence)).toEqual([]);
  });

  test('blobs that nothing names go when they are older than the grace period', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const task = await runWorker(engine, { turns: 2, end: 'pause' });
    const named = await blobsOf(engine.storage, task);
    const [orphan] = await engine.storage.putBlobs(task, [{ kind: 'other', bytes: new Uint8Array(5000) }]);
    clock.advance(23 * HOUR);
    expect((await engine.clean()).freed.blobs).toBe(0);
    clock.advance(2 * HOUR);
    expect((await engine.clean({ dry_run: true })).freed).toMatchObject({ blobs: 1, blob_bytes: 5000 });
    expect(await blobsOf(engine.storage, task)).toContain(orphan);
    expect((await engine.clean()).freed).toMatchObject({ blobs: 1, blob_bytes: 5000 });
    expect(await blobsOf(engine.storage, task)).toEqual(named);
  });

  test('of a task that cannot be read nothing is taken', async () => {
    const clock = now();
    const store = await fresh();
    const engine = await quietEngine(store, clock);
    const task = await runWorker(engine, { turns: 2, end: 'pause' });
    const blobs = await blobsOf(engine.storage, task);
    await engine.storage.putBlobs(task, [{ kind: 'other', bytes: new Uint8Array(5000) }]);
    await engine.close();
    await store.damageEntry(task, 5);
    clock.advance(2 * DAY);
    const next = await quietEngine(store, clock);
    const report = await next.clean();
    expect(report.skipped).toEqual([{ task, why: expect.stringContaining('no blob of it') }]);
    expect((await blobsOf(next.storage, task)).length).toBe(blobs.length + 1);
  });

  test.for(['pause', 'complete'] as const)('of a damaged task nothing leaves the lists: %s', async (end) => {
    const clock = now();
    const store = await fresh();
    const engine = await quietEngine(store, clock);
    const task = await runWorker(engine, { turns: 4, end });
    const places = await checkpointKeys(engine.storage, task);
    await engine.close();
    await store.damageEntry(task, 5);
    clock.advance(60 * DAY);
    const next = await quietEngine(store, clock, { grace_hours: 0 });
    const policy = {
      newest_per_execution: 1,
      older_than_days: 0,
      remove_completed: true,
      quota_mb: 0.000_001,
    };
    const { removed, skipped } = await next.clean({ policy });
    expect([removed, skipped]).toEqual([[], [{ task, why: expect.stringMatching(/^it is damaged: /) }]]);
    await next.close();
    const repaired = await quietEngine(store, clock);
    await repaired.storage.repair(task);
    expect(await checkpointKeys(repaired.storage, task)).toEqual(places);
    expect((await loadCleaned(repaired.storage, task)).removed).toEqual([]);
    expect((await liveCheckpoints(repaired.storage, task)).length).toBeGreaterThan(places.length);
  });

  test('a quota takes from what ended longest ago, and stops when the store fits', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock, { grace_hours: 0 });
    const tasks: string[] = [];
    for (let n = 0; n < 4; n++) {
      tasks.push(await runWorker(engine, { turns: 6, end: n === 1 ? 'pause' : 'complete', size: 40_000 }));
      clock.advance(HOUR);
    }
    await engine.clean();
    const size = await engine.storage.size();
    const quota_mb = (size - 300_000) / 1024 / 1024;
    const report = await engine.clean({ policy: { quota_mb } });
    expect(report.emptied).toEqual([tasks[0]]);
    expect(report.removed.every(({ policy }) => policy === 'quota_mb')).toBe(true);
    expect(await engine.storage.size()).toBeLessThan(quota_mb * 1024 * 1024);
    expect((await engine.clean({ policy: { quota_mb } })).removed).toEqual([]);
  });

  test('what waits for its grace period to end counts as gone for the quota', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    for (let n = 0; n < 3; n++) await runWorker(engine, { turns: 6, end: 'complete', size: 40_000 });
    await engine.clean();
    const quota_mb = ((await engine.storage.size()) - 300_000) / 1024 / 1024;
    expect((await engine.clean({ policy: { quota_mb } })).emptied).toHaveLength(1);
    expect((await engine.clean({ policy: { quota_mb } })).emptied).toEqual([]);
  });

  test('checkpoints made without an engine are cleaned by the same policies', async () => {
    const clock = now();
    const engine = await quietEngine(await fresh(), clock);
    const { cleanup, checkpoints } = engine.config;
    const manager = new CheckpointManager(engine.storage, { clock, config: { cleanup, checkpoints } });
    const execution_id = 'by-hand';
    const value = () => Array.from({ length: 3000 }, () => clock.now().getTime());
    for (let n = 0; n < 5; n++) {
      clock.advance(1);
      await manager.createCheckpoint({ execution_id, step_state: value() });
    }
    const all = (await manager.listCheckpoints(execution_id)).map(({ id }) => id);
    await engine.clean({ policy: { newest_per_execution: 2 } });
    expect((await manager.listCheckpoints(execution_id)).map(({ id }) => id)).toEqual(all.slice(-2));
    clock.advance(2 * DAY);
    expect((await engine.clean()).freed.blobs).toBe(3);
    expect((await manager.loadCheckpoint(all.at(-1)!))?.step_state).toHaveLength(3000);
    await manager.createCheckpoint({ execution_id, step_state: value(), state: { status: 'completed' } });
    clock.advance(7 * DAY);
    expect((await engine.clean()).emptied).toEqual([execution_id]);
    clock.advance(DAY);
    await engine.clean();
    expect((await engine.storage.tasks()).keys).toEqual([]);
    expect(await blobsOf(engine.storage, execution_id)).toEqual([]);
  });

  test('one cleans at a time, and the lock is no task', async () => {
    const store = await fresh();
    const clock = now();
    const [engine, other] = [await quietEngine(store, clock), await quietEngine(store, clock)];
    await runWorker(engine, { turns: 2, end: 'complete' });
    const both = await Promise.allSettled([engine.clean(), other.clean(), engine.clean()]);
    const refused = both.filter(({ status }) => status === 'rejected');
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: 'STORE_BUSY' });
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    await other.clean();
    expect(await engine.tasks()).toHaveLength(1);
    expect((await engine.storage.tasks()).keys).toHaveLength(1);
  });

  test('a policy that is none is refused', async () => {
    const engine = await quietEngine(await fresh(), now());
    await expect(engine.clean({ policy: { max_per_task: 1 } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
