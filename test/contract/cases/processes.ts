/** Several processes in one store: none loses what another wrote, and a dead or fenced-out one is no longer an owner. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Storage } from '../../../src/storage/contract.ts';
import { unlessFull } from '../../support/full.ts';
import { type Child, startChild } from '../child.ts';
import type { Cases, Context } from '../harness.ts';
import { append, collect, dataOf, expectCode, expectHealthy } from '../support.ts';

const WRITERS = unlessFull(4, 8);
const COMMITS = unlessFull(10, 500);

export const processCases: Cases = {
  'several processes on one journal and one record: no gap, no duplicate, no lost update': async (
    context,
  ) => {
    const { store, place, harness } = context;
    const commits = harness.sealed ? COMMITS / 5 : COMMITS; // The store below is the same.
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      startChild('writer', place, { writer, task: 't1', commits, patience_ms: WRITERS }),
    );
    for (const writer of writers) await writer.next();
    await Promise.all(writers.map((writer) => writer.ask('go')));
    expect(await Promise.all(writers.map((writer) => writer.exit()))).toEqual(Array(WRITERS).fill(0));

    const entries = await collect(store.read('t1'));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    const ordersOf = (writer: number) =>
      entries
        .map(({ data }) => data as { writer: number; n: number })
        .filter((entry) => entry.writer === writer);
    for (let writer = 0; writer < WRITERS; writer++)
      expect(ordersOf(writer).map(({ n }) => n)).toEqual(Array.from({ length: commits }, (_, n) => n));
    expect(entries).toHaveLength(WRITERS * commits);
    expect(await store.load('tasks', 't1/count')).toBe(WRITERS * commits);
    await expectHealthy(store);
  },

  'what an owner process wrote is seen by others while it runs': async (context) => {
    await withOwner(context, async (owner) => {
      await expectCode(context.store.claim('t1'), 'TASK_OWNED');
      await expectCode(append(context.store, 't1', ['mine']), 'TASK_OWNED');
      expect(await owner.ask('one')).toEqual({ seq: 1 });
      expect(await dataOf(context.store, 't1')).toEqual(['one']);
      expect(await owner.ask('two')).toEqual({ seq: 2 });
      expect(await dataOf(context.store, 't1')).toEqual(['one', 'two']);
      expect(await context.store.load('tasks', 't1/state')).toBe('two');
    });
  },

  'a killed owner loses its task, and nothing it was told was written': async (context) => {
    const { store } = context;
    await withOwner(context, async (owner, fence) => {
      expect(await owner.ask('one')).toEqual({ seq: 1 });
      owner.signal('SIGKILL');
      await owner.exit();
      const claim = await claimSoon(context, store);
      expect(claim.fence).toBeGreaterThan(fence);
      expect(await dataOf(store, 't1')).toEqual(['one']);
      await append(store, 't1', ['two'], { fence: claim.fence });
      await claim.release();
    });
    await expectHealthy(store);
  },

  'a task whose owner was killed is open to writers without a claim': async (context) => {
    await withOwner(context, async (owner) => {
      await owner.ask('one');
      owner.signal('SIGKILL');
      await owner.exit();
      await (await claimSoon(context, context.store)).release();
      await append(context.store, 't1', ['two']);
      expect(await dataOf(context.store, 't1')).toEqual(['one', 'two']);
    });
  },

  'a stopped owner keeps its task': async (context) => {
    await withOwner(context, async (owner) => {
      await owner.ask('one');
      owner.signal('SIGSTOP');
      await expectCode(context.store.claim('t1'), 'TASK_OWNED');
      await expectCode(append(context.store, 't1', ['x']), 'TASK_OWNED');
      owner.signal('SIGCONT');
      expect(await owner.ask('two')).toEqual({ seq: 2 });
    });
  },

  'an owner stopped for longer than its lease is fenced out and never writes again': async (context) => {
    const { store } = context;
    await withOwner(context, async (owner) => {
      await owner.ask('one');
      owner.signal('SIGSTOP');
      const claim = await claimSoon(context, store);
      await append(store, 't1', ['two'], { fence: claim.fence });
      owner.signal('SIGCONT');
      expect(await owner.ask('late')).toEqual({ code: 'FENCED_OUT' });
      expect(await dataOf(store, 't1')).toEqual(['one', 'two']);
      expect(await store.load('tasks', 't1/state')).toBe('one');
      await append(store, 't1', ['three'], { fence: claim.fence });
    });
    await expectHealthy(store);
  },
};

async function withOwner(
  context: Context,
  run: (owner: Child, fence: number) => Promise<void>,
): Promise<void> {
  const owner = startChild('owner', context.place, { task: 't1' });
  try {
    const { fence } = await owner.next();
    await run(owner, fence as number);
  } finally {
    owner.signal('SIGKILL');
    await owner.exit();
  }
}

/** At once where the kernel tells of the death; where a lease has to run out, as soon as it has. */
async function claimSoon({ harness }: Context, store: Storage): ReturnType<Storage['claim']> {
  const leases = harness.lease_seconds === undefined ? 0 : 10;
  const deadline = performance.now() + leases * (harness.lease_seconds ?? 0) * 1000;
  for (;;) {
    try {
      return await store.claim('t1');
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await sleep(50);
    }
  }
}
