import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { config } from '../../src/verbs/care/config.ts';
import { configExplain } from '../../src/verbs/care/config-explain.ts';
import { configGet } from '../../src/verbs/care/config-get.ts';
import { configSet } from '../../src/verbs/care/config-set.ts';
import { conversations } from '../../src/verbs/look/conversations.ts';
import { history } from '../../src/verbs/look/history.ts';
import { onEachStore } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { populate, type Tasks } from './world.ts';

const tempDir = tempDirs();

onEachStore(
  (fresh) => {
    let dir: string;
    let made: Tasks;
    beforeAll(async () => {
      const store = await fresh();
      dir = store.dir;
      made = await populate(store);
    });

    test('history shows every step', async () => {
      const data = await ask<{ steps: object[] }>(dir, 'history', made.failed);
      expect(misfits(data, history.data)).toEqual([]);
      expect(data).toMatchObject({
        execution_id: made.failed,
        status: 'failed',
        steps: [
          { name: 'sign in', status: 'success' },
          { name: 'fetch', status: 'failed', attempts: [{ error: { message: 'the API answered 503' } }] },
        ],
      });
      const { out } = await cli(dir, ['history', 'fetch-issues']);
      expect(out).toMatch(/✗ +fetch/);
      expect(out).toContain('It ended because: ');
      expect((await cli(dir, ['history', 'fetch-isues'])).err).toContain('Did you mean "fetch-issues"?');
    });

    test('conversations lists them and shows the one of a task', async () => {
      const data = await ask<{ conversations: { task: string }[] }>(dir, 'conversations');
      expect(misfits(data, conversations.data)).toEqual([]);
      expect(data.conversations.map(({ task }) => task)).toContain(made.completed);
      const { out } = await cli(dir, ['conversations', made.completed.slice(-6)]);
      expect(out).toMatch(/^user {2}Review login\.ts\n/);
      const none = await cli(dir, ['conversations', 'conv-auto-sve']);
      expect(none.exit).not.toBe(0);
    });
  },
  ['json', 'sqlite'],
);

test('config shows what is set, and where', async () => {
  const dir = tempDir();
  const env = { HOME: tempDir() };
  const none = await cli(dir, ['config'], env);
  expect(none.out).toContain('Every setting has its default value.');
  expect(existsSync(join(dir, '.vibe-engine'))).toBe(false);

  const set = await cli(dir, ['config', 'set', 'cleanup.failed_days', '60'], env);
  const file = join(dir, '.vibe-engine', 'config.json');
  expect(set).toMatchObject({ exit: 0, out: `cleanup.failed_days is 60 in ${file}\n` });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ cleanup: { failed_days: 60 } });
  await cli(dir, ['config', 'set', 'recovery.on_modified', 'merge', '--user'], env);
  const { out } = await cli(dir, ['config'], env);
  expect(out).toMatch(/cleanup\.failed_days +60 +.*config\.json/);
  expect(out).toMatch(/recovery\.on_modified +merge +.*vibe-engine\/config\.json/);
  expect((await cli(dir, ['config', 'get', 'cleanup.failed_days'], env)).out).toBe('60\n');

  const overruled = { ...env, VIBE_ENGINE_CLEANUP_FAILED_DAYS: '5' };
  const still = await cli(dir, ['config', 'set', 'cleanup.failed_days', '61'], overruled);
  expect(still.out).toContain('but VIBE_ENGINE_CLEANUP_FAILED_DAYS overrides it: 5 applies');
  await cli(dir, ['config', 'set', 'cleanup.failed_days', '--reset'], env);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({});
});

test('config refuses what is no setting or no value, and changes nothing', async () => {
  const dir = tempDir();
  const typo = await cli(dir, ['config', 'set', 'cleanup.faild_days', '60']);
  expect(typo.exit).toBe(1);
  expect(typo.err).toMatch(
    /^error CONFIG_INVALID: There is no setting.*\nhint: Did you mean "cleanup\.failed_days"\?/,
  );
  const bad = await cli(dir, ['config', 'set', 'cleanup.failed_days', 'soon']);
  expect(bad.err).toContain('"cleanup.failed_days" is "soon"; expected');
  const neither = await cli(dir, ['config', 'set', 'cleanup.failed_days']);
  expect(neither.exit).toBe(2);
  expect((await cli(dir, ['config', 'get', 'failed_days'])).err).toContain(
    'Did you mean "cleanup.failed_days"?',
  );
  expect((await cli(dir, ['config', 'gte', 'x'])).err).toContain('Did you mean "config get"?');
  expect(existsSync(join(dir, '.vibe-engine'))).toBe(false);
});

test('config explain tells what settings are for, in the reader’s language', async () => {
  const dir = tempDir();
  const data = await ask<{ settings: object[] }>(dir, 'config', 'explain', 'cleanup');
  expect(misfits(data, configExplain.data)).toEqual([]);
  expect(data.settings.length).toBeGreaterThan(5);
  expect(misfits(await ask(dir, 'config'), config.data)).toEqual([]);
  expect(misfits(await ask(dir, 'config', 'get', 'drift.prefer'), configGet.data)).toEqual([]);
  expect(misfits(await ask(dir, 'config', 'set', 'drift.prefer', 'auto'), configSet.data)).toEqual([]);
  const { out } = await cli(dir, ['config', 'explain', 'cleanup.failed_days', '--lang', 'zh-Hant']);
  expect(out).toContain('失敗任務的檢查點保留天數。預設值：30');
  expect((await cli(dir, ['config', 'explain', 'clenup'])).err).toContain('Did you mean "cleanup"?');
});
