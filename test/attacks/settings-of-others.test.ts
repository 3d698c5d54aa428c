/** What a project sets counts only as far as it can do no harm, until the person has trusted that very value. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, parseConfig } from '../../src/config/load.ts';
import { HARMLESS, trustRule } from '../../src/config/needs-trust.ts';
import { trustSettings } from '../../src/config/trust.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask } from '../../src/index.ts';
import { ask, cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';
import { EVERY_KEY, hostileSettings, plantSettings, settingsOf } from './hostile-clone.ts';

const tempDir = tempDirs();
const bait = { command: 'touch /tmp/never', url: 'postgres://server.invalid/x', elsewhere: '/var/elsewhere' };
const hostile = hostileSettings(bait);
const load = (project_dir: string) => loadConfig({ project_dir, home: '/nowhere' });

describe('a setting of the project', () => {
  test.each(hostile.map((one) => [`${one.key} = ${JSON.stringify(one.value)}`, one] as const))(
    '%s is not in force',
    (_name, one) => {
      const dir = tempDir();
      plantSettings(dir, { ...settingsOf([one]) });
      const { config, waiting, explain } = load(dir);
      expect(config).toEqual(parseConfig({}));
      expect(waiting).toHaveLength(1);
      expect(explain[waiting[0]!.key]!.waiting).toBeDefined();
    },
  );

  test('that does no harm is, beside one that waits', () => {
    const dir = tempDir();
    plantSettings(dir, {
      conflicts: { resolver: 'x', reservation_minutes: 7 },
      cleanup: { failed_days: 90 },
    });
    const { config, waiting } = load(dir);
    expect(config.conflicts).toMatchObject({ resolver: null, reservation_minutes: 7 });
    expect(config.cleanup.failed_days).toBe(90);
    expect(waiting).toEqual([{ key: 'conflicts.resolver', value: 'x', risk: 'runs' }]);
  });

  test('is judged, whichever it is', () => {
    const needy = EVERY_KEY.filter((key) => !HARMLESS.includes(key));
    expect(HARMLESS.filter((key) => !EVERY_KEY.includes(key))).toEqual([]);
    const baited = new Set(hostile.map(({ key }) => key));
    expect(needy.filter((key) => !baited.has(key))).toEqual([]);
    expect(needy.filter((key) => trustRule(key) === null)).toEqual([]);
    expect(hostile.filter(({ key }) => HARMLESS.includes(key))).toEqual([]);
  });

  test('counts from the user’s own file, from variables and from code', () => {
    const [dir, home] = [tempDir(), tempDir()];
    plantSettings(dir, { conflicts: { resolver: 'theirs' } });
    mkdirSync(join(home, 'vibe-engine'));
    const own = join(home, 'vibe-engine', 'config.json');
    writeFileSync(own, JSON.stringify({ conflicts: { resolver: 'mine' } }));
    const env = { ...process.env, XDG_CONFIG_HOME: home };
    const resolver = (more = {}) => loadConfig({ project_dir: dir, env, ...more }).config.conflicts.resolver;
    expect(resolver()).toBe('mine');
    expect(resolver({ env: { ...env, VIBE_ENGINE_CONFLICTS_RESOLVER: 'now' } })).toBe('now');
    expect(resolver({ options: { conflicts: { resolver: 'code' } } })).toBe('code');
  });

  test('for a back end of the user’s own waits, too', () => {
    const dir = tempDir();
    plantSettings(dir, { persistence: { bucket: 'theirs' } });
    const options = { persistence: { storage_type: 'mine', bucket: 'own' } };
    expect(loadConfig({ project_dir: dir, options }).config.persistence.bucket).toBe('own');
    const env = { ...process.env, VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE: 'mine' };
    expect(loadConfig({ project_dir: dir, env }).config.persistence.bucket).toBeUndefined();
  });

  test('leads out by a link as well', () => {
    const [dir, elsewhere] = [tempDir(), tempDir()];
    plantSettings(dir, { persistence: { path: 'link/store' } });
    expect(load(dir).config.persistence.path).toBe('link/store');
    symlinkSync(elsewhere, join(dir, 'link'));
    expect(load(dir).config.persistence.path).toBeNull();
  });
});

describe('without trust', () => {
  test('no password goes to a server that the project names', async () => {
    let came = 0;
    const server = createServer((socket) => {
      came++;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const dir = tempDir();
    const url = `postgres://victim@127.0.0.1:${port}/x`;
    plantSettings(dir, { persistence: { storage_type: 'postgres', url, reconnect_seconds: 0 } });
    const { exit, err } = await cli(dir, ['tasks'], { PGPASSWORD: 'secret' });
    server.close();
    expect(came).toBe(0);
    expect(exit).toBe(0);
    const told = err.split('\n').filter((line) => line.includes('persistence.url'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('vibe-engine trust');
  });

  test('another project’s store is not cleaned out', async () => {
    const [theirs, clone] = [tempDir(), tempDir()];
    const engine = await openEngine({ project_dir: theirs });
    const task = defineTask('precious', async (task) => task.step('one', () => 1));
    await engine.run(task, undefined);
    await engine.close();
    const before = await ask<{ tasks: unknown[] }>(theirs, 'tasks');
    plantSettings(clone, {
      persistence: { path: join(theirs, '.vibe-engine') },
      cleanup: { older_than_days: 0, remove_completed: true, grace_hours: 0 },
    });
    expect((await cli(clone, ['clean', '--yes'])).out).not.toContain('precious');
    expect(await ask(theirs, 'tasks')).toEqual(before);
    expect((await ask<{ tasks: unknown[] }>(clone, 'tasks')).tasks).toEqual([]);
  });
});

describe('trust', () => {
  test('is asked for, remembered by path and value, and can be taken back', async () => {
    const dir = tempDir();
    plantSettings(dir, { conflicts: { resolver: 'a' }, drift: { test_command: 'b' } });
    const resolver = async (at = dir): Promise<unknown> =>
      (await ask<{ value: unknown }>(at, 'config', 'get', 'conflicts.resolver')).value;
    expect(await resolver()).toBeNull();
    const unasked = await cli(dir, ['trust']);
    expect(unasked.exit).not.toBe(0);
    expect(unasked.out).toContain('conflicts.resolver: "a"');
    expect(unasked.err + unasked.out).toContain('--yes');
    const shown = JSON.parse((await cli(dir, ['trust', '--json'])).out) as { data: { done: boolean } };
    expect(shown.data.done).toBe(false);
    expect(await resolver()).toBeNull();

    expect((await cli(dir, ['trust', '--yes'])).exit).toBe(0);
    expect(await resolver()).toBe('a');
    const copy = tempDir();
    cpSync(dir, copy, { recursive: true });
    expect(await resolver(copy)).toBeNull();

    plantSettings(dir, { conflicts: { resolver: 'a; evil' }, drift: { test_command: 'b' } });
    expect(await resolver()).toBeNull();
    const explained = await ask<{ settings: { key: string; waiting: unknown }[] }>(dir, 'config', 'explain');
    const waiting = explained.settings.filter((one) => one.waiting !== null);
    expect(waiting).toMatchObject([{ key: 'conflicts.resolver', waiting: 'a; evil' }]);
    expect((await cli(dir, ['config', 'explain', 'conflicts'])).out).toContain(
      'has no effect until you trust',
    );

    expect((await cli(dir, ['trust', '--remove'])).exit).toBe(0);
    expect(load(dir).waiting).toHaveLength(2);
    expect(existsSync(join(dir, '.vibe-engine', 'trust'))).toBe(false);
  });

  test('what a person sets in a project counts, and nothing besides', async () => {
    const dir = tempDir();
    plantSettings(dir, { conflicts: { resolver: 'theirs' } });
    expect((await cli(dir, ['config', 'set', 'conflicts.merge_tool', 'mine'])).exit).toBe(0);
    expect(readFileSync(join(dir, '.vibe-engine', 'config.json'), 'utf8')).toContain('theirs');
    expect(load(dir).config.conflicts).toMatchObject({ merge_tool: 'mine', resolver: null });
  });

  test('of what a setting was stays until it is written, also if the writer is killed between', async () => {
    const dir = tempDir();
    expect((await cli(dir, ['config', 'set', 'conflicts.merge_tool', 'before'])).exit).toBe(0);
    trustSettings(dir, [{ key: 'conflicts.merge_tool', value: 'after' }], process.env);
    expect(load(dir).config.conflicts.merge_tool).toBe('before');
    expect((await cli(dir, ['config', 'set', 'conflicts.merge_tool', 'after'])).exit).toBe(0);
    expect(load(dir).config.conflicts.merge_tool).toBe('after');
  });

  test('shows what a terminal would hide', async () => {
    const dir = tempDir();
    plantSettings(dir, { conflicts: { resolver: 'a\u202e\u200b\u001b[2J\u{e0041}' } });
    const { out } = await cli(dir, ['trust']);
    expect(out).toContain('a\\u{202e}\\u{200b}\\u001b[2J\\u{e0041}');
  });
});
