/** A workspace as other platforms have it: without /proc, with names that are folded or reserved, without a watch. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type IoCall, setIoHook } from '../../src/system/io.ts';
import { PLATFORMS, setPlatform } from '../../src/system/platform.ts';
import { isSpelledOtherwise } from '../../src/workspace/capture/dirty.ts';
import { openFileLocks } from '../../src/workspace/editing/file-locks.ts';
import { onLinux, onPlatform } from '../support/platform.ts';
import { withTreeWatch } from '../support/tree-watch.ts';
import { filesIn, filesOf, grounds, put } from './ground.ts';

const newGround = grounds();

const NAMES = onLinux ? (Object.keys(PLATFORMS) as (keyof typeof PLATFORMS)[]) : [];

describe.each(NAMES)('on %s', (name) => {
  onPlatform(name);
  withTreeWatch();

  test('files are captured, watched where that can be done, put back and undone', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 6; n++) put(root, `d${n % 2}/f${n}`, 'start');
    const workspace = await open();
    expect(await workspace.watch()).toBe(PLATFORMS[name].watches !== null);
    const start = filesIn(root);
    const { id: to } = await workspace.snapshot();
    put(root, 'd0/f0', 'task');
    put(root, 'new/dir/f', 'task');
    rmSync(join(root, 'd1/f1'));
    const end = filesIn(root);
    const { id } = await workspace.snapshot();
    expect(await filesOf(workspace, id)).toEqual(end);
    put(root, 'd0/f2', "a person's");
    const { undo } = await workspace.restore({ to, own: [{ from: to, to: id }] });
    expect(filesIn(root)).toEqual(
      start.set('d0/f2', { ...start.get('d0/f2')!, bytes: "a person's" } as never),
    );
    await workspace.undo(undo);
    expect(filesIn(root)).toEqual(end.set('d0/f2', start.get('d0/f2')!));
  });

  test('a file has one lock for all names that it can be called by', async () => {
    const { root } = newGround();
    put(root, 'Read.me', 'x');
    const { locate, close } = await openFileLocks(root);
    const isOne = locate('Read.me').key === locate('READ.ME').key;
    await close();
    expect(isOne).toBe(PLATFORMS[name].folds_names);
  });

  test('what is ignored is told from what is not as its names are', async () => {
    const { root, open } = newGround();
    put(root, '.gitignore', '*.LOG\n');
    put(root, 'a.log', 'x');
    const workspace = await open();
    const names = [...(await filesOf(workspace, (await workspace.snapshot()).id)).keys()];
    expect(names.includes('a.log')).toBe(!PLATFORMS[name].folds_names);
  });

  test.each([
    [['a', 'A'], PLATFORMS[name].folds_names],
    [['caf\u00e9', 'cafe\u0301'], PLATFORMS[name].folds_names],
    [['aux.txt'], PLATFORMS[name].windows],
    [['a:b'], PLATFORMS[name].windows],
  ])('a snapshot of Linux with %j is refused: %s', async (names, isRefused) => {
    const { root, open } = newGround();
    setPlatform('linux');
    for (const one of names) put(root, one, 'start');
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    await workspace.close();
    setPlatform(name);
    for (const one of names) put(root, one, 'task');
    const there = await open();
    const { id: end } = await there.snapshot();
    const restored = there.restore({ to, own: [{ from: to, to: end }] });
    if (isRefused) await expect(restored).rejects.toMatchObject({ code: 'SNAPSHOT_UNSAFE' });
    else expect((await restored).restored).toHaveLength(names.length);
    expect(filesIn(root).get(names[0]!)).toMatchObject({ bytes: isRefused ? 'task' : 'start' });
  });
});

describe.runIf(onLinux)('without a watch', () => {
  onPlatform({ watches: null });

  test('every snapshot looks at everything, and sees what kept its size and time', async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 50; n++) put(root, `d/f${n}`, 'start');
    const workspace = await open();
    expect(await workspace.watch()).toBe(false);
    await workspace.snapshot();
    const looked = new Set<string>();
    setIoHook(({ op, path }) => void (op === 'stat' && looked.add(path)));
    writeFileSync(join(root, 'd/f7'), 'STArt');
    const { changes } = await workspace.snapshot().finally(() => setIoHook(undefined));
    expect(changes.map(({ path }) => path)).toEqual(['d/f7']);
    expect([...looked].filter((path) => /\/d\/f\d+$/.test(path))).toHaveLength(50);
  });
});

describe.runIf(onLinux)('one watch for a whole tree', () => {
  onPlatform('darwin');
  withTreeWatch();

  /** Whether a snapshot lists all directories again. */
  async function looksAtAll(workspace: { snapshot(): Promise<unknown> }): Promise<boolean> {
    const calls: IoCall[] = [];
    setIoHook((call) => void calls.push(call));
    await workspace.snapshot().finally(() => setIoHook(undefined));
    return calls.some(({ op, path }) => op === 'stat' && path.endsWith('/far/away/f'));
  }

  async function watched() {
    const { root, open } = newGround();
    put(root, 'far/away/f', 'x');
    put(root, 'near/f', 'x');
    const workspace = await open();
    expect(await workspace.watch()).toBe(true);
    put(root, 'near/f', 'y');
    expect(await looksAtAll(workspace)).toBe(false);
    return { root, workspace };
  }

  test('is not believed once another was begun or ended in this process', async () => {
    const first = await watched();
    const second = await watched();
    expect(await looksAtAll(first.workspace)).toBe(true);
    expect(await looksAtAll(first.workspace)).toBe(false);
    await second.workspace.close();
    expect(await looksAtAll(first.workspace)).toBe(true);
  });

  test('is not believed where a name differs only by case from one that is known', async () => {
    const { root, workspace } = await watched();
    renameSync(join(root, 'near/f'), join(root, 'near/F'));
    expect(await looksAtAll(workspace)).toBe(true);
    const { id } = await workspace.snapshot();
    expect(await filesOf(workspace, id)).toEqual(filesIn(root));
  });

  test('is not believed where Windows tells a short name', async () => {
    const { root, workspace } = await watched();
    setPlatform('win32');
    put(root, 'near/LONGNA~1.TXT', 'x');
    expect(await looksAtAll(workspace)).toBe(true);
  });

  test('a file that is there by a name that it is not listed by is not clear', async () => {
    const { root, open } = newGround();
    put(root, 'dir/file', 'x');
    const workspace = await open();
    const tree = await workspace.tree((await workspace.snapshot()).id);
    const told = (directory: string, name: string) =>
      isSpelledOtherwise(new Map([[directory, new Map([[name, false]])]]), tree, root);
    expect(told('dir', 'file')).toBe(false);
    expect(told('dir', 'new')).toBe(false);
    expect(told('elsewhere', 'file')).toBe(false);
    expect(told('dir', 'FILE')).toBe(true);
    expect(told('DIR', 'file')).toBe(true);
    expect(told('', 'dir/../dir')).toBe(true); // As on disks that have a second name for it.
  });
});
