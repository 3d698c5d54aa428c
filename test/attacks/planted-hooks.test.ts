/** A model's file tool cannot plant hooks: `task.files` changes nothing in git's directory or ours, in any spelling. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask, OptimisticLock, WorkspaceError } from '../../src/index.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** A project with a repository, another inside it, links to both, a bare one and a worktree of its own. */
function project(): string {
  const dir = tempDir();
  const git = (cwd: string, ...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd, stdio: 'pipe' });
  git(dir, 'init', '-q');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(dir, 'init', '-q', 'inner');
  git(dir, 'init', '-q', '--bare', 'bare');
  git(dir, 'worktree', 'add', '-q', 'tree');
  git(dir, 'init', '-q', '--separate-git-dir', join(dir, 'elsewhere'), 'apart');
  symlinkSync('.git', join(dir, 'link'));
  mkdirSync(join(dir, 'real'));
  symlinkSync('../.git/hooks', join(dir, 'real', 'hooks'));
  return dir;
}

const HOOK = 'hooks/post-checkout';
const PLANTED = [
  ...['.git', '.GIT', '.Git', '.git.', '.git ', '.git . ', '.g\u200cit', 'git~1', 'GIT~1'].map(
    (name) => `${name}/${HOOK}`,
  ),
  '.git::$INDEX_ALLOCATION/hooks/x',
  'src/../.git/config',
  'sub/.git/config',
  'sub\\.git\\config',
  'inner/.git/hooks/x',
  'new/.git',
  'tree/.git',
  'link/hooks/x',
  'real/hooks/x',
  'bare/hooks/x',
  'elsewhere/config',
  ...['.vibe-engine', '.VIBE-ENGINE', '.vibe-engine.', 'vibe-e~1'].map((name) => `${name}/config.json`),
];

test('nothing there is written, edited or deleted', async () => {
  const dir = project();
  const config = join(dir, '.git', 'config');
  const before = readFileSync(config, 'utf8');
  const engine = await openEngine({ project_dir: dir, workspace: true });
  const refused: string[] = [];
  const attempt = async (what: string, change: () => Promise<unknown>): Promise<void> => {
    const error = await change().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof WorkspaceError && error.code === 'WORKSPACE_UNSAFE') refused.push(what);
  };
  const plant = defineTask('plant', async ({ files }) => {
    for (const path of PLANTED) await attempt(path, () => files.write(path, '#!/bin/sh\n'));
    await attempt('edit', () => files.edit('.git/config', () => '[core]\nfsmonitor = x\n'));
    await attempt('delete', () => files.delete('.git/HEAD'));
    await files.write('.gitignore', 'x\n');
    await files.write('git/hooks/x', 'no hook\n');
    return files.read('.git/HEAD');
  });
  expect(await engine.run(plant, undefined)).toMatch(/^ref: /);
  await engine.close();
  expect(refused).toEqual([...PLANTED, 'edit', 'delete']);
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(existsSync(join(dir, '.git', HOOK))).toBe(false);
  expect(readFileSync(join(dir, 'git/hooks/x'), 'utf8')).toBe('no hook\n');
});

test('nor by an optimistic lock', async () => {
  const dir = project();
  writeFileSync(join(dir, 'file'), 'x');
  const lock = await OptimisticLock.open(dir);
  await lock.acquire('link/hooks/x');
  await expect(lock.checkAndCommit('link/hooks/x', 'x')).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
  await lock.close();
});
