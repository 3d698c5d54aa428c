/** `hooks` on the command line where none of the agents is there; with the real ones it is tested in test/clients. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooksInstall } from '../../src/cli/hooks/install.ts';
import { hooksRemove } from '../../src/cli/hooks/remove.ts';
import { hooksStatus } from '../../src/cli/hooks/status.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { quiet } from './cli.ts';

const tempDir = tempDirs();

const hooksIn = async (dir: string, ...args: readonly string[]) => {
  const state = join(dir, 'state');
  const run = await quiet(dir, ['hooks', ...args], { PATH: dir, HOME: dir, VIBE_ENGINE_STATE_DIR: state });
  return { ...run, wrote: existsSync(join(state, 'agents')) };
};
const hooks = (...args: readonly string[]) => hooksIn(tempDir(), ...args);

test('status names every agent', async () => {
  const { exit, out } = await hooks('status', '--json');
  const { data } = JSON.parse(out);
  expect(misfits(data, hooksStatus.data)).toEqual([]);
  expect(data.clients.map(({ client }: { client: string }) => client)).toEqual([
    'claude',
    'codex',
    'gemini',
    'opencode',
  ]);
  expect(exit).toBe(0);
  expect((await hooks('status', 'gemini')).out).toBe('Gemini CLI: not found on this machine.\n');
});

test('install says what is missing, and writes nothing', async () => {
  expect(await hooks('install')).toMatchObject({
    exit: 1,
    wrote: false,
    err: expect.stringContaining('No agent was found'),
  });
  const named = await hooks('install', 'codex', '--trust');
  expect(named).toMatchObject({ exit: 1, wrote: false });
  expect(named.err).toContain('there is no "codex" on PATH');
  expect(named.err).toContain('npm install -g @openai/codex');
  expect(await hooks('install', 'emacs')).toMatchObject({ exit: 2, wrote: false });
});

test('one that does not start says why, and stops no other', async () => {
  const dir = tempDir();
  const broken =
    '#!/bin/sh\nprintf "\\033[31msettings.json: Unexpected token\\nFix it.\\033[0m\\n" >&2\nexit 52\n';
  writeFileSync(join(dir, 'gemini'), broken, { mode: 0o755 });
  writeFileSync(join(dir, 'opencode'), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  const lines = [
    'Gemini CLI: not installed.',
    '  "gemini --version" failed: settings.json: Unexpected token',
    '  Fix it.',
    'opencode 1.2.3: ',
  ].join('\n');
  for (const verb of ['install', 'status', 'remove']) {
    const { exit, out } = await hooksIn(dir, verb);
    expect([verb, exit]).toEqual([verb, 5]);
    expect(out).toContain(lines);
  }
  const named = await hooksIn(dir, 'install', 'gemini');
  expect(named).toMatchObject({ exit: 1, err: expect.stringContaining('Unexpected token') });
});

test('a place that others may enter is named, and nothing is put there', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'opencode'), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  mkdirSync(join(dir, 'state'));
  chmodSync(join(dir, 'state'), 0o755);
  const { exit, err } = await hooksIn(dir, 'install', 'opencode');
  expect(exit).toBe(1);
  expect(err).toContain(`cannot be put into ${join(dir, 'state')}: it must be writable`);
  expect(existsSync(join(dir, '.config'))).toBe(false);
});

test('remove has nothing to do', async () => {
  expect(await hooks('remove', 'opencode')).toMatchObject({
    exit: 0,
    out: 'opencode: not found on this machine.\n',
  });
});

test('a plugin that is nothing but files is put there and taken away', async () => {
  const dir = tempDir();
  // Of opencode only the version is asked; the rest is files.
  writeFileSync(join(dir, 'opencode'), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  const installed = JSON.parse((await hooksIn(dir, 'install', '--json')).out).data;
  expect(misfits(installed, hooksInstall.data)).toEqual([]);
  expect(installed.clients[3]).toMatchObject({
    version: '1.2.3',
    installed: true,
    active: true,
    missing: [],
  });
  expect(readdirSync(join(dir, '.config', 'opencode'))).toEqual(['command', 'plugin']);
  const removed = JSON.parse((await hooksIn(dir, 'remove', '--json')).out).data;
  expect(misfits(removed, hooksRemove.data)).toEqual([]);
  expect(existsSync(join(dir, '.config', 'opencode'))).toBe(false);
});

test('whether a plugin is strict is told, and that it no longer is', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'opencode'), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  const strict = async () => JSON.parse((await hooksIn(dir, 'status', '--json')).out).data.clients[3].strict;
  expect(await strict()).toBe(false);
  const on = 'Calls are refused while they cannot be recorded (--strict).';
  const none = 'Calls that cannot be recorded run all the same (no --strict).';
  const off =
    'opencode was installed with --strict; calls are no longer refused while they cannot be recorded.';
  expect((await hooksIn(dir, 'install', 'opencode', '--strict')).out).toContain(on);
  expect(await strict()).toBe(true);
  expect((await hooksIn(dir, 'status', 'opencode')).out).toContain(on);
  expect((await hooksIn(dir, 'install', '--strict')).out).not.toContain(off);
  expect((await hooksIn(dir, 'install')).out).toContain(off);
  expect(await strict()).toBe(false);
  expect((await hooksIn(dir, 'install', 'opencode')).out).toContain(none);
  await hooksIn(dir, 'install', 'opencode', '--strict');
  expect((await hooksIn(dir, 'install', 'opencode')).out).toContain(off);
});

test('--here, or --project without a directory, puts it into this project alone, and takes it away again', async () => {
  const dir = tempDir();
  const project = join(dir, 'project');
  mkdirSync(join(project, '.opencode', 'plugin'), { recursive: true });
  writeFileSync(join(project, '.opencode', 'plugin', 'mine.js'), 'export const Mine = async () => ({});\n');
  writeFileSync(join(dir, 'opencode'), '#!/bin/sh\necho 1.2.3\n', { mode: 0o755 });
  const env = { PATH: dir, HOME: dir, VIBE_ENGINE_STATE_DIR: join(dir, 'state') };
  const state = async (...args: readonly string[]) => {
    const { out } = await quiet(project, ['hooks', ...args, '--json', '--project', project], env);
    const [client] = JSON.parse(out).data.clients as { installed: boolean; active: boolean }[];
    return [client!.installed, client!.active];
  };
  expect(await state('install', 'opencode', '--here')).toEqual([true, true]);
  expect(readdirSync(join(project, '.opencode', 'plugin')).sort()).toEqual(['mine.js', 'vibe-engine.js']);
  expect(existsSync(join(dir, '.config'))).toBe(false);
  expect(await state('status', 'opencode', '--here')).toEqual([true, true]);
  expect(await state('status', 'opencode')).toEqual([false, false]);
  // Without a directory, --project is the same.
  const { out } = await quiet(project, ['hooks', 'status', 'opencode', '--json', '--project'], env);
  expect(JSON.parse(out).data.clients[0]).toMatchObject({ installed: true, active: true });
  expect(await state('remove', 'opencode', '--project')).toEqual([false, false]);
  expect(readdirSync(join(project, '.opencode'), { recursive: true }).sort()).toEqual([
    'plugin',
    join('plugin', 'mine.js'),
  ]);
});
