/** A repository can name programs and servers; ours to run are only those that the person would expect. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { runGit, runGitNow } from '../../src/system/git/git.ts';
import { openGitObjects } from '../../src/system/git/objects.ts';
import { cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const MISSING = 'deadbeef'.repeat(5);
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd, encoding: 'utf8' });

/** One whose missing objects are fetched by a program of its choice. */
function promising(url: (mark: string) => string, ...init: string[]): { dir: string; mark: string } {
  const dir = tempDir();
  const mark = join(tempDir(), 'ran');
  git(dir, 'init', '-q', ...init);
  const set = (key: string, value: string) => git(dir, 'config', key, value);
  set('core.repositoryFormatVersion', '1');
  set('extensions.partialClone', 'evil');
  set('remote.evil.promisor', 'true');
  set('remote.evil.url', url(mark));
  set('remote.evil.uploadpack', `touch ${mark};false`);
  set('protocol.ext.allow', 'always');
  set('core.fsmonitor', `touch ${mark};false`);
  return { dir, mark };
}

const URLS: readonly (readonly [string, (mark: string) => string])[] = [
  ['a command', (mark) => `ext::touch ${mark}`],
  ['a directory, with a command', () => '/'],
  ['a server', () => 'ssh://server.invalid/x'],
];

test.each(URLS)('objects that are not here are not asked for: %s', async (_name, url) => {
  const { dir, mark } = promising(url);
  const as_user = await runGit(dir, ['cat-file', '-p', MISSING], { as_user: true });
  expect(as_user.code).not.toBe(0);
  expect((await runGit(dir, ['cat-file', '-p', MISSING])).code).not.toBe(0);
  expect(runGitNow(dir, ['cat-file', '-p', MISSING])).toBeNull();
  const objects = openGitObjects(dir);
  expect(await objects.read([MISSING])).toEqual([null]);
  objects.close();
  expect(existsSync(mark)).toBe(false);
});

test('a remote that is a command is not fetched from either', async () => {
  const { dir, mark } = promising((path) => `ext::touch ${path}`);
  const allowed = { GIT_ALLOW_PROTOCOL: 'ext:file' };
  Object.assign(process.env, allowed);
  try {
    const { code } = await runGit(dir, ['fetch', 'evil'], { as_user: true, network: true });
    expect(code).not.toBe(0);
  } finally {
    delete process.env.GIT_ALLOW_PROTOCOL;
  }
  expect(existsSync(mark)).toBe(false);
});

test('a bare repository among the files is none', async () => {
  const { dir, mark } = promising((path) => `ext::touch ${path}`, '--bare');
  expect((await runGit(dir, ['rev-parse', '--git-dir'])).code).not.toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test('git is not run in a directory that only the store names', async () => {
  const [project, elsewhere, bin] = [tempDir(), tempDir(), tempDir()];
  for (const dir of [project, elsewhere]) {
    git(dir, 'init', '-q');
    writeFileSync(join(dir, 'a.txt'), dir);
    git(dir, 'add', '.');
    git(dir, 'commit', '-qm', 'x');
  }
  const engine = await openEngine({ project_dir: project, workspace: true });
  const task = defineTask('t', async (task) => {
    await task.files!.write('b.txt', 'b');
  });
  const { id, outcome } = await engine.start(task, undefined, { working_dir: elsewhere });
  await outcome;
  await engine.close();

  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const log = join(bin, 'log');
  writeFileSync(join(bin, 'git'), `#!/bin/sh\npwd -P >> ${log}\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const ranIn = async (args: string[], state: string): Promise<string[]> => {
    rmSync(log, { force: true });
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const PATH = `${bin}:${process.env.PATH}`;
    await cli(project, args, { PATH, VIBE_ENGINE_STATE_DIR: state });
    return existsSync(log) ? [...new Set(readFileSync(log, 'utf8').trim().split('\n'))] : [];
  };
  const known = process.env.VIBE_ENGINE_STATE_DIR!;
  const stranger = join(tempDir(), 'state');
  const archive = (name: string) => ['export', id, '--output', join(tempDir(), name)];
  // A user who worked there is served from there.
  expect(await ranIn(['doctor'], known)).toContain(elsewhere);
  expect(await ranIn(['doctor'], stranger)).not.toContain(elsewhere);
  expect(await ranIn(archive('x'), stranger)).not.toContain(elsewhere);
  expect(await ranIn(['clean', '--yes'], stranger)).not.toContain(elsewhere);
});
