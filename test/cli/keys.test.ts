/** Keys by the command line: switched on, looked at, replaced; and what is said when the key is not there. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { makeKeyFile } from '../../src/engine/keys/keys.ts';
import { doctor } from '../../src/verbs/care/doctor.ts';
import { keysInit } from '../../src/verbs/care/keys-init.ts';
import { keysRotate } from '../../src/verbs/care/keys-rotate.ts';
import { keysStatus } from '../../src/verbs/care/keys-status.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { cli as anyCli, type CliRun } from './cli.ts';

const tempDir = tempDirs();
const speaks = defineTask('speaks', async (task) => {
  await task.message('user', 'a word in confidence');
});
const run = async (project_dir: string): Promise<void> => {
  const engine = await openEngine({ project_dir, signals: false });
  await engine.run(speaks, undefined);
  await engine.close();
};

interface Status {
  readonly enabled: boolean;
  readonly encrypted: boolean | null;
  readonly key: string | null;
  readonly source: string;
}

test('of several who make a key in the same file at once, one does it for all', async () => {
  const key_file = join(tempDir(), 'keys', 'one.key');
  const seen = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await makeKeyFile({ key_file });
      return readFileSync(key_file, 'utf8');
    }),
  );
  expect(new Set(seen).size).toBe(1);
  expect(seen[0]).toMatch(/^[0-9a-f]{64}\n$/);
  expect(statSync(key_file).mode & 0o777).toBe(0o600);
});

describe('keys', () => {
  let dir: string;
  let env: Record<string, string>;
  beforeEach(() => {
    dir = tempDir();
    env = {};
    set('XDG_CONFIG_HOME', tempDir());
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** Here and for the commands, whose settings are not those of the user who runs the tests. */
  const set = (name: string, value: string): void => {
    env[name] = value;
    vi.stubEnv(name, value);
  };
  const cli = (cwd: string, words: readonly string[]): Promise<CliRun> => anyCli(cwd, words, env);
  const ask = async <T>(cwd: string, ...words: string[]): Promise<T> => {
    const { out } = await cli(cwd, [...words, '--json']);
    const answer = JSON.parse(out) as { ok: boolean; data: T };
    if (!answer.ok) throw new Error(out);
    return answer.data;
  };

  test('when several turn it on at the same time, the noted key opens the store', async () => {
    set('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0'));
    const words = ['keys', 'init'];
    const ends = await Promise.all([
      ...[cli(dir, words), cli(dir, words), cli(dir, [...words, '--from', 'environment'])],
    ]);
    expect(ends.some(({ exit }) => exit === 0)).toBe(true);
    await run(dir);
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({ encrypted: true, key: 'right' });
  });

  test('init makes a key for its owner alone, and what is stored then is sealed', async () => {
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({
      enabled: false,
      encrypted: null,
      key: null,
    });
    const made = await ask<{ key_file: string }>(dir, 'keys', 'init');
    expect(misfits(made, keysInit.data)).toEqual([]);
    const { key_file } = made;
    expect(statSync(key_file).mode & 0o777).toBe(0o600);
    expect(readFileSync(key_file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    await run(dir);
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({
      ...{ enabled: true, encrypted: true, key: 'right' },
    });
    expect(misfits(await ask<Status>(dir, 'keys', 'status'), keysStatus.data)).toEqual([]);
    const { out } = await cli(dir, ['tasks']);
    expect(out).toContain('speaks');
    const again = await cli(dir, ['keys', 'init']);
    expect(again).toMatchObject({ exit: 2, err: expect.stringContaining('already on here') });
  });

  test('init leaves a store alone that has something in it', async () => {
    await run(dir);
    const refused = await cli(dir, ['keys', 'init']);
    expect(refused).toMatchObject({ exit: 1, err: expect.stringMatching(/^error STORE_NOT_ENCRYPTED/) });
    expect(refused.err).toContain('keys encrypt');
    expect(existsSync(join(env.XDG_CONFIG_HOME!, 'vibe-engine', 'keys'))).toBe(false);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({ enabled: false, encrypted: false });
  });

  test('encrypt makes a key as init does, for what is there already', async () => {
    expect(await cli(dir, ['keys', 'encrypt'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('keys init'),
    });
    await run(dir);
    const { key_file } = await ask<{ key_file: string }>(dir, 'keys', 'encrypt');
    expect(statSync(key_file).mode & 0o777).toBe(0o600);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({ enabled: true, key: 'right' });
    await ask(dir, 'keys', 'rotate');
    await ask(dir, 'keys', 'decrypt');
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({ enabled: false, encrypted: false });
    await run(dir);
    await cli(dir, ['config', 'set', 'persistence.storage_type', 'mine']);
    for (const way of ['encrypt', 'decrypt'])
      expect(await cli(dir, ['keys', way])).toMatchObject({
        exit: 2,
        err: expect.stringContaining('copyStorage()'),
      });
  });

  test('without the key doctor checks the bytes, and says that it is no more than that', async () => {
    await ask(dir, 'keys', 'init');
    await run(dir);
    expect(await ask(dir, 'doctor')).toMatchObject({ healthy: true, without_key: null });
    await cli(dir, ['config', 'set', 'encryption.key_from', 'environment']);
    const missing = await ask(dir, 'doctor');
    expect(misfits(missing, doctor.data)).toEqual([]);
    expect(missing).toMatchObject({
      ...{ healthy: true, problems: [], checked: { tasks: 1 } },
      without_key: expect.stringContaining('VIBE_ENGINE_KEY'),
    });
    set('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0'));
    const { out } = await cli(dir, ['doctor']);
    expect(out).toMatch(
      /only the stored bytes were checked.*\nChecked: 1 task.*\nThe bytes are as they were stored\.\n$/,
    );
    const mend = await cli(dir, ['doctor', '--repair', '--yes']);
    expect(mend).toMatchObject({ exit: 1, err: expect.stringMatching(/^error WRONG_KEY/) });
    await cli(dir, ['config', 'set', 'encryption.enabled', 'false']);
    const [name] = readdirSync(join(dir, '.vibe-engine', 'tasks'));
    const log = join(dir, '.vibe-engine', 'tasks', name!, 'journal.log');
    const bytes = readFileSync(log);
    bytes[bytes.length - 40]! ^= 1;
    writeFileSync(log, bytes);
    const damaged = await cli(dir, ['doctor', '--json']);
    expect(damaged.exit).toBe(5);
    expect(JSON.parse(damaged.out)).toMatchObject({
      data: { healthy: false, problems: [{ code: 'CORRUPT', repair: null }] },
    });
  });

  test('rotate locks the store with another key, and the old one no longer opens it', async () => {
    const { key_file: old } = await ask<{ key_file: string }>(dir, 'keys', 'init');
    await run(dir);
    const rotated = await ask<{ key_file: string }>(dir, 'keys', 'rotate');
    expect(misfits(rotated, keysRotate.data)).toEqual([]);
    const { key_file } = rotated;
    expect(key_file).not.toBe(old);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    await cli(dir, ['config', 'set', 'encryption.key_file', old]);
    expect(await cli(dir, ['tasks'])).toMatchObject({
      exit: 1,
      err: expect.stringMatching(/^error WRONG_KEY/),
    });
    const status = await cli(dir, ['keys', 'status']);
    expect(status).toMatchObject({ exit: 5, out: expect.stringContaining('is a different one') });
    // Cut off after the store was locked and before the settings were written, it is finished by asking again.
    expect(await ask(dir, 'keys', 'rotate')).toMatchObject({ key_file });
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    await cli(dir, ['config', 'set', 'encryption.key_file', old]);
    expect((await cli(dir, ['keys', 'rotate', '--key-file', key_file])).exit).toBe(0);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
  });

  test('rotate takes the new key from where it is', async () => {
    await ask(dir, 'keys', 'init');
    await run(dir);
    const key = 'ab'.repeat(32);
    expect((await cli(dir, ['keys', 'rotate', '--to', 'environment'])).err).toContain(
      'Set VIBE_ENGINE_NEW_KEY',
    );
    set('VIBE_ENGINE_NEW_KEY', key);
    const { exit, out } = await cli(dir, ['keys', 'rotate', '--to', 'environment']);
    expect([exit, out]).toEqual([0, expect.stringContaining('VIBE_ENGINE_NEW_KEY into VIBE_ENGINE_KEY')]);
    expect(await cli(dir, ['tasks'])).toMatchObject({ exit: 1, err: expect.stringMatching(/^error NO_KEY/) });
    set('VIBE_ENGINE_KEY', key);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
    expect(readFileSync(join(dir, '.vibe-engine', 'config.json'), 'utf8')).not.toContain(key);
  });

  test('a key that is lost is said to be, and nothing is touched', async () => {
    const { key_file } = await ask<{ key_file: string }>(dir, 'keys', 'init');
    await run(dir);
    const key = readFileSync(key_file);
    writeFileSync(key_file, '');
    for (const words of [['tasks'], ['doctor', '--repair'], ['keys', 'rotate']])
      expect((await cli(dir, words)).err).toMatch(/^error NO_KEY/);
    expect(await ask<Status>(dir, 'keys', 'status')).toMatchObject({ encrypted: true, key: 'missing' });
    rmSync(key_file);
    expect((await cli(dir, ['keys', 'rotate'])).err).toMatch(/^error NO_KEY/);
    writeFileSync(key_file, 'ab'.repeat(32), { mode: 0o600 });
    expect((await cli(dir, ['keys', 'rotate'])).err).toMatch(/^error WRONG_KEY/);
    expect(readdirSync(dirname(key_file))).toEqual([basename(key_file)]);
    writeFileSync(key_file, key);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
  });

  test('a key that was replaced is not taken again', async () => {
    await ask(dir, 'keys', 'init');
    await run(dir);
    const { key_file } = await ask<{ key_file: string }>(dir, 'keys', 'rotate');
    await ask(dir, 'keys', 'decrypt');
    expect(await ask(dir, 'keys', 'encrypt')).toMatchObject({ key_file });
  });

  test('of several who replace the key at once, the settings name the one that opens the store', async () => {
    await ask(dir, 'keys', 'init');
    await run(dir);
    const ends = await Promise.all(['rotate', 'rotate', 'decrypt'].map((way) => cli(dir, ['keys', way])));
    expect(ends.some(({ exit }) => exit === 0)).toBe(true);
    for (const { exit, err } of ends)
      if (exit !== 0) expect(err).toMatch(/^error (STORE_MOV|WRONG_KEY|USAGE)/);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
  });

  test('where a variable says otherwise the key is neither made nor replaced', async () => {
    set('VIBE_ENGINE_ENCRYPTION_ENABLED', 'false');
    expect((await cli(dir, ['keys', 'init'])).err).toMatch(
      /^error CONFIG_INVALID.*VIBE_ENGINE_ENCRYPTION_ENABLED/,
    );
    expect(readdirSync(dir)).toEqual([]);
    set('VIBE_ENGINE_ENCRYPTION_ENABLED', 'true');
    await cli(dir, ['config', 'set', 'encryption.enabled', 'true']);
    const key_file = join(tempDir(), 'my.key');
    writeFileSync(key_file, 'ab'.repeat(32), { mode: 0o600 });
    set('VIBE_ENGINE_ENCRYPTION_KEY_FROM', 'file');
    set('VIBE_ENGINE_ENCRYPTION_KEY_FILE', key_file);
    await run(dir);
    expect((await cli(dir, ['keys', 'rotate'])).err).toMatch(/^error CONFIG_INVALID.*KEY_FILE/);
    expect((await cli(dir, ['tasks'])).out).toContain('speaks');
  });

  test('asked in the wrong way', async () => {
    expect(await cli(dir, ['keys', 'rotate'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('keys init'),
    });
    expect(await cli(dir, ['keys', 'init', '--from', 'fiel'])).toMatchObject({
      ...{ exit: 2, err: expect.stringContaining('"file"?') },
    });
    expect((await cli(dir, ['keys', 'init', '--from', 'command'])).err).toContain('--key-command');
    for (const words of [
      ['--from', 'environment', '--key-file', 'x.key'],
      ['--from', 'file', '--key-command', 'x'],
      ['--key-file', join('.vibe-engine', 'x.key')],
    ])
      expect(await cli(dir, ['keys', 'init', ...words])).toMatchObject({
        ...{ exit: 2, err: expect.stringMatching(/^error USAGE/) },
      });
    expect(readdirSync(dir)).toEqual([]);
    expect((await cli(dir, ['config', 'set', 'encryption.key_command', 'x'])).err).toMatch(
      /^error CONFIG_INVALID: .*a project cannot set/,
    );
    expect((await cli(dir, ['config', 'set', 'encryption.key_command', 'x', '--user'])).exit).toBe(0);
  });
});
