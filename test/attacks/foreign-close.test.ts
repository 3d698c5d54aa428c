/** A step that copies the project opens and closes our files, and with that drops every lock this process has on them. */
import { fork } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const VISITOR = join(import.meta.dirname, 'visitor.ts');

const STORES = {
  json: (root: string) => openJsonStorage({ root: join(root, 'store') }),
  sqlite: (root: string) => openSqliteStorage({ path: join(root, 'store', 'data.db') }),
};

/** What another process finds: who owns the task, how far its journal goes, and whether it could claim it. */
async function visit(
  store: keyof typeof STORES,
  root: string,
  how: 'close' | 'exit' = 'close',
): Promise<Visit> {
  const child = fork(VISITOR, [store, root, how], { execArgv: [] });
  let found: Visit | undefined;
  child.once('message', (message) => {
    found = message as Visit;
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return found!;
}

interface Visit {
  owned: boolean;
  seq: number;
  claimed: boolean;
}

describe.each(['json', 'sqlite'] as const)(
  '%s: everything below the project copied by its runner',
  (type) => {
    const project = async (): Promise<{ root: string; storage: Storage; copy: () => void }> => {
      const dir = tempDir();
      const root = join(dir, 'project');
      mkdirSync(root);
      let copies = 0;
      const copy = () => cpSync(root, join(dir, `copy-${copies++}`), { recursive: true });
      return { root, storage: await STORES[type](root), copy };
    };

    const append = async (storage: Storage, fence: number): Promise<number> => {
      const after = await storage.position('t');
      const { position } = await storage.commit({
        task: 't',
        fence,
        records: [],
        append: { after, entries: [{ n: after.seq }] },
      });
      return position!.seq;
    };

    test('its task is still its own, for everybody', async () => {
      const { root, storage, copy } = await project();
      const { fence } = await storage.claim('t');
      await append(storage, fence);
      copy();
      expect(await visit(type, root)).toEqual({ owned: true, seq: 1, claimed: false });
      await storage.close();
      expect(await visit(type, root)).toMatchObject({ owned: false, claimed: true });
    });

    test.each(['close', 'exit'] as const)(
      'what is acknowledged after others came and went (%s) is there',
      async (how) => {
        const { root, storage, copy } = await project();
        const { fence } = await storage.claim('t');
        await append(storage, fence);
        for (let round = 0; round < unlessFull(1, 2); round++) {
          copy();
          await visit(type, root, how);
          const seq = await append(storage, fence);
          expect((await visit(type, root)).seq).toBe(seq);
        }
        await storage.close();
      },
    );
  },
);

describe('two who both believe that they own a task', () => {
  test.each(['json', 'sqlite'] as const)('%s: the first one writes no more', async (type) => {
    const root = tempDir();
    const first = await STORES[type](root);
    const { fence } = await first.claim('t');
    const commit = async (storage: Storage, fence: number, n: number) => {
      const after = await storage.position('t');
      await storage.commit({ task: 't', fence, records: [], append: { after, entries: [{ n }] } });
    };
    await commit(first, fence, 1);
    // However it came about: the rows that say who owns what are gone, and a second claim is given.
    const locks = type === 'json' ? join(root, 'store', 'locks') : join(root, 'store', 'data.db-locks');
    for (const name of ['owners.db', 'instances']) rmSync(join(locks, name), { recursive: true });
    const second = await STORES[type](root);
    const taken = await second.claim('t');
    expect(taken.fence).toBeGreaterThan(fence);
    await commit(second, taken.fence, 2);
    await expect(commit(first, fence, 3)).rejects.toMatchObject({ code: 'FENCED_OUT' });
    await commit(second, taken.fence, 4);
    await first.close().catch(() => {});
    await commit(second, taken.fence, 5);
    const entries = await Array.fromAsync(second.read('t'));
    expect(entries.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 4 }, { n: 5 }]);
    await second.close();
  });
});

describe('a store that is removed while it is in use', () => {
  test.each(['json', 'sqlite'] as const)('%s: is an error that says so', async (type) => {
    const root = tempDir();
    const storage = await STORES[type](root);
    const { fence } = await storage.claim('t');
    const commit = async () => {
      const after = await storage.position('t');
      await storage.commit({ task: 't', fence, records: [], append: { after, entries: [{ n: 1 }] } });
    };
    await commit();
    rmSync(join(root, 'store'), { recursive: true });
    await expect(commit()).rejects.toMatchObject({ code: 'STORE_GONE' });
    await expect(storage.save('state', 'x', 1)).rejects.toMatchObject({ code: 'STORE_GONE' });
    await storage.close().catch(() => {});
  });

  test('json: so is one whose index was written once more before the rest was removed', async () => {
    const root = tempDir();
    const storage = await STORES.json(root);
    const { release, fence } = await storage.claim('t');
    await storage.commit({
      task: 't',
      fence,
      records: [],
      append: { after: await storage.position('t'), entries: [1] },
    });
    await release();
    rmSync(join(root, 'store', 'tasks', 't', 'journal.log'));
    await expect(storage.position('t')).rejects.toMatchObject({ code: 'CORRUPT' });
    rmSync(join(root, 'store', 'records.log'));
    await expect(storage.position('t')).rejects.toMatchObject({ code: 'STORE_GONE' });
    await storage.close().catch(() => {});
  });
});
