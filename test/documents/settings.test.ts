/** Settings under the names and in the units of the documents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packValue } from '../../src/checkpoint/values/pack.ts';
import { ALIASES } from '../../src/config/aliases.ts';
import { settingAt } from '../../src/config/settings.ts';
import { trustSettings } from '../../src/config/trust.ts';
import { type ConfigInput, loadConfig } from '../../src/index.ts';
import { writeSetting } from '../../src/verbs/settings/write.ts';
import { cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

function load(options: ConfigInput, env: Record<string, string> = {}, file?: object) {
  const project_dir = tempDir();
  mkdirSync(join(project_dir, '.vibe-engine'));
  if (file) writeFileSync(join(project_dir, '.vibe-engine', 'config.json'), JSON.stringify(file));
  const places = { project_dir, home: tempDir(), env: { ...env, VIBE_ENGINE_STATE_DIR: tempDir() } };
  if (file) trustSettings(project_dir, loadConfig(places).waiting, places.env);
  return loadConfig({ ...places, options });
}

const AS_WRITTEN: ConfigInput = {
  checkpoints: {
    triggers: {
      after_agent_completion: 'normal',
      before_bash: 'high',
      before_file_modification: 'high',
      before_external_api_call: 'off',
      after_user_interaction: 'critical',
      after_file_modification: 'off',
      interval: '90s',
      context_delta: '20KB',
    },
    max_size: '10MB',
    compression: { enabled: true, algorithm: 'zstd', threshold: '1MB' },
    inline_threshold: '512B',
  },
  cleanup: {
    retention: { completed_tasks: '2w', failed_tasks: '36h', in_progress_tasks: 'unlimited' },
    max_checkpoints_per_task: 10,
    on_task_completion: false,
    disk_usage: '75%',
  },
  drift: { before_task_resume: false, interval: '1h' },
};

const OURS = {
  checkpoints: {
    triggers: {
      after_subagent: 'normal',
      before_shell_command: 'high',
      before_file_change: 'high',
      before_external_api: 'off',
      after_user_input: 'critical',
      after_file_change: 'off',
      interval_minutes: 1.5,
      context_growth_kb: 20,
    },
    max_size_mb: 10,
    compression: 'zstd',
    compress_over_kb: 1024,
    blob_over_kb: 0.5,
  },
  cleanup: {
    completed_days: 14,
    failed_days: 1.5,
    max_per_task: 10,
    on_completion: false,
    disk_usage_percent: 75,
  },
  drift: { before_resume: false, every_minutes: 60 },
};

test('they are taken, and explained under our names', () => {
  for (const { config, explain } of [load(AS_WRITTEN), load({}, {}, AS_WRITTEN)]) {
    expect(config).toMatchObject(OURS);
    expect(explain['checkpoints.blob_over_kb']).toMatchObject({ value: 0.5 });
    expect(explain['checkpoints.blob_over_kb']?.source).not.toBe('default');
    expect(explain['checkpoints.inline_threshold']).toBeUndefined();
  }
});

test('as the documents have them they are our defaults', () => {
  const given = ALIASES.filter(({ example, setting }) => example !== null && setting !== null);
  for (const { example, setting, read, key } of given) {
    const value = example === 'true' ? true : example;
    const expected = settingAt(setting!)!.default;
    if (typeof value === 'string') expect(read(value), key).toBe(expected);
  }
  expect(load({ cleanup: { retention: { completed_tasks: '7d' } } }).config.cleanup.completed_days).toBe(7);
});

test('compression is switched off', () => {
  for (const { config } of [
    load({ checkpoints: { compression: { enabled: false } } }),
    load({ checkpoints: { compression: { enabled: false, algorithm: 'gzip' } } }),
    load({ checkpoints: { compression: 'none' } }),
    load({}, { VIBE_ENGINE_CHECKPOINTS_COMPRESSION_ENABLED: 'false' }),
  ]) {
    expect(config.checkpoints.compression).toBe('none');
    const { blob } = packValue('x'.repeat(300_000), 'steps', config.checkpoints);
    expect(blob!.bytes.length).toBeGreaterThan(300_000);
  }
});

test('retention, compression, inline_threshold and the triggers need no section around them', () => {
  const alone: ConfigInput = {
    retention: { completed_tasks: '3d', failed_tasks: '1w', in_progress_tasks: 'unlimited' },
    compression: { enabled: false, threshold: '1MB' },
    inline_threshold: '20KB',
    after_agent_completion: 'critical',
  };
  for (const { config } of [load(alone), load({}, {}, alone)]) {
    expect(config.cleanup).toMatchObject({ completed_days: 3, failed_days: 7 });
    expect(config.checkpoints.triggers.after_subagent).toBe('critical');
    expect(config.checkpoints).toMatchObject({
      compression: 'none',
      compress_over_kb: 1024,
      blob_over_kb: 20,
    });
  }
  expect(load({}, { VIBE_ENGINE_RETENTION_FAILED_TASKS: '9d' }).config.cleanup.failed_days).toBe(9);
  const twice = { retention: alone.retention, cleanup: { retention: alone.retention } } as ConfigInput;
  expect(() => load(twice)).toThrow(
    '"retention.completed_tasks" is another name of "cleanup.retention.completed_tasks", and both are given.',
  );
});

test('a group in the wrong place is refused with the right one', () => {
  for (const wrong of [{ triggers: {} }, { cleanup: { triggers: {} } }]) {
    expect(() => load(wrong as object)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean "checkpoints.triggers"?') }),
    );
  }
});

test('variables have these names, too', () => {
  const env = {
    VIBE_ENGINE_CHECKPOINTS_INLINE_THRESHOLD: '20KB',
    VIBE_ENGINE_CLEANUP_MAX_CHECKPOINTS_PER_TASK: '7',
  };
  const { config, explain } = load({}, env);
  expect([config.checkpoints.blob_over_kb, config.cleanup.max_per_task]).toEqual([20, 7]);
  expect(explain['checkpoints.blob_over_kb']?.from).toBe('VIBE_ENGINE_CHECKPOINTS_INLINE_THRESHOLD');
});

test('a later place wins, whichever name it uses', () => {
  const file = { checkpoints: { inline_threshold: '20KB', max_size_mb: 7 } };
  const { config } = load({ checkpoints: { blob_over_kb: 30, max_size: '8MB' } }, {}, file);
  expect([config.checkpoints.blob_over_kb, config.checkpoints.max_size_mb]).toEqual([30, 8]);
});

test('both names in one place are refused', () => {
  const both = { checkpoints: { inline_threshold: '20KB', blob_over_kb: 10 } };
  expect(() => load(both)).toThrow(
    'In the options given: "checkpoints.inline_threshold" is another name of "checkpoints.blob_over_kb", and both are given.',
  );
  const env = {
    VIBE_ENGINE_CHECKPOINTS_INLINE_THRESHOLD: '20KB',
    VIBE_ENGINE_CHECKPOINTS_BLOB_OVER_KB: '10',
  };
  expect(() => load({}, env)).toThrow('and both are given');
});

test('what has no unit, or another one, is refused with what is expected', () => {
  for (const wrong of ['7', '7 years', 7, true]) {
    const given = { cleanup: { retention: { completed_tasks: wrong } } } as ConfigInput;
    expect(() => load(given)).toThrow('expected a value such as "7d"');
  }
  expect(() => load({ cleanup: { retention: { in_progress_tasks: '7d' } } } as object)).toThrow(
    '"unlimited"',
  );
});

test('setting ours from the command line takes the place of the other name', () => {
  const file = join(tempDir(), 'config.json');
  const inner = { compression: { enabled: false, threshold: '1KB' }, inline_threshold: '20KB' };
  writeFileSync(file, JSON.stringify({ checkpoints: inner }));
  const { config } = load({});
  writeSetting({ file, source: 'user', key: 'checkpoints.blob_over_kb', text: '30' }, config, (key) => key);
  writeSetting(
    { file, source: 'user', key: 'checkpoints.compress_over_kb', text: null },
    config,
    (key) => key,
  );
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    checkpoints: { compression: { enabled: false }, blob_over_kb: 30 },
  });
});

test('the command line takes every one of these names, in its own form', async () => {
  const dir = tempDir();
  const own = (key: string) => cli(dir, ['config', 'get', key]);
  for (const { key, example, setting, write } of ALIASES) {
    const value = example ?? String(settingAt(setting!)!.default);
    expect((await cli(dir, ['config', 'set', key, value])).err, key).toBe('');
    expect((await own(key)).out, key).toBe(`${value}\n`);
    const now = setting && JSON.parse((await cli(dir, ['config', 'get', setting, '--json'])).out).data.value;
    expect(String(write(now)), key).toBe(value);
  }
  await cli(dir, ['config', 'set', 'retention.completed_tasks', '9d']);
  expect((await own('cleanup.completed_days')).out).toBe('9\n');
  await cli(dir, ['config', 'set', 'compression.enabled', 'false']);
  expect((await own('checkpoints.compression')).out).toBe('none\n');
  expect((await cli(dir, ['config', 'explain', 'compression'])).out).toMatch(/compression\.enabled +false/);
  await cli(dir, ['config', 'set', 'compression.enabled', 'true']);
  expect((await own('checkpoints.compression')).out).toBe('gzip\n');
  expect((await cli(dir, ['config', 'set', 'inline_threshold', '--reset'])).exit).toBe(0);
  expect((await own('inline_threshold')).out).toBe('10KB\n');
});

test('the command line refuses another form, and says which it expects', async () => {
  const dir = tempDir();
  const wrong = await cli(dir, ['config', 'set', 'inline_threshold', '20']);
  expect(wrong.err).toContain('"inline_threshold" is "20"; expected a value such as "10KB"');
  expect((await cli(dir, ['config', 'set', 'retention.in_progress_tasks', '3d'])).exit).toBe(1);
  const always = await cli(dir, ['config', 'set', 'retention.in_progress_tasks', 'unlimited']);
  expect(always.out).toBe('retention.in_progress_tasks is always unlimited; there is nothing to set\n');
  expect((await cli(dir, ['config', 'get', 'inline_treshold'])).err).toContain('"inline_threshold"?');
  expect((await cli(dir, ['config', 'get', 'cleanup'])).err).not.toContain('Did you mean');
});
