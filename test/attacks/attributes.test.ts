/** Owner, access list and extended attributes of a file: an edit, a rollback and a redo keep them, or leave the file alone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { inherit } from '../../src/system/attributes.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const has = (program: string) => !spawnSync(program, ['--version']).error;
const canTell = process.platform === 'linux' && has('setfacl') && has('setfattr');
if (!canTell)
  console.log('no setfacl and setfattr here (packages acl, attr): what a file has is not looked at');
if (!isRoot) console.log('not root: no file can be given to another user');

const run = (dir: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: dir }).toString();
/** All of a file but its bytes and times. */
const attributesOf = (dir: string, path: string) => {
  const { uid, gid, mode } = statSync(join(dir, path));
  const told = canTell ? [run(dir, 'getfacl', '-n', path), run(dir, 'getfattr', '-d', '-m', '-', path)] : [];
  return { uid, gid, mode, told };
};

function project() {
  const dir = tempDir();
  mkdirSync(join(dir, 'd'));
  for (const path of ['a.txt', 'd/b.txt', 'd/plain.txt']) writeFileSync(join(dir, path), `${path}\n`);
  chmodSync(join(dir, 'd/b.txt'), 0o440);
  for (const path of canTell ? ['a.txt', 'd/b.txt'] : []) {
    run(dir, 'setfacl', '-m', 'u:1234:rw,g:2345:r', path);
    run(dir, 'setfattr', '-n', 'user.note', '-v', `of ${path}`, path);
  }
  if (isRoot) for (const path of ['a.txt', 'd/b.txt']) chownSync(join(dir, path), NOBODY, 1234);
  return dir;
}
const PATHS = ['a.txt', 'd/b.txt', 'd/plain.txt'];

describe.skipIf(!canTell && !isRoot)('what a file has beside its bytes', () => {
  const WAYS: Record<string, (task: TaskContext) => Promise<unknown>> = {
    'task.files.edit': async ({ files }) => {
      for (const path of PATHS) await files.edit(path, (text) => `${text}more\n`);
    },
    'a command': (task) =>
      task.shell(
        `chmod u+w d/b.txt; for f in ${PATHS.join(' ')}; do echo more >> $f; done; chmod u-w d/b.txt`,
      ),
  };

  test.each(Object.entries(WAYS))('is kept by %s, a rollback and a redo', async (_, body) => {
    const dir = project();
    const before = PATHS.map((path) => attributesOf(dir, path));
    const engine = await openEngine({ project_dir: dir, workspace: true });
    const { id, outcome } = await engine.start(defineTask('works', body), undefined);
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a.txt\nmore\n');
    expect(PATHS.map((path) => attributesOf(dir, path))).toEqual(before);
    const { notes } = await engine.undo(id);
    expect(notes.left).toEqual([]);
    expect(readFileSync(join(dir, 'd/b.txt'), 'utf8')).toBe('d/b.txt\n');
    expect(PATHS.map((path) => attributesOf(dir, path))).toEqual(before);
    await engine.redo(id);
    expect(readFileSync(join(dir, 'd/b.txt'), 'utf8')).toBe('d/b.txt\nmore\n');
    expect(PATHS.map((path) => attributesOf(dir, path))).toEqual(before);
    await engine.close();
  });
});

/** Files of root in a directory of a plain user's, who may replace them, but not give them to root. */
test.skipIf(!isRoot)('a file whose owner cannot be kept is left alone, and that is said', () => {
  const home = tempDir();
  const dir = join(home, 'project');
  mkdirSync(dir);
  for (const path of ['a.txt', 'b.txt']) {
    writeFileSync(join(dir, path), `${path}\n`);
    chmodSync(join(dir, path), 0o666);
  }
  for (const path of [home, dir]) chownSync(path, NOBODY, NOBODY);
  const env = {
    PATH: process.env.PATH,
    NODE_OPTIONS: process.env.NODE_OPTIONS,
    HOME: home,
    TMPDIR: home,
    VIBE_ENGINE_STATE_DIR: join(home, 'state'),
  };
  const child = join(import.meta.dirname, 'others-files.ts');
  const options = { cwd: dir, env, uid: NOBODY, gid: NOBODY };
  const seen = JSON.parse(execFileSync(process.execPath, [child, dir], options).toString());
  expect(seen.edited).toMatchObject({ status: 'failed', error: { code: 'WORKSPACE_UNSAFE' } });
  expect(seen.left).toEqual([{ path: 'b.txt', why: 'attributes' }]);
  expect(seen.files).toEqual(['own.txt']);
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a.txt\n');
  expect(readFileSync(join(dir, 'b.txt'), 'utf8')).toBe('b.txt\nmore\n');
  for (const path of ['a.txt', 'b.txt']) expect(statSync(join(dir, path)).uid).toBe(0);
});

test.skipIf(!isRoot || !has('setcap'))(
  'what lets a program do more than its user is not given to other bytes',
  () => {
    const dir = tempDir();
    for (const name of ['from', 'to']) writeFileSync(join(dir, name), name);
    run(dir, 'setcap', 'cap_net_raw+ep', 'from');
    chmodSync(join(dir, 'from'), 0o4755);
    expect(inherit({ from: join(dir, 'from'), to: join(dir, 'to'), mode: 0o755 })).toBe(true);
    expect(run(dir, 'getcap', 'to')).toBe('');
    expect(statSync(join(dir, 'to')).mode & 0o7777).toBe(0o755);
  },
);
