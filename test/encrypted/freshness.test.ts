/** A task's records and its journal vouch for each other: what somebody took away or put back shows, and honest work does not. */
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { removeBare, type Sweep } from '../../src/engine/cleanup/sweep.ts';
import { examineStore } from '../../src/engine/doctor/examine.ts';
import { mendStore } from '../../src/engine/doctor/mend.ts';
import type { Claim, Commit, Storage } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/create.ts';
import { openEncryptedStorage } from '../../src/storage/encrypted/open.ts';
import { damageJson } from '../contract/damage-json.ts';
import { damageSqlite } from '../contract/damage-sqlite.ts';
import { keyProvider } from '../contract/open-store.ts';
import { append, collect, dataOf, expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';
import { BACK_ENDS, type Sealed, sealedStore } from './world.ts';

const tempDir = tempDirs();
const made: Sealed[] = [];
afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
});

const record = (name: string, data: unknown) => ({ category: 'tasks', key: `t1/${name}`, data });
const removal = (name: string) => ({ category: 'tasks', key: `t1/${name}`, remove: true }) as const;

/** A step of a task that is claimed: one entry, and the state with it. */
const step = (store: Storage, { fence }: Claim, n: number, records: Commit['records'] = []) =>
  append(store, 't1', [n], { fence, records: [record('state', { n }), ...records] });

async function isTakenUp(store: Storage): Promise<void> {
  await (await store.claim('t1')).release();
  expect(await collect(store.verify())).toEqual([]);
}

describe.each(BACK_ENDS)('%s', (type) => {
  const fresh = async (): Promise<Sealed> => {
    const one = await sealedStore(tempDir(), type);
    made.push(one);
    return one;
  };

  /** The journal as it was with fewer entries; the records stay. */
  const cutOff = async (inner: Storage, keep: number, names: readonly string[]): Promise<void> => {
    const kept = await Promise.all(
      names.map(async (name) => record(name, await inner.load('tasks', `t1/${name}`))),
    );
    const entries = await dataOf(inner, 't1');
    await inner.removeTask('t1');
    if (keep > 0) await append(inner, 't1', entries.slice(0, keep));
    await inner.commit({ task: 't1', records: kept });
  };

  test.each([
    ['writes it', (store: Storage) => store.save('tasks', 't1/notes', 'mine'), 'mine'],
    ['removes it', (store: Storage) => store.delete('tasks', 't1/notes'), null],
  ])(
    'who %s without a claim while another appends makes no old record of a new one',
    async (_, work, left) => {
      const { store, inner, key } = await fresh();
      await append(store, 't1', [1], { records: [record('notes', 'first')] });
      let between: (() => Promise<unknown>) | null = () =>
        append(store, 't1', [2], { records: [record('notes', 'theirs')] });
      const slow = await openEncryptedStorage(
        createStorage({
          ...inner.backend,
          async commit(commit) {
            const others = commit.task === 't1' ? between : null;
            if (others) between = null;
            await others?.();
            return inner.backend.commit(commit);
          },
        }),
        keyProvider(key),
      );
      await work(slow);
      expect(await store.load('tasks', 't1/notes')).toBe(left);
      await isTakenUp(store);
    },
  );

  test('a task that is created again while the one before it is removed keeps its key', async () => {
    const { store, inner, key, again } = await fresh();
    await append(store, 't1', ['old']);
    const other = await again();
    const refused: unknown[] = [];
    const slow = await openEncryptedStorage(
      createStorage({
        ...inner.backend,
        async removeTask(task, fence) {
          const removed = await inner.backend.removeTask(task, fence);
          await append(other, 't1', ['new']).catch((error) => refused.push(error.code));
          return removed;
        },
      }),
      keyProvider(key),
    );
    expect(await slow.removeTask('t1')).toBe(true);
    expect(refused).toEqual(['TASK_OWNED']);
    await append(other, 't1', ['new']);
    expect(await dataOf(await again(), 't1')).toEqual(['new']);
    expect(await slow.removeTask('t2')).toBe(false);
  });

  test.each([0, 1, 2])(
    'a journal of which %i entries are left does not go with newer records',
    async (keep) => {
      const { store, inner, again } = await fresh();
      await append(store, 't1', ['created']);
      const claim = await store.claim('t1');
      for (const n of [1, 2]) await step(store, claim, n);
      await claim.release();
      await cutOff(inner, keep, ['state']);
      await expectCode((await again()).claim('t1'), 'CORRUPT');
    },
  );

  test('a journal does not go with a checkpoint that came after its end', async () => {
    const { store, inner, again } = await fresh();
    const claim = await store.claim('t1');
    await step(store, claim, 1);
    await append(store, 't1', [2], { fence: claim.fence, records: [record('checkpoints/1', { at: 2 })] });
    await claim.release();
    await cutOff(inner, 1, ['state', 'checkpoints/1']);
    await expectCode((await again()).claim('t1'), 'CORRUPT');
  });

  test('a record that was taken away past the store is missed, one that the task removed is not', async () => {
    const { store, inner, again } = await fresh();
    const claim = await store.claim('t1');
    const { fence } = claim;
    await step(store, claim, 1, [record('note', 'a'), record('other', 'b')]);
    await store.commit({ task: 't1', fence, records: [removal('note')] });
    await claim.release();
    await isTakenUp(await again());
    await store.delete('tasks', 't1/other');
    await isTakenUp(await again());
    expect((await store.page('tasks', { prefix: 't1/' })).keys).toEqual(['t1/state']);
    await inner.delete('tasks', 't1/state');
    await expectCode((await again()).claim('t1'), 'CORRUPT');
  });

  test('a task that was removed and created again by its owner can be claimed', async () => {
    const { store, again } = await fresh();
    const claim = await store.claim('t1');
    for (const n of [1, 2, 3]) await step(store, claim, n);
    await store.removeTask('t1', { fence: claim.fence });
    await store.commit({ task: 't1', fence: claim.fence, records: [record('note', 'new')] });
    await step(store, claim, 1);
    await claim.release();
    await isTakenUp(await again());
  });

  test('a task that cannot be taken up keeps nobody from cleaning and mending the others', async () => {
    const { store, inner } = await fresh();
    const claim = await store.claim('t1');
    await step(store, claim, 1);
    await claim.release();
    await inner.delete('tasks', 't1/state');
    const skip = vi.fn();
    const sweep = { storage: store, skip, damaged: new Set() } as unknown as Sweep;
    expect(await removeBare(sweep, 't1', async () => true)).toBe(false);
    expect(skip).toHaveBeenCalledWith('t1', expect.stringMatching(/damaged/));
    const [problem] = await collect(
      examineStore({ storage: store, config: parseConfig({}), project_dir: tempDir() }),
    );
    expect(problem).toMatchObject({ code: 'CORRUPT', task: 't1', mend: null });
    expect(await mendStore(store, [{ ...problem!, mend: 'journal' }])).toEqual([]);
  });

  test('nothing is left of a task whose only record is removed', async () => {
    const { store, inner } = await fresh();
    await store.save('tasks', 't1/state', 'a');
    await store.delete('tasks', 't1/state');
    expect(await inner.list('tasks')).toEqual([]);
  });

  test('an entry that is written without a claim vouches for the records too', async () => {
    const { store, inner, again } = await fresh();
    const claim = await store.claim('t1');
    await step(store, claim, 1);
    const old = await inner.load('tasks', 't1/state');
    await step(store, claim, 2);
    await claim.release();
    await append(store, 't1', ['by hand']);
    await isTakenUp(await again());
    await inner.save('tasks', 't1/state', old);
    await expectCode((await again()).claim('t1'), 'CORRUPT');
  });

  test('commits that are in progress together are both vouched for', async () => {
    const { store, inner, again } = await fresh();
    const claim = await store.claim('t1');
    const { fence } = claim;
    await step(store, claim, 1, [record('drift', 1)]);
    const old = {
      state: await inner.load('tasks', 't1/state'),
      drift: await inner.load('tasks', 't1/drift'),
    };
    await append(store, 't1', [2], { fence });
    await Promise.all([
      step(store, claim, 3),
      store.commit({ task: 't1', fence, records: [record('drift', 2)] }),
    ]);
    await append(store, 't1', [4], { fence });
    await claim.release();
    await isTakenUp(await again());
    for (const name of ['state', 'drift'] as const) {
      const now = await inner.load('tasks', `t1/${name}`);
      await inner.save('tasks', `t1/${name}`, old[name]);
      await expectCode((await again()).claim('t1'), 'CORRUPT');
      await inner.save('tasks', `t1/${name}`, now);
    }
  });

  test('a task that was repaired goes on, also after records were written without an entry', async () => {
    const { store, inner, dir, again } = await fresh();
    const first = await store.claim('t1');
    for (const n of [1, 2, 3, 4]) await step(store, first, n);
    await first.release();
    const raw = async () => JSON.stringify((await dataOf(inner, 't1'))[2]);
    const damage =
      type === 'json'
        ? damageJson(join(dir, 'store'), { record: raw, entry: raw })
        : damageSqlite(join(dir, 'store.db'));
    await damage.entry('t1', 3);
    const other = await again();
    const claim = await other.claim('t1');
    expect((await other.repair('t1', { fence: claim.fence }))?.kept.seq).toBe(2);
    await other.commit({ task: 't1', fence: claim.fence, records: [record('note', 'repaired')] });
    await append(other, 't1', ['on'], { fence: claim.fence });
    await claim.release();
    await isTakenUp(await again());
  });

  // A line of the JSON store is a whole commit.
  if (type !== 'json')
    test('a task that was repaired in the middle of a commit goes on', async () => {
      const { store, dir, again } = await fresh();
      const first = await store.claim('t1');
      const records = [record('state', { n: 1 }), record('note', 'a')];
      await append(store, 't1', [1, 2, 3], { fence: first.fence, records });
      await first.release();
      await damageSqlite(join(dir, 'store.db')).entry('t1', 2);
      const other = await again();
      expect((await other.repair('t1'))?.kept.seq).toBe(1);
      await isTakenUp(await again());
      const claim = await other.claim('t1');
      await step(other, claim, 2);
      await claim.release();
      await isTakenUp(await again());
    });

  test('a look at a task that is being written finds nothing wrong', async () => {
    const { store, inner, key } = await fresh();
    const claim = await store.claim('t1');
    await step(store, claim, 1, [record('note', 'a')]);
    let busy = 0;
    const meanwhile = async () => {
      if (busy++ < 20) await step(store, claim, busy + 1, busy === 10 ? [removal('note')] : []);
    };
    const slow = createStorage({
      ...inner.backend,
      async position(task) {
        const position = await inner.backend.position(task);
        await meanwhile();
        return position;
      },
      async get(category, name) {
        if (name === 't1/state') await meanwhile();
        return inner.backend.get(category, name);
      },
    });
    const looking = await openEncryptedStorage(slow, keyProvider(key));
    for (let n = 0; n < 5; n++) expect(await collect(looking.verify())).toEqual([]);
    expect(busy).toBeGreaterThan(10);
    await claim.release();
  });
});
