/** Snapshots in a process that finds what another one left: quick where nothing changed, and blind to nothing. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { entryIn, filesIn, filesOf, type Ground, grounds, put } from './ground.ts';

const newGround = grounds();
const LONG_AGO = new Date('2020-01-01');

afterEach(() => setIoHook(undefined));

describe('where another process took a snapshot', () => {
  test('no directory is listed and no content read while everything is as it was', async () => {
    const ground = newGround();
    const id = await leave(ground);
    const { taken, touched } = await next(ground);
    expect(taken).toMatchObject({ id, changes: [] });
    expect(touched).toEqual([]);
  });

  test.each<[what: string, change: (root: string) => void]>([
    ['a file changed', (root) => put(root, 'a/file', 'other')],
    ['a file changed, its size and mtime did not', rewriteUnseen],
    ['a mode changed', (root) => chmodSync(join(root, 'a/file'), 0o600)],
    ['the mode of a directory changed', (root) => chmodSync(join(root, 'a/b'), 0o700)],
    ['a file came', (root) => put(root, 'a/b/new', 'new')],
    ['a file came at the top', (root) => put(root, 'new', 'new')],
    ['a file came into an empty directory', (root) => put(root, 'empty/new', 'new')],
    ['a file went', (root) => rmSync(join(root, 'a/b/deep'))],
    ['a directory went', (root) => rmSync(join(root, 'a/b'), { recursive: true })],
    ['a directory was replaced by its like', replaceDirectory],
    ['a directory became a link', linkDirectory],
    ['a link leads elsewhere', relink],
    ['a pipe at the top became a file', (root) => pipeToFile(root, 'pipe')],
    ['a pipe became a file', (root) => pipeToFile(root, 'a/pipe')],
    ['what was ignored is not any more', (root) => put(root, 'a/.gitignore', '')],
  ])('it is seen that %s', async (_, change) => {
    const ground = newGround();
    const left = await leave(ground);
    change(ground.root);
    const { taken, workspace } = await next(ground);
    expect(taken.id).not.toBe(left);
    expect(await filesOf(workspace, taken.id)).toEqual(captured(ground.root));
    expect((await next(ground)).taken).toMatchObject({ id: taken.id, changes: [] });
  });

  test('it is seen what changes after a look that found nothing', async () => {
    const ground = newGround();
    await leave(ground);
    const { workspace } = await next(ground);
    put(ground.root, 'a/file', 'other');
    expect((await workspace.snapshot()).changes.map(({ path }) => path)).toEqual(['a/file']);
  });

  test('other settings are asked about everything', async () => {
    const ground = newGround();
    await leave(ground);
    const workspace = await ground.open({ exclude: ['a/b/**'] });
    const { id } = await workspace.snapshot();
    expect(await entryIn(workspace, id, 'a/b/deep')).toEqual({ kind: 'omitted', why: 'excluded' });
  });

  test('what the store lost of it is captured again', async () => {
    const ground = newGround();
    for (let n = 0; n < 200; n++) put(ground.root, `many/${n}`, `${n}`);
    await leave(ground);
    const storage = await ground.storage();
    const trees: string[] = [];
    for await (const { id } of storage.listBlobs(null)) if (id.startsWith('tree/')) trees.push(id);
    expect(await storage.deleteBlobs(null, trees)).toBe(1);
    const { taken, workspace } = await next(ground);
    expect(await filesOf(workspace, taken.id)).toEqual(captured(ground.root));
  });

  test('a disk that fails is not taken for a snapshot that is gone', async () => {
    const ground = newGround();
    await leave(ground);
    const workspace = await ground.open();
    let failures = 0;
    setIoHook(({ op, path }) =>
      op === 'open' && path.includes('/snapshot/') && failures++ === 0 ? { errno: 'EIO' } : undefined,
    );
    await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'IO_FAILED' });
  });
});

/** The snapshot that a process left when everything in it was old enough to be told by its times. */
async function leave({ root, open }: Ground): Promise<string> {
  put(root, 'a/file', 'one');
  put(root, 'a/b/deep', 'deep');
  put(root, 'a/.gitignore', 'ignored\n');
  put(root, 'a/ignored', 'ignored');
  put(root, 'ünïcode/名', 'name');
  mkdirSync(join(root, 'empty'));
  symlinkSync('a/file', join(root, 'link'));
  for (const pipe of ['pipe', 'a/pipe']) execFileSync('mkfifo', [join(root, pipe)]);
  utimesSync(join(root, 'a/file'), LONG_AGO, LONG_AGO);
  await (await open()).close();
  await sleep(30);
  const workspace = await open();
  const { id } = await workspace.snapshot();
  await workspace.close();
  return id;
}

/** The next process, and what it listed or opened of the files. */
async function next({ root, open }: Ground) {
  const touched: string[] = [];
  const workspace = await open();
  setIoHook(({ op, path }) => {
    const isOurs = !path.startsWith(root) || path.includes('.vibe-engine');
    if ((op === 'readdir' || op === 'open') && !isOurs) touched.push(`${op} ${path}`);
    return undefined;
  });
  const taken = await workspace.snapshot();
  setIoHook(undefined);
  return { taken, touched, workspace };
}

/** All but what the ignore file leaves out. */
function captured(root: string) {
  const files = filesIn(root);
  const rules = files.get('a/.gitignore');
  if (rules?.kind === 'file' && rules.bytes !== '') files.delete('a/ignored');
  return files;
}

function rewriteUnseen(root: string): void {
  writeFileSync(join(root, 'a/file'), 'two');
  utimesSync(join(root, 'a/file'), LONG_AGO, LONG_AGO);
}

function replaceDirectory(root: string): void {
  rmSync(join(root, 'a/b'), { recursive: true });
  put(root, 'a/b/deep', 'DEEP');
}

function linkDirectory(root: string): void {
  renameSync(join(root, 'a/b'), join(root, 'moved'));
  symlinkSync('../moved', join(root, 'a/b'));
}

function relink(root: string): void {
  rmSync(join(root, 'link'));
  symlinkSync('a/fil_', join(root, 'link'));
}

function pipeToFile(root: string, path: string): void {
  rmSync(join(root, path));
  put(root, path, 'no pipe');
}
