/**
 * Writers that no longer own their task: one that released it, one that was overtaken by another, one whose lease ran
 * out. None of their writes may land. One unit of size is one change of owner on each store.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim, Storage } from '../../src/storage/contract.ts';
import { freshDatabase } from '../support/postgres.ts';
import { Broken, broken, checkLanes, codeOf, type Progress } from './oracle.ts';
import { random } from './random.ts';
import { type Campaign, type CampaignOptions, Notes } from './report.ts';
import { runLane } from './runner.ts';
import { withScratch } from './scratch.ts';
import { openStore, type StoreName } from './stores.ts';
import { makeLane } from './workload.ts';

/** Long enough that a busy machine does not lose it by itself. */
const LEASE_MS = 1500;
const REFUSALS = ['FENCED_OUT', 'TASK_OWNED', 'STALE_WRITE'];

export const owners: Campaign = (options) =>
  withScratch(async (dir) => {
    const notes = new Notes('owners', options);
    for (const store of ['json', 'sqlite'] as const) {
      const target = join(dir, store);
      mkdirSync(target);
      await changeOwners(options, notes, store, target);
    }
    await using database = await freshDatabase();
    await changeOwners(options, notes, 'postgres', database.url);
    return notes.report;
  });

async function changeOwners(
  options: CampaignOptions,
  notes: Notes,
  store: StoreName,
  target: string,
): Promise<void> {
  const place = { src: options.src, store, target, lease_ms: LEASE_MS };
  const first = await openStore(place);
  const second = await openStore(place);
  try {
    for (let round = 0; round < options.size && !notes.over; round++) {
      const seed = random(options.seed, store, round).below(1e9);
      try {
        await changeOwner(store, first, second, seed);
        notes.count(`${store} changes of owner`);
      } catch (error) {
        notes.violation(broken(error).message, `store=${store} round=${seed}`);
      }
    }
  } finally {
    await Promise.allSettled([first.close(), second.close()]);
  }
}

/** The first owner writes, loses the task to the second, and tries everything it still could. */
async function changeOwner(store: StoreName, first: Storage, second: Storage, seed: number): Promise<void> {
  const name = `t${seed}`;
  const progress: Progress = { lane: makeLane(seed, name), acked: 0 };
  const task = `${name}-1`;
  const old = await first.claim(task);
  await writeAs(first, old, progress);
  await mustRefuse('a second claim of an owned task', () => second.claim(task));
  await mustRefuse('a write without the fence of an owned task', () =>
    appendSomething(second, task, undefined),
  );
  await loseClaim(store, old);
  const taker = seed % 2 === 0 ? second : first;
  const next = await taker.claim(task);
  if (next.fence <= old.fence) throw new Broken(`fence ${next.fence} came after ${old.fence}`);
  await triesAll(first, task, old.fence);
  await writeAs(taker, next, progress);
  await triesAll(first, task, old.fence);
  await checkLanes(second, [progress]);
  if (progress.acked !== 2) throw new Broken(`operation ${progress.acked} is the last, not 2`);
  await next.release();
  await old.release();
}

/** Local claims end when they are released; a lease on the server also ends when nobody renews it. */
async function loseClaim(store: StoreName, claim: Claim): Promise<void> {
  if (store !== 'postgres') return await claim.release();
  // Nothing of this process runs meanwhile, as if it were stopped.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_MS + 100);
}

async function writeAs(storage: Storage, { task, fence }: Claim, progress: Progress): Promise<void> {
  const claimed = { ...storage, claim: async () => ({ task, fence }) as Claim };
  await runLane(claimed, progress.lane).run(progress.acked + 1);
  progress.acked++;
}

async function triesAll(storage: Storage, task: string, fence: number): Promise<void> {
  await mustRefuse('an append by a former owner', () => appendSomething(storage, task, fence));
  await mustRefuse('a cut by a former owner', () => storage.commit({ task, fence, cut: { from: 1, to: 1 } }));
  await mustRefuse('a record by a former owner', () =>
    storage.commit({ task, fence, records: [{ category: 'tasks', key: `${task}/state`, data: 'stale' }] }),
  );
  await mustRefuse('a removal by a former owner', () => storage.removeTask(task, { fence }));
  await mustRefuse('a compaction by a former owner', () => storage.compact(task, { fence }));
}

async function appendSomething(storage: Storage, task: string, fence: number | undefined): Promise<void> {
  const after = await storage.position(task);
  await storage.commit({
    task,
    ...(fence === undefined ? {} : { fence }),
    append: { after, entries: ['stale'] },
  });
}

async function mustRefuse(what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const code = codeOf(error);
    if (REFUSALS.includes(code)) return;
    throw new Broken(`${what} was refused with ${code}, not as a matter of ownership`);
  }
  throw new Broken(`${what} was not refused`);
}
