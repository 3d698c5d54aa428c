/** What we make is for its owner alone; what others can reach all the same is reported. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { examineStore, type StoreFinding } from '../../src/engine/doctor/doctor.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import { exportTask } from '../../src/engine/portable/portable.ts';
import { isReachable } from '../../src/system/exposure.ts';
import { writeSetting } from '../../src/verbs/settings/write.ts';
import { speak } from '../../src/verbs/text/choose.ts';
import { keepConflict } from '../../src/workspace/restore/conflict-copies.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const works = defineTask('works', async (task) => {
  await task.message('user', 'x'.repeat(200_000));
  await task.step('write', () => 'y'.repeat(50_000));
  return task.waitFor('user_input', { prompt: 'Well?' });
});

function open(dir: string, config: ConfigInput, more: EngineOptions = {}): Promise<Engine> {
  const quiet = { signals: false, automatic_cleanup: false, telemetry: false };
  return openEngine({ project_dir: dir, config, tasks: [works], ...quiet, ...more });
}

let umask = 0;
beforeEach(() => {
  umask = process.umask(0);
});
afterEach(() => void process.umask(umask));

describe.each(['json', 'sqlite'])('%s', (storage_type) => {
  const config = { persistence: { storage_type } };

  test('all that is made can be read by its owner alone, whatever the umask', async () => {
    const dir = tempDir();
    const engine = await open(dir, config, { workspace: true });
    const { id, outcome } = await engine.start(works, undefined);
    await expect.poll(async () => (await engine.state(id))?.status).toBe('waiting');
    await engine.pause(id);
    await outcome;
    await exportTask(engine, id, join(dir, 'out.vibe-task'));
    keepConflict(dir, 'deep/er/a.txt', Buffer.from('<<<<<<<\n'));
    const setting = { file: join(dir, '.vibe-engine/config.json'), source: 'project' } as const;
    writeSetting(
      { ...setting, key: 'checkpoints.compression', text: 'zstd' },
      engine.config,
      await speak('en'),
    );
    const modes = modesIn(dir);
    expect(modes.length).toBeGreaterThan(15);
    expect(modes.filter(([, mode, isDirectory]) => mode !== (isDirectory ? 0o700 : 0o600))).toEqual([]);
    await engine.close();
  });

  test.skipIf(isClosed())('what others can read is told once, and by the doctor each time', async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const store = join(dir, '.vibe-engine');
    const notify = vi.fn();
    const told = () => notify.mock.calls.flat(2).filter((line) => /Others on this machine/.test(line));
    await (await open(dir, config, { notify })).close();
    chmodSync(store, 0o755);
    writeFileSync(join(store, 'config.json'), '{}');
    await (await open(dir, config, { notify })).close();
    expect(told()).toEqual([]);
    expect(await findings(dir, config)).toEqual([]);

    const data = storage_type === 'json' ? 'store.json' : 'persistence.db';
    chmodSync(join(store, data), 0o640);
    await (await open(dir, config, { notify })).close();
    await (await open(dir, config, { notify })).close();
    expect(told()).toEqual([expect.stringContaining(join(store, data))]);
    const found = { code: 'STORE_UNSAFE', where: join(store, data), mend: null };
    for (let times = 2; times > 0; times--) expect((await findings(dir, config))[0]).toMatchObject(found);

    chmodSync(join(store, 'locks'), 0o755);
    mkdirSync(join(store, 'locks', 'made'), 0o777);
    const where = (await findings(dir, config)).map((one) => relative(store, one.where));
    expect(where).toEqual(expect.arrayContaining([data, 'locks', 'locks/made']));

    chmodSync(store, 0o700);
    expect(await findings(dir, config)).toEqual([]);
    chmodSync(store, 0o777);
    chmodSync(dir, 0o700);
    expect(await findings(dir, config)).toEqual([]);
  });
});

test.skipIf(isClosed())(
  'a database in a directory of the user’s, and one that anyone writes to',
  async () => {
    const dir = tempDir();
    chmodSync(dir, 0o755);
    const path = join(dir, 'mine.db');
    const config = { persistence: { storage_type: 'sqlite', path } };
    await (await open(dir, config)).close();
    expect(await findings(dir, config)).toEqual([]);
    chmodSync(path, 0o644);
    expect((await findings(dir, config))[0]).toMatchObject({ where: path });
    chmodSync(path, 0o600);
    mkdirSync(join(dir, '.vibe-engine'), { recursive: true });
    chmodSync(join(dir, '.vibe-engine'), 0o777);
    expect(await findings(dir, config)).toMatchObject([{ where: join(dir, '.vibe-engine') }]);
  },
);

test('the doctor needs to know no more than the store and the project', async () => {
  const engine = await open(tempDir(), {});
  const { storage, project_dir } = engine;
  for await (const finding of examineStore({ storage, project_dir })) expect(finding).toBeNull();
  await engine.close();
});

async function findings(dir: string, config: ConfigInput): Promise<StoreFinding[]> {
  const engine = await open(dir, config);
  const found: StoreFinding[] = [];
  for await (const finding of examineStore(engine)) found.push(finding);
  await engine.close();
  return found;
}

function modesIn(dir: string): [path: string, mode: number, isDirectory: boolean][] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((path) => {
    const stat = lstatSync(join(dir, path));
    return [path, stat.mode & 0o7777, stat.isDirectory()];
  });
}

function isClosed(): boolean {
  const closed = process.platform === 'win32' || !isReachable(dirname(join(tmpdir(), 'x')));
  if (closed) console.log(`Skipped: others cannot reach ${tmpdir()} here, so nothing in it can be open.`);
  return closed;
}
