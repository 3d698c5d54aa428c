/** `git clean -fdx` takes away whatever is ignored; a store is ignored, and is the only copy of what it has. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import { quiet } from '../cli/cli.ts';
import { FULL, unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const WHO = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];

function git(dir: string, ...args: string[]): string {
  return execFileSync('git', [...WHO, ...args], { cwd: dir, encoding: 'utf8', stdio: 'pipe' });
}

function project(): string {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  writeFileSync(join(dir, 'a.txt'), 'a\n');
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', 'first');
  return dir;
}

type Kind = 'json' | 'sqlite';

async function keepOne(dir: string, storage_type: Kind, more: object = {}): Promise<void> {
  const storage = await createStorageFromConfig(
    { persistence: { storage_type, ...more } },
    { project_dir: dir },
  );
  await storage.save('state', 'x', { kept: true });
  await storage.close();
}

async function isKept(dir: string, storage_type: Kind, more: object = {}): Promise<boolean> {
  const storage = await createStorageFromConfig(
    { persistence: { storage_type, ...more } },
    { project_dir: dir },
  );
  const found = await storage.load('state', 'x');
  await storage.close();
  return found !== null;
}

describe.each(['json', 'sqlite'] as const)('%s', (kind) => {
  test('is there after every clean-up but the one that is told to take repositories, and git does not see it', async () => {
    const dir = project();
    await keepOne(dir, kind);
    expect(git(dir, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    git(dir, 'add', '-A');
    writeFileSync(join(dir, 'new.txt'), 'new\n');
    git(dir, 'stash', '--include-untracked');
    git(dir, 'stash', 'pop');
    expect(git(dir, 'status', '--porcelain')).toBe('?? new.txt\n');
    expect(git(dir, 'submodule', 'status')).toBe('');
    for (const how of ['-fdx', '-fdX', '-fd']) git(dir, 'clean', how);
    expect(existsSync(join(dir, 'new.txt'))).toBe(false);
    expect(await isKept(dir, kind)).toBe(true);
    const clone = join(dir, '..', 'clone');
    git(dir, 'clone', '-q', '.', clone);
    expect(existsSync(join(clone, '.vibe-engine'))).toBe(false);
  });

  test('is not in the way of another git directory over the same files, as agents keep one', async () => {
    const dir = project();
    await keepOne(dir, kind);
    const shadow = ['--git-dir', join(tempDir(), 'shadow.git'), '--work-tree', dir];
    git(dir, ...shadow, 'init', '-q');
    for (const text of ['one\n', 'two\n']) {
      writeFileSync(join(dir, 'a.txt'), text);
      git(dir, ...shadow, 'add', '-A');
      git(dir, ...shadow, 'commit', '-qm', text);
    }
    git(dir, ...shadow, 'reset', '--hard', '-q', 'HEAD~1');
    git(dir, ...shadow, 'clean', '-fdx');
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await isKept(dir, kind)).toBe(true);
    expect(git(dir, 'status', '--porcelain')).toBe(' M a.txt\n');
    expect(git(join(dir, '.vibe-engine'), 'fsck', '--strict')).toBe('');
  });

  // Where a store lies is the same code for both.
  if (FULL || kind === 'json')
    test('in a linked worktree, a submodule, a directory further down, and one of another name', async () => {
      const dir = project();
      const linked = join(dir, '..', 'linked');
      git(dir, 'worktree', 'add', '-q', linked);
      git(dir, 'submodule', '--quiet', 'add', project(), 'module');
      git(dir, 'commit', '-qm', 'module');
      const below = join(dir, 'packages', 'one');
      mkdirSync(below, { recursive: true });
      writeFileSync(join(below, 'b.txt'), 'b\n');
      for (const place of [linked, join(dir, 'module'), below]) {
        await keepOne(place, kind);
        git(place, 'add', '-A');
        expect(git(place, 'status', '--porcelain')).not.toContain('vibe-engine');
        git(place, 'clean', '-fdx');
        expect(await isKept(place, kind)).toBe(true);
      }
      const named = { base_dir: 'sto[re]s' };
      await keepOne(dir, kind, named);
      git(dir, 'add', '-A');
      git(dir, 'clean', '-fdx');
      expect(await isKept(dir, kind, named)).toBe(true);
      expect(git(dir, 'submodule', 'status').trim().split('\n')).toHaveLength(1);
    });
});

test('a repository that comes later, goes, and comes again', async () => {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  await keepOne(dir, 'json');
  expect(existsSync(join(dir, '.vibe-engine', '.git'))).toBe(false);
  git(dir, 'init', '-q');
  git(dir, 'add', '-A');
  await keepOne(dir, 'json');
  git(dir, 'clean', '-fdx');
  expect(await isKept(dir, 'json')).toBe(true);
  rmSync(join(dir, '.git'), { recursive: true });
  expect(await isKept(dir, 'json')).toBe(true);
  git(dir, 'init', '-q');
  git(dir, 'add', '-A'); // refused if what looks like a repository were still there
  expect(await isKept(dir, 'json')).toBe(true);
  git(dir, 'clean', '-fdx');
  expect(await isKept(dir, 'json')).toBe(true);
});

test('what a person lets git see in the directory is seen', async () => {
  const dir = project();
  mkdirSync(join(dir, '.vibe-engine'));
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{}');
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', 'settings');
  await keepOne(dir, 'json');
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{ }');
  expect(git(dir, 'status', '--porcelain')).toBe(' M .vibe-engine/config.json\n');

  const own = project();
  await keepOne(own, 'json');
  writeFileSync(join(own, '.vibe-engine', '.gitignore'), '*\n!notes.md\n');
  await keepOne(own, 'json');
  expect(existsSync(join(own, '.vibe-engine', '.git'))).toBe(false);
});

test('the settings of a project can be committed, and nothing else of the directory', async () => {
  const dir = project();
  await keepOne(dir, 'json');
  const settings = join(dir, '.vibe-engine', 'config.json');
  writeFileSync(settings, '{}');
  git(dir, 'clean', '-fdx');
  expect(existsSync(settings)).toBe(true);
  git(dir, 'update-index', '--add', '.vibe-engine/config.json');
  git(dir, 'commit', '-qm', 'settings');
  writeFileSync(settings, '{ }');
  await keepOne(dir, 'json');
  expect(git(dir, 'status', '--porcelain', '--untracked-files=all')).toBe(' M .vibe-engine/config.json\n');
  git(dir, 'add', '-A');
  expect(git(dir, 'ls-files')).toBe('.vibe-engine/config.json\na.txt\n');

  const clone = join(dir, '..', 'clone');
  git(dir, 'clone', '-q', '.', clone);
  await keepOne(clone, 'json');
  git(clone, 'add', '-A');
  expect(git(clone, 'status', '--porcelain')).toBe('');
});

test('settings that are there before the repository are seen by its first commit', async () => {
  const dir = join(tempDir(), 'project');
  mkdirSync(dir);
  await keepOne(dir, 'json');
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), '{}');
  git(dir, 'init', '-q');
  git(dir, 'add', '-A');
  expect(git(dir, 'ls-files')).toBe('.vibe-engine/config.json\n');
});

test('a file that names a repository elsewhere has nothing written there', async () => {
  const dir = project();
  const other = project();
  rmSync(join(dir, '.git'), { recursive: true });
  writeFileSync(join(dir, '.git'), `gitdir: ${join(other, '.git')}\n`);
  const before = readFileSync(join(other, '.git', 'info', 'exclude'), 'utf8');
  await keepOne(dir, 'json');
  expect(readFileSync(join(other, '.git', 'info', 'exclude'), 'utf8')).toBe(before);
  expect(existsSync(join(dir, '.vibe-engine', '.git'))).toBe(false);
});

test('a directory of a workspace whose store lies elsewhere; and no snapshot has any of it', async () => {
  const dir = project();
  const { JsonStorage } = await import('../../src/storage/opening/local.ts');
  const storage = await JsonStorage.open(join(tempDir(), 'store'));
  const workspace = await openWorkspace({ root: dir, storage });
  const first = await workspace.snapshot();
  git(dir, 'clean', '-fdx');
  expect(existsSync(join(dir, '.vibe-engine', '.workspace'))).toBe(true);
  expect(git(dir, 'status', '--porcelain')).toBe('');
  expect((await workspace.tree(first.id)).get('')!.names).toEqual(['a.txt']);
  await workspace.close();
  await storage.close();
});

/** `-ff` takes repositories too, and `rm` takes everything: then it is an error, not a success. */
test.each(['json', 'sqlite'] as const)('%s: a command that removes the store in use', async (kind) => {
  const dir = project();
  const env = { VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE: kind };
  const all = ['rm -rf .vibe-engine', 'git clean -ffdx', 'rm -rf .vibe-engine/*'];
  for (const command of kind === 'json' ? all : unlessFull(all.slice(-1), all)) {
    const { exit, err } = await quiet(dir, ['exec', '--', 'sh', '-c', command], env);
    expect(exit).not.toBe(0);
    expect(err).toMatch(/error STORE_GONE: .* was removed (or replaced )?while the store was open\./);
    rmSync(join(dir, '.vibe-engine'), { recursive: true });
  }
});

test('a directory that was moved within the repository is still passed over', async () => {
  const dir = project();
  mkdirSync(join(dir, 'one'));
  await keepOne(join(dir, 'one'), 'json');
  renameSync(join(dir, 'one'), join(dir, 'two'));
  git(dir, 'add', '-A');
  expect(git(dir, 'status', '--porcelain')).toBe('');
});
