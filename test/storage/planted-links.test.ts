/** Links that somebody put among our own files: nothing elsewhere is changed or deleted through them. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { removeTree } from '../../src/system/files.ts';
import { keepConflict } from '../../src/workspace/restore/conflict-copies.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** Somebody's files, one of them named as a record would be; and how they are now. */
function others(): { dir: string; now(): readonly string[] } {
  const dir = tempDir();
  mkdirSync(join(dir, 'photos'));
  const files = ['letter', 'b.json', join('photos', 'one.lock')];
  for (const name of files) writeFileSync(join(dir, name), `this is ${name}`);
  const now = () => [
    ...readdirSync(dir, { recursive: true }).map(String).sort(),
    ...files.map((name) => readFileSync(join(dir, name), 'utf8')),
  ];
  return { dir, now };
}

/** Whatever was there goes. */
function plant(target: string, place: string): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place);
}

const openers = {
  json: (dir: string) => openJsonStorage({ root: dir }),
  sqlite: (dir: string) => openSqliteStorage({ path: join(dir, 'store.db') }),
} as const;

/** All that writes files in a store, and removes some. */
async function work(storage: Storage): Promise<void> {
  try {
    await storage.save('history', 'a', 1);
    await storage.delete('history', 'a');
    await storage.putBlobs(null, [{ kind: 'file', bytes: Buffer.from('content') }]);
    const { fence, release } = await storage.claim('t1');
    const records = ['a', 'checkpoints/a'].map((name) => ({ category: 'tasks', key: `t1/${name}`, data: 1 }));
    await storage.commit({ task: 't1', fence, records });
    await storage.flush();
    await storage.removeTask('t1', { fence });
    await release();
    await storage.compact(null);
  } finally {
    await storage.close();
  }
}

describe.skipIf(process.platform === 'win32')('a link', () => {
  test('in the place of what is to be removed goes, and not what it leads to', () => {
    const { dir, now } = others();
    const before = now();
    const link = join(tempDir(), 'link');
    symlinkSync(dir, link);
    removeTree(link);
    expect(existsSync(link)).toBe(false);
    expect(now()).toEqual(before);
  });

  test.each([
    ...['trash', 'tasks', 'tasks/t1', 'tasks/t1/checkpoints', 'blobs', 'blobs/file', 'history'],
    ...['locks', 'locks/instances'],
  ])('to a directory, as %s of a store, is not followed', async (name) => {
    const [root, { dir, now }] = [tempDir(), others()];
    const before = now();
    await (await openers.json(root)).close();
    plant(dir, join(root, name));
    await expectCode(openers.json(root).then(work), 'STORE_UNSAFE');
    expect(now()).toEqual(before);
  });

  test.each([
    ...['store.json', 'records.log', 'numbers.floor', 'tasks/t1/journal.log'],
    ...['locks/owners.db', 'locks/owners.db-wal'],
  ])('to a file, as %s of a store, is not followed', async (name) => {
    const [root, { dir, now }] = [tempDir(), others()];
    const before = now();
    await (await openers.json(root)).close();
    plant(join(dir, 'letter'), join(root, name));
    await expectCode(openers.json(root).then(work), 'STORE_UNSAFE');
    expect(now()).toEqual(before);
  });

  test.each(['store.db-wal', 'store.db-journal', 'store.db-locks/owners.db'])(
    'to a file, beside a database as %s, is not followed',
    async (name) => {
      const [root, { dir, now }] = [tempDir(), others()];
      const before = now();
      await (await openers.sqlite(root)).close();
      plant(join(dir, 'letter'), join(root, name));
      await expectCode(openers.sqlite(root).then(work), 'STORE_UNSAFE');
      expect(now()).toEqual(before);
    },
  );

  test('in the trash goes, and not what it leads to', async () => {
    const [root, { dir, now }] = [tempDir(), others()];
    const before = now();
    await (await openers.json(root)).close();
    plant(dir, join(root, 'trash', 'x'));
    await work(await openers.json(root));
    expect(readdirSync(join(root, 'trash'))).toEqual([]);
    expect(now()).toEqual(before);
  });

  test.each(['.workspace', '.workspace/clock', 'conflicts'])(
    'among the files about a workspace, as %s, is not followed',
    async (name) => {
      const [root, { dir, now }] = [tempDir(), others()];
      const before = now();
      plant(name.endsWith('clock') ? join(dir, 'letter') : dir, join(root, '.vibe-engine', name));
      const storage = await openers.json(tempDir());
      const use = async (): Promise<void> => {
        const workspace = await openWorkspace({ root, storage });
        writeFileSync(join(root, 'a.txt'), 'a');
        await workspace.snapshot().finally(() => workspace.close());
        keepConflict(root, 'a.txt', Buffer.from('b'));
      };
      await expectCode(use(), 'STORE_UNSAFE');
      await storage.close();
      expect(now()).toEqual(before);
    },
  );

  test('as the directory of the store itself is the user’s own', async () => {
    const [project, elsewhere] = [tempDir(), tempDir()];
    const root = join(project, '.vibe-engine');
    symlinkSync(elsewhere, root);
    await work(await openers.json(root));
    expect(readdirSync(elsewhere)).toContain('store.json');
  });
});
