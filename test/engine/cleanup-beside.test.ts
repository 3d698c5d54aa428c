/** Clean-up beside tasks that are started, taken back, forked and resumed all the while: neither gets in the other's way. */
import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { unlessFull } from '../support/full.ts';
import { checkpointsOf, contexts, resumeWorker, runWorker, worker } from './cleanup-world.ts';
import { onEachStore } from './stores.ts';

/** Everything that may go goes, at once. */
const GREEDY = { newest_per_execution: 1, grace_hours: 0, remove_completed: true, max_per_task: 2 };
const TURNS = 3;
/** Of tasks, and of clean-ups beside them, at least. */
const ROUNDS = unlessFull(2, 6);

/** Cleans again and again until it is told to stop; answers how often. */
async function cleanUntil(engine: Engine, stop: AbortSignal, cleaned: { times: number }): Promise<void> {
  for (; !stop.aborted; cleaned.times++) {
    const report = await engine.clean({ policy: GREEDY });
    expect(report.skipped.filter(({ why }) => !/^it (is running|changed)/.test(why))).toEqual([]);
  }
}

/** A checkpoint may be gone by the time it is asked for; that is the only thing that may go wrong. */
async function unlessGone<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if ((error as { code?: string }).code === 'CHECKPOINT_NOT_FOUND') return null;
    throw error;
  }
}

/** A life with turns: paused, taken back, forked, resumed. Answers the tasks that are left. */
async function live(engine: Engine, n: number): Promise<string[]> {
  const task = await runWorker(engine, { turns: TURNS, end: 'pause' });
  const made = await checkpointsOf(engine, task);
  const some = made[n % made.length];
  if (some) await unlessGone(() => engine.rollback(some));
  await resumeWorker(engine, task);
  const last = (await checkpointsOf(engine, task)).at(-1);
  const fork = last && (await unlessGone(() => engine.fork(last)));
  await runWorker(engine, { turns: 1, end: 'complete' });
  if (fork) await resumeWorker(engine, fork.id);
  return fork ? [task, fork.id] : [task];
}

/** The store as one sees it who asks what there is of a task, and acts on the answer only after others have acted. */
function asSeenTooLate(
  storage: Storage,
  isMeant: (prefix: string) => boolean,
  others: () => Promise<unknown>,
): Storage {
  const page: Storage['page'] = async (category, query) => {
    const seen = await storage.page(category, query);
    if (category === 'tasks' && seen.keys.length === 0 && isMeant(query?.prefix ?? '')) await others();
    return seen;
  };
  return { ...storage, page };
}

onEachStore((fresh) => {
  test('a fork that comes into being while clean-up looks at it stays', async () => {
    const store = await fresh();
    const options = { tasks: [worker], automatic_cleanup: false, auto_save: false };
    const engine = await store.open(options);
    const { storage } = engine;
    const task = await runWorker(engine, { turns: 1, end: 'pause' });
    const [checkpoint] = await checkpointsOf(engine, task);
    const looked = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const commit: Storage['commit'] = async (given) => {
      if (given.task !== null) {
        begun.resolve();
        await looked.promise;
      }
      return storage.commit(given);
    };
    const forking = await store.open({ ...options, storage: { ...storage, commit } });
    const forked = forking.fork(checkpoint!);
    await begun.promise;
    const seen = asSeenTooLate(
      storage,
      (prefix) => prefix !== `${task}/`,
      () => {
        looked.resolve();
        return forked;
      },
    );
    const cleaning = await store.open({ ...options, storage: seen });
    await cleaning.clean({ policy: { grace_hours: 0 } });
    const { id } = await forked;
    expect((await engine.state(id))?.status).toBe('paused');
    expect(await storage.list('forks')).toEqual([`${task}/${id}`]);
    await resumeWorker(engine, id);
  });

  test('tasks come and go, and whatever is left is whole', async () => {
    const store = await fresh();
    const options = { tasks: [worker], automatic_cleanup: false, auto_save: false };
    const [engine, other] = [await store.open(options), await store.open(options)];
    const stop = new AbortController();
    const cleaned = { times: 0 };
    const cleaning = cleanUntil(other, stop.signal, cleaned);
    cleaning.catch(() => stop.abort());
    const tasks: string[] = [];
    for (let n = 0; n < ROUNDS || (cleaned.times < ROUNDS && !stop.signal.aborted); n++) {
      tasks.push(...(await Promise.all([live(engine, 2 * n), live(engine, 2 * n + 1)])).flat());
    }
    stop.abort();
    await cleaning;
    for (const task of tasks) expect((await engine.history(task)).steps).toHaveLength(TURNS);
    const found = await contexts(engine);
    for (const task of tasks)
      expect([...found.keys()].some((id) => id.startsWith(`ckpt-${task}-`))).toBe(true);
    const problems: unknown[] = [];
    for await (const problem of engine.storage.verify()) problems.push(problem);
    expect(problems).toEqual([]);
  });
});
