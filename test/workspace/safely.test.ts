/** Putting files back safely, one rule after the other; what others do at the same time is in saves.test.ts and racers.test.ts. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { setIoHook } from '../../src/system/io.ts';
import { rootId } from '../../src/workspace/git/noted.ts';
import { encodeLayer } from '../../src/workspace/snapshot/layer.ts';
import { decodeLayer } from '../../src/workspace/snapshot/layer-reader.ts';
import { entryAt, type TreeEntry } from '../../src/workspace/tree/tree.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { filesIn, grounds, put } from './ground.ts';

const newGround = grounds();

describe('links', () => {
  test('one that would lead out is not made, also not when somebody asks for it', async () => {
    const { root, open } = newGround();
    symlinkSync('/etc/passwd', join(root, 'out'));
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    rmSync(join(root, 'out'));
    put(root, 'out', 'the task');
    const { id: end } = await workspace.snapshot();
    put(root, 'out', 'a person');
    const own = [{ from: to, to: end }];
    const { kept } = await workspace.restore({ to, own, on_modified: 'use_checkpoint' });
    expect(kept).toEqual([{ path: 'out', why: 'link_outside' }]);
    expect(readFileSync(join(root, 'out'), 'utf8')).toBe('a person');
  });

  test('nor one that leads out by way of another', async () => {
    const { root, open } = newGround();
    mkdirSync(join(root, 'dir'));
    symlinkSync('..', join(root, 'dir/up'));
    symlinkSync('dir/up/../elsewhere', join(root, 'out'));
    symlinkSync('dir/up/dir', join(root, 'in'));
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    for (const name of ['out', 'in', 'dir/up']) rmSync(join(root, name));
    const { id: end } = await workspace.snapshot();
    const { kept, restored } = await workspace.restore({ to, own: [{ from: to, to: end }] });
    expect(kept).toEqual([{ path: 'out', why: 'link_outside' }]);
    expect(restored.sort()).toEqual(['dir/up', 'in']);
    expect(readlinkSync(join(root, 'dir/up'))).toBe('..');
  });

  test('one that somebody made in the last moment is kept and reported when its name is taken', async () => {
    const { root, open, storage } = newGround();
    put(root, 'a', 'start');
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    put(root, 'a', 'task');
    const { id: end } = await workspace.snapshot();
    let renames = 0;
    setIoHook(({ op, path }) => {
      // Right before it is moved aside a link takes its place, and right before that is given back, another file.
      if (op === 'rename' && path.endsWith('.old') && renames++ === 0) {
        rmSync(join(root, 'a'));
        symlinkSync('somewhere', join(root, 'a'));
      }
      if (op === 'link' && !existsSync(join(root, 'a'))) put(root, 'a', 'a person');
      return undefined;
    });
    const { displaced, left } = await workspace
      .restore({ to, own: [{ from: to, to: end }] })
      .finally(() => setIoHook(undefined));
    expect(left).toEqual([{ path: 'a', why: 'changed' }]);
    expect(displaced).toEqual([{ path: 'a', blob: expect.any(String), link: true }]);
    const store = await storage();
    const kept = await store.getBlob(null, displaced[0]!.blob);
    expect(Buffer.from(kept!).toString()).toBe('somewhere');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a person');
    const [key] = await store.list('displaced');
    expect(await store.load('displaced', key!)).toMatchObject({ root, path: 'a', link: true });
  });
});

describe('a restore that another process had begun', () => {
  test('makes no link that leads out, and touches nothing outside, whatever its record says', async () => {
    const { root, open, storage } = newGround();
    const outside = newGround().root;
    put(outside, 'f', 'outside');
    symlinkSync(outside, join(root, 'dir'));
    const store = await storage();
    const evil: TreeEntry = { kind: 'symlink', target: outside };
    const changes = [
      { path: 'dir/f', after: null },
      { path: 'dir/new', after: { kind: 'dir', mode: 0o755 } as const },
      { path: 'link', after: evil },
    ];
    const base64 = Buffer.from(encodeLayer(changes)).toString('base64');
    const record = { version: 1, root, expected: base64, target: base64, needs: [] };
    await store.save('restores', `${rootId(root)}/r0`, record);
    const workspace = await open();
    expect(workspace.finished).toHaveLength(1);
    expect([...filesIn(outside).keys()]).toEqual(['f']);
    expect(existsSync(join(root, 'link'))).toBe(false);
    const hostile = encodeLayer([{ path: 'a', after: evil }]);
    const unsafe = Buffer.from(hostile).toString('base64').replace(/^.{8}/, 'AAAAAAAA');
    await store.save('restores', `${rootId(root)}/r1`, { ...record, target: unsafe });
    await expect(open()).rejects.toMatchObject({ code: 'SNAPSHOT_UNSAFE' });
  });
});

describe('modes', () => {
  test('nothing is given the bits of another user, and no file two names', async () => {
    const { root, open } = newGround();
    put(root, 'tool', 'start', 0o755);
    chmodSync(join(root, 'tool'), 0o4755);
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    rmSync(join(root, 'tool'));
    put(root, 'tool', 'task', 0o755);
    linkSync(join(root, 'tool'), join(root, 'second'));
    const { id: end } = await workspace.snapshot();
    await workspace.restore({ to, own: [{ from: to, to: end }] });
    const restored = statSync(join(root, 'tool'));
    expect(restored.mode & 0o7777).toBe(0o755);
    expect(restored.nlink).toBe(1);
    expect(existsSync(join(root, 'second'))).toBe(false);
  });

  test('all twelve bits come back, to a file that is still there', async () => {
    const { root, open } = newGround();
    const modes = { tool: 0o4755, 'group/made': 0o644, group: 0o2775, 'sticky/file': 0o640, sticky: 0o1777 };
    put(root, 'tool', 'start');
    put(root, 'group/made', 'start');
    put(root, 'sticky/file', 'start');
    for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode);
    const now = () =>
      Object.keys(modes).map((path) => [path, lstatSync(join(root, path)).mode & 0o7777] as const);
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    expect(entryAt(await workspace.tree(to), 'tool')).toMatchObject({ mode: 0o4755 });
    expect(entryAt(await workspace.tree(to), 'sticky')).toMatchObject({ mode: 0o1777 });
    chmodSync(join(root, 'tool'), 0o755);
    chmodSync(join(root, 'group'), 0o755);
    rmSync(join(root, 'sticky'), { recursive: true });
    const { id: end } = await workspace.snapshot();
    const { undo } = await workspace.restore({ to, own: [{ from: to, to: end }] });
    expect(Object.fromEntries(now())).toEqual(modes);
    await workspace.undo(undo);
    expect(lstatSync(join(root, 'group')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(root, 'tool')).mode & 0o7777).toBe(0o755);
  });

  test('a layer from before all bits were recorded is read as it was', () => {
    const changes = [
      { path: 'dir', after: { kind: 'dir', mode: 0o755 } as const },
      { path: 'file', after: { kind: 'file', mode: 0o644, size: 1, hash: 'ab'.repeat(32) } as const },
    ];
    const codes = decodeLayer(encodeLayer(changes)).flatMap((directory) => directory.codes);
    expect(codes).toEqual([0o3755, 0o1644]);
    const all = { path: 'file', after: { ...changes[1]!.after, mode: 0o7644 } as const };
    expect(decodeLayer(encodeLayer([all]))[0]!.entries).toEqual([all.after]);
  });

  test('what is in a directory that nobody may write to is put back, unless others closed it', async () => {
    const { root } = newGround();
    for (const dir of ['closed', 'locked']) put(root, `${dir}/file`, 'start');
    chmodSync(join(root, 'closed'), 0o555);
    await asOrdinaryUser(root, async () => {
      const storage = await openJsonStorage({ root: join(root, '.vibe-engine') });
      const workspace = await openWorkspace({ root, storage });
      const { id: to } = await workspace.snapshot();
      chmodSync(join(root, 'closed'), 0o755);
      put(root, 'closed/file', 'task');
      put(root, 'closed/new', 'task');
      put(root, 'locked/new', 'task');
      chmodSync(join(root, 'closed'), 0o555);
      const { id: end } = await workspace.snapshot();
      chmodSync(join(root, 'locked'), 0o555); // a person
      const result = await workspace.restore({ to, own: [{ from: to, to: end }] });
      expect(result.left).toEqual([{ path: 'locked/new', why: 'blocked' }]);
      expect(result.restored).toEqual(['closed/new', 'closed/file']);
      expect(readFileSync(join(root, 'closed/file'), 'utf8')).toBe('start');
      expect(existsSync(join(root, 'closed/new'))).toBe(false);
      for (const dir of ['closed', 'locked']) expect(lstatSync(join(root, dir)).mode & 0o7777).toBe(0o555);
      await workspace.close();
      await storage.close();
    });
  });

  test('directories that may not be written are put back with all that is in them', async () => {
    const { root } = newGround();
    put(root, 'closed/deep/file', 'start');
    put(root, 'changed/file', 'start');
    chmodSync(join(root, 'closed/deep'), 0o555);
    chmodSync(join(root, 'closed'), 0o555);
    await asOrdinaryUser(root, async () => {
      const storage = await openJsonStorage({ root: join(root, '.vibe-engine') });
      const workspace = await openWorkspace({ root, storage });
      const { id: to } = await workspace.snapshot();
      const before = filesIn(root);
      for (const dir of ['closed', 'closed/deep']) chmodSync(join(root, dir), 0o755);
      rmSync(join(root, 'closed'), { recursive: true });
      put(root, 'changed/new', 'task');
      put(root, 'made/by/task', 'task');
      rmSync(join(root, 'changed/file'));
      for (const dir of ['changed', 'made/by', 'made']) chmodSync(join(root, dir), 0o555);
      const { id: end } = await workspace.snapshot();
      const { left, undo } = await workspace.restore({ to, own: [{ from: to, to: end }] });
      expect(left).toEqual([]);
      expect(filesIn(root)).toEqual(before);
      await workspace.undo(undo);
      expect(lstatSync(join(root, 'made/by')).mode & 0o777).toBe(0o555);
      expect(readFileSync(join(root, 'made/by/task'), 'utf8')).toBe('task');
      chmodSync(join(root, 'made'), 0o755);
      put(root, 'made/mine', 'a person');
      chmodSync(join(root, 'made'), 0o555);
      const now = (await workspace.snapshot()).id;
      const again = await workspace.restore({ to, own: [{ from: to, to: end }] });
      expect(again.left).toEqual([{ path: 'made', why: 'blocked' }]);
      expect(lstatSync(join(root, 'made')).mode & 0o777).toBe(0o555);
      expect(now).not.toBe(end);
      await workspace.close();
      await storage.close();
    });
  });

  test('directories that may not be entered are closed last, and one that is closed to us stops nothing', async () => {
    const { root } = newGround();
    put(root, 'dark/file', 'start');
    put(root, 'shut/file', 'start');
    put(root, 'other', 'start');
    chmodSync(join(root, 'dark'), 0o444);
    await asOrdinaryUser(root, async () => {
      const storage = await openJsonStorage({ root: join(root, '.vibe-engine') });
      const workspace = await openWorkspace({ root, storage });
      const { id: to } = await workspace.snapshot();
      chmodSync(join(root, 'dark'), 0o755);
      for (const path of ['dark/new', 'shut/file', 'other']) put(root, path, 'task');
      const { id: end } = await workspace.snapshot();
      const back = { to, own: [{ from: to, to: end }], files: { 'shut/file': 'use_checkpoint' as const } };
      const plan = await workspace.preview(back);
      expect(plan.map(({ path, action }) => `${path} ${action}`)).toContain('shut/file put');
      // After the last look at it.
      const begin = async () => chmodSync(join(root, 'shut'), 0);
      const { left, undo } = await workspace.restore({ ...back, begin });
      expect(left).toEqual([{ path: 'shut/file', why: 'blocked' }]);
      expect(readFileSync(join(root, 'other'), 'utf8')).toBe('start');
      expect(lstatSync(join(root, 'dark')).mode & 0o777).toBe(0o444);
      chmodSync(join(root, 'dark'), 0o755);
      expect(filesIn(join(root, 'dark')).has('new')).toBe(false);
      expect(undo.after).not.toBe(undo.before);
      await workspace.close();
      await storage.close();
    });
  });
});

describe('what is not allowed, or fails', () => {
  async function changed() {
    const { root, open } = newGround();
    for (const name of ['a', 'b', 'c']) put(root, name, 'start');
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    for (const name of ['a', 'b', 'c']) put(root, name, 'task');
    const { id: end } = await workspace.snapshot();
    return { root, open, workspace, back: { to, own: [{ from: to, to: end }] } };
  }
  const contents = (root: string) => ['a', 'b', 'c'].map((name) => readFileSync(join(root, name), 'utf8'));

  test.each(['rename', 'link'] as const)(
    'a file whose %s is forbidden stays, the others are put back',
    async (forbidden) => {
      const { root, workspace, back } = await changed();
      setIoHook(({ op, path }) =>
        op === forbidden && (op === 'link' ? path.endsWith('/b') : path.endsWith('1.old')) && !giving(path)
          ? { errno: 'EACCES' }
          : undefined,
      );
      let given = false;
      // The one that gives it back is allowed.
      function giving(path: string): boolean {
        if (!path.endsWith('/b')) return false;
        const first = !given;
        given = true;
        return !first;
      }
      const result = await workspace.restore(back).finally(() => setIoHook(undefined));
      expect(result.left).toEqual([{ path: 'b', why: 'blocked' }]);
      expect(contents(root)).toEqual(['start', 'task', 'start']);
    },
  );

  test('a file that cannot be put in its place is given back, and the next who comes finishes', async () => {
    const { root, open, workspace, back } = await changed();
    let failed = false;
    setIoHook(({ op, path }) => {
      if (failed || op !== 'link' || !path.endsWith('/b')) return undefined;
      failed = true;
      return { errno: 'EIO' };
    });
    await expect(workspace.restore(back).finally(() => setIoHook(undefined))).rejects.toThrow();
    expect(contents(root)).toEqual(['start', 'task', 'task']);
    await workspace.close();
    const again = await open();
    expect(again.finished).toMatchObject([{ restored: ['a', 'b', 'c'], left: [], displaced: [] }]);
    expect(contents(root)).toEqual(['start', 'start', 'start']);
  });
});

test('files that make tools run something are named before the first file is changed', async () => {
  const { root, open } = newGround();
  const dangerous = ['.vscode/tasks.json', '.husky/pre-commit', '.mcp.json', 'sub/.envrc', '.npmrc'];
  const removed = '.claude/new.json';
  for (const path of [...dangerous, '.cursor/rules', 'plain.txt']) put(root, path, 'start');
  const workspace = await open();
  const { id: to } = await workspace.snapshot();
  for (const path of [...dangerous, removed, 'plain.txt']) put(root, path, 'task');
  const { id: end } = await workspace.snapshot();
  const own = [{ from: to, to: end }];
  const plan = await workspace.preview({ to, own });
  expect(plan.filter(({ runs }) => runs).map(({ path }) => path)).toEqual([...dangerous, removed].sort());
  let named: readonly string[] = [];
  const naming = (files: readonly string[]) => {
    named = files;
    for (const path of dangerous) expect(readFileSync(join(root, path), 'utf8')).toBe('task');
  };
  await workspace.restore({ to, own, naming });
  expect([...named].sort()).toEqual([...dangerous].sort());
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toBe('start');
});

test('files that did not differ keep their times, and those that did are whole at every moment', async () => {
  const { root, open } = newGround();
  for (const name of ['same', 'changed']) writeFileSync(join(root, name), 'x'.repeat(100_000));
  const workspace = await open();
  const { id: to } = await workspace.snapshot();
  put(root, 'changed', 'y'.repeat(100_000));
  const { id: end } = await workspace.snapshot();
  const before = statSync(join(root, 'same'));
  const seen = new Set<string>();
  setIoHook(() => {
    if (existsSync(join(root, 'changed'))) seen.add(readFileSync(join(root, 'changed'), 'utf8'));
    return undefined;
  });
  await workspace.restore({ to, own: [{ from: to, to: end }] }).finally(() => setIoHook(undefined));
  expect([...seen].map((text) => [text[0], text.length])).toEqual([
    ['y', 100_000],
    ['x', 100_000],
  ]);
  const after = statSync(join(root, 'same'));
  expect([after.mtimeMs, after.ctimeMs, after.ino]).toEqual([before.mtimeMs, before.ctimeMs, before.ino]);
});

/** Nobody is kept from anything by modes who may do everything. */
async function asOrdinaryUser(root: string, run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run();
  const nobody = 65534;
  for (const path of ['', ...filesIn(root).keys()]) chownSync(join(root, path), nobody, nobody);
  process.setegid!(nobody);
  process.seteuid!(nobody);
  try {
    await run();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}
