/** A restore is killed before every change it makes to the disk; opening the workspace again finishes it or finds it not begun. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { setIoHook } from '../../src/system/io.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import { filesIn, put } from './ground.ts';

const tempDir = tempDirs();
/** Every point takes a process; a few of them show most, `KILL_STEP=1` tries all. */
const STEP = Number(process.env.KILL_STEP ?? unlessFull(61, 9));
const CHILD = join(import.meta.dirname, 'restore-child.ts');

test('a restore that is killed is whole or not begun', async () => {
  const home = tempDir();
  const template = { root: join(home, 'root'), store: join(home, 'store') };
  const request = await prepare(template);
  const before = filesIn(template.root);
  const points = Number(
    (await runChild({ ...copyOf(template), ...request, deadly: -1, torn: false })).stdout,
  );
  expect(points).toBeGreaterThan(40);
  let finished = 0;
  let notBegun = 0;
  for (let deadly = 1; deadly <= points; deadly += STEP) {
    for (const torn of [false, true]) {
      const place = copyOf(template);
      await runChild({ ...place, ...request, deadly, torn }).catch((error: { signal?: string }) => {
        expect(error.signal).toBe('SIGKILL');
      });
      const storage = await openJsonStorage({ root: place.store });
      const workspace = await openWorkspace({ root: place.root, storage });
      const after = filesIn(place.root);
      if (same(after, before)) notBegun++;
      else finished++;
      if (!same(after, before))
        expect(withoutOthers(after), `killed at ${deadly}`).toEqual(withoutOthers(request.target));
      expect(await storage.list('restores')).toEqual([]);
      await workspace.restore({ ...request, on_modified: 'use_current' });
      expect(withoutOthers(filesIn(place.root))).toEqual(withoutOthers(request.target));
      const state = join(place.root, '.vibe-engine/.workspace');
      const left = existsSync(state) ? readdirSync(state).filter((name) => name.startsWith('restore-')) : [];
      expect(left, `killed at ${deadly}`).toEqual([]);
      await workspace.close();
      await storage.close();
      rmSync(join(place.root, '..'), { recursive: true });
    }
  }
  expect(Math.min(finished, notBegun)).toBeGreaterThan(0);
});

test('a restore whose disk fails is whole or not begun once it works again', async () => {
  const home = tempDir();
  const template = { root: join(home, 'root'), store: join(home, 'store') };
  const request = await prepare(template);
  const before = filesIn(template.root);
  let failures = 0;
  for (let deadly = 1; ; deadly += 2 * STEP - 1) {
    const place = copyOf(template);
    let calls = 0;
    const storage = await openJsonStorage({ root: place.store });
    const workspace = await openWorkspace({ root: place.root, storage });
    setIoHook(({ path }) =>
      path.includes('owners.db') || ++calls !== deadly ? undefined : { errno: 'EIO' },
    );
    let failed = false;
    try {
      await workspace.restore({ ...request, on_modified: 'use_current' }).catch((error: unknown) => {
        failed = true;
        expect(error).toHaveProperty('hint');
      });
    } finally {
      setIoHook(undefined);
    }
    await workspace.close().catch(() => {});
    await storage.close();
    const store = await openJsonStorage({ root: place.store });
    const again = await openWorkspace({ root: place.root, storage: store });
    const after = filesIn(place.root);
    if (!same(after, before)) {
      expect(withoutOthers(after), `failed at ${deadly}`).toEqual(withoutOthers(request.target));
    }
    await again.restore({ ...request, on_modified: 'use_current' });
    expect(withoutOthers(filesIn(place.root))).toEqual(withoutOthers(request.target));
    await again.close();
    await store.close();
    rmSync(join(place.root, '..'), { recursive: true });
    if (calls < deadly) break;
    if (failed) failures++;
  }
  expect(failures).toBeGreaterThan(45 / STEP);
});

/** Modified by others: stays as it is in either case. */
function withoutOthers(files: ReturnType<typeof filesIn>) {
  return new Map([...files].filter(([path]) => path !== 'theirs'));
}

function same(a: ReturnType<typeof filesIn>, b: ReturnType<typeof filesIn>): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}

async function prepare({ root, store }: { root: string; store: string }) {
  mkdirSync(root);
  put(root, 'a', 'start a');
  put(root, 'dir/b', 'start b', 0o600);
  put(root, 'gone/deep/c', 'start c');
  put(root, 'swap', 'file');
  put(root, 'mode', 'mode', 0o755);
  put(root, 'theirs', 'start');
  symlinkSync('a', join(root, 'link'));
  const storage = await openJsonStorage({ root: store });
  const workspace = await openWorkspace({ root, storage });
  const { id: to } = await workspace.snapshot();
  const target = filesIn(root);
  put(root, 'a', 'task a');
  put(root, 'dir/b', 'task b');
  rmSync(join(root, 'gone'), { recursive: true });
  put(root, 'new/file', 'new');
  rmSync(join(root, 'swap'));
  put(root, 'swap/inside', 'x');
  put(root, 'mode', 'mode', 0o644);
  put(root, 'theirs', 'task');
  rmSync(join(root, 'link'));
  const { id: end } = await workspace.snapshot();
  put(root, 'theirs', 'person');
  await workspace.close();
  await storage.close();
  return { to, own: [{ from: to, to: end }], target };
}

let copies = 0;
function copyOf({ root, store }: { root: string; store: string }) {
  const home = join(tempDir(), `${copies++}`);
  cpSync(root, join(home, 'root'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  cpSync(store, join(home, 'store'), { recursive: true });
  return { root: join(home, 'root'), store: join(home, 'store') };
}

function runChild({ target: _, ...input }: Record<string, unknown>) {
  return promisify(execFile)(process.execPath, [CHILD, JSON.stringify(input)]);
}
