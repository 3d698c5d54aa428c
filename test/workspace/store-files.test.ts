/** A store inside the project: its files are in no snapshot, come back by no restore, and reach no fork. */
import { existsSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { EncryptedStorage, JsonStorage, SqliteStorage } from '../../src/storage/opening/local.ts';
import { saveSnapshot } from '../../src/workspace/snapshot/snapshots.ts';
import { everyEntry, type Tree, type TreeDirectory } from '../../src/workspace/tree/tree.ts';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { tempDirs } from '../support/temp.ts';
import { put } from './ground.ts';

const tempDir = tempDirs();

async function using<T>(
  root: string,
  storage: Storage,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await openWorkspace({ root, storage });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
    await storage.close();
  }
}

/** Two snapshots with a change between them, so that the second comes from what was seen before; watched or not. */
async function captured(root: string, storage: Storage, watch = false): Promise<string[]> {
  return using(root, storage, async (workspace) => {
    if (watch) await workspace.watch();
    await workspace.snapshot();
    put(root, 'src/later.txt', 'later\n');
    await storage.save('state', 'something', { large: 'x'.repeat(10_000) });
    const { id } = await workspace.snapshot();
    const entries = [...everyEntry(await workspace.tree(id))];
    return entries.filter(([, { kind }]) => kind !== 'dir').map(([path]) => path);
  });
}

function project(): string {
  const root = tempDir();
  put(root, 'src/a.txt', 'a\n');
  put(root, 'data/mine.csv', '1,2\n');
  put(root, 'data/mine.db-notes', 'about another database\n');
  return root;
}

const FILES = ['data/mine.csv', 'data/mine.db-notes', 'src/a.txt', 'src/later.txt'];

const stores: Record<string, (root: string) => Promise<Storage>> = {
  'SQLite among files of the project': (root) => SqliteStorage.open(join(root, 'data', 'mine.db')),
  'SQLite by a relative path with dots': (root) => SqliteStorage.open(`${root}/src/../data/./mine.db`),
  'SQLite with its locks elsewhere': (root) =>
    SqliteStorage.open(join(root, 'data/mine.db'), { locks_dir: join(root, 'src/locked') }),
  'SQLite, encrypted': async (root) =>
    EncryptedStorage.open(await SqliteStorage.open(join(root, 'data', 'mine.db')), {
      source: 'test',
      key: async () => Buffer.alloc(32, 7),
    }),
  'SQLite as the documents make it': async (root) =>
    new SqliteStorage('project', join(root, 'data', 'stores')),
  'JSON in a directory of its own': (root) => JsonStorage.open(join(root, 'data', 'records')),
  'JSON among files of the project': (root) => JsonStorage.open(join(root, 'data')),
  'JSON in the root itself': (root) => JsonStorage.open(root),
};

describe.each(Object.entries(stores))('%s', (_, open) => {
  test.each([false, true])('is not captured (watched: %s)', async (watch) => {
    const root = project();
    expect(await captured(root, await open(root), watch)).toEqual(FILES);
  });
});

test('a store that is reached through links is not captured, nor is the link to it', async () => {
  const root = project();
  symlinkSync('data', join(root, 'linked'));
  const byDirectory = await SqliteStorage.open(join(root, 'linked', 'mine.db'));
  expect(await captured(root, byDirectory)).toEqual([...FILES.slice(0, 2), 'linked', ...FILES.slice(2)]);
  unlinkSync(join(root, 'linked'));
  symlinkSync('data/mine.db', join(root, 'store.db'));
  expect(await captured(root, await SqliteStorage.open(join(root, 'store.db')))).toEqual(FILES);
});

test('a workspace that is reached through a link has the same store', async () => {
  const root = project();
  const link = join(tempDir(), 'project');
  symlinkSync(root, link);
  expect(await captured(link, await SqliteStorage.open(join(root, 'data', 'mine.db')))).toEqual(FILES);
});

test('a store that another engine uses on the same files is not captured either', async () => {
  const root = project();
  const other = await SqliteStorage.open(join(root, 'data', 'mine.db'));
  const second = await openWorkspace({ root, storage: other });
  expect(await captured(root, await JsonStorage.open(join(tempDir(), 's')))).toEqual(FILES);
  await second.close();
  await other.close();
  expect(await captured(root, await JsonStorage.open(join(tempDir(), 's')))).toEqual(FILES);
});

test('what the user puts in the place of a former store is captured', async () => {
  const root = project();
  const path = join(root, 'data', 'mine.db');
  await captured(root, await SqliteStorage.open(path));
  writeFileSync(`${path}.new`, 'no store'); // While the other is there, so that it is another inode.
  renameSync(`${path}.new`, path);
  const paths = await captured(root, await JsonStorage.open(join(tempDir(), 's')));
  expect(paths).toContain('data/mine.db');
});

/** As versions of this project took them that knew of no store's files. */
async function oldSnapshot(storage: Storage, like: Tree, bytes: string): Promise<string> {
  const [id] = await storage.putBlobs(null, [{ kind: 'file', bytes: Buffer.from(bytes) }]);
  const file = { kind: 'file', mode: 0o644, size: bytes.length, hash: id!.split('/')[1]! } as const;
  const added = ['mine.db', 'mine.db-wal', 'mine.db-journal'];
  const { names, entries } = like.get('data')!;
  const all = [...names, ...added].sort();
  const data = {
    names: all,
    entries: all.map((name) => (added.includes(name) ? file : entries[names.indexOf(name)]!)),
  };
  const tree: Tree = new Map<string, TreeDirectory>([...like, ['data', data]]);
  const changes = [...everyEntry(tree)].map(([path, after]) => ({ path, before: null, after }));
  return (await saveSnapshot(storage, null, { tree, since: changes, holds: [] })).id;
}

test('an old snapshot that has the store writes it nowhere', async () => {
  const root = project();
  const path = join(root, 'data', 'mine.db');
  const storage = await SqliteStorage.open(path);
  await using(root, storage, async (workspace) => {
    const { id: now } = await workspace.snapshot();
    const tree = await workspace.tree(now);
    const first = await oldSnapshot(storage, tree, 'the store as it was');
    const second = await oldSnapshot(storage, tree, 'the store as it was later');
    expect(await workspace.diff(first, now)).toEqual([]);
    expect(await workspace.diff(first, second)).toEqual([]);
    put(root, 'src/a.txt', 'changed\n');
    const { id: later } = await workspace.snapshot();
    const own = [
      { from: first, to: second },
      { from: second, to: later },
    ];
    const result = await workspace.restore({ to: first, own });
    expect(result).toMatchObject({ restored: ['src/a.txt'], left: [], displaced: [] });
    expect(statSync(path).size).toBeGreaterThan(1000);
    expect(existsSync(`${path}-journal`)).toBe(false);
    await storage.save('state', 'still', { there: true });
  });
});
