/** The same on every back end. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { openStore } from '../contract/open-store.ts';
import { LONG_LEASE } from '../engine/stores.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { tempDirs } from '../support/temp.ts';
import { entryIn, filesIn, filesOf, git, put } from './ground.ts';

const tempDir = tempDirs();
let database: Promise<TestDatabase> | undefined;
const opened: Storage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
});
afterAll(async () => (await database)?.drop());

async function newStore(type: 'json' | 'sqlite' | 'postgres'): Promise<Storage> {
  const home = tempDir();
  if (type === 'postgres') database ??= freshDatabase();
  const storage = await openStore(
    type === 'json'
      ? { type, root: join(home, 'store') }
      : type === 'sqlite'
        ? { type, path: join(home, 'store.db') }
        : {
            type,
            url: (await database)!.url,
            schema: `workspace_${randomBytes(6).toString('hex')}`,
            lease_seconds: LONG_LEASE,
          },
  );
  opened.push(storage);
  return storage;
}

describe.each(['json', 'sqlite', 'postgres'] as const)('on %s', (type) => {
  test('files are captured, restored and brought back', async () => {
    const storage = await newStore(type);
    const root = tempDir();
    put(root, 'a', 'start\r\n', 0o600);
    put(
      root,
      'dir/binary',
      Uint8Array.from({ length: 4096 }, (_, n) => n % 256),
    );
    const workspace = await openWorkspace({ root, storage });
    const { id: to } = await workspace.snapshot();
    const start = filesIn(root);
    expect(await filesOf(workspace, to)).toEqual(start);
    put(root, 'a', 'task');
    rmSync(join(root, 'dir'), { recursive: true });
    const { id: end } = await workspace.snapshot();
    const result = await workspace.restore({ to, own: [{ from: to, to: end }] });
    expect(filesIn(root)).toEqual(start);
    await workspace.undo(result.undo);
    expect([...filesIn(root).keys()]).toEqual(['a']);
    await workspace.close();
    const again = await openWorkspace({ root, storage });
    expect((await again.snapshot()).id).toBe(end);
    await again.close();
    for await (const problem of storage.verify()) expect(problem).toBeUndefined();
  });
});

test('a store that is shared holds what the remote does not have', async () => {
  const storage = await newStore('postgres');
  const upstream = join(tempDir(), 'upstream.git');
  const root = tempDir();
  git(root, 'init', '-q', '--bare', upstream);
  git(root, 'init', '-q');
  put(root, 'pushed', 'pushed');
  put(root, 'changed-later', 'pushed');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'one');
  git(root, 'push', '-q', upstream, 'HEAD:main');
  git(root, 'remote', 'add', 'origin', upstream);
  git(root, 'fetch', '-q', 'origin');
  put(root, 'changed-later', 'only here');
  put(root, 'committed', 'only here');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'two');
  const workspace = await openWorkspace({ root, storage });
  const { id } = await workspace.snapshot();
  expect(await entryIn(workspace, id, 'pushed')).toHaveProperty('git');
  expect(await entryIn(workspace, id, 'committed')).not.toHaveProperty('git');
  expect(await entryIn(workspace, id, 'changed-later')).not.toHaveProperty('git');
  await workspace.close();

  // Another machine: a clone of the remote, and the same store.
  const clone = join(tempDir(), 'clone');
  git(root, 'clone', '-q', '-b', 'main', upstream, clone);
  const elsewhere = await openWorkspace({ root: clone, storage });
  expect(await filesOf(elsewhere, id)).toEqual(filesIn(root));
  await elsewhere.close();
});
