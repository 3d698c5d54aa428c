/** What keeps a store from being moved, and what other users of it are told during and after the move. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { MARK, readMark } from '../../src/storage/moving/mark.ts';
import { openUnsealed } from '../../src/storage/opening/factory.ts';
import { expectCode } from '../contract/support.ts';
import { edit } from '../engine/file-world.ts';
import { untilStatus } from '../engine/letters.ts';
import { onEachStore, type Store } from '../engine/stores.ts';
import {
  configFileOf,
  contentOf,
  ENCRYPT,
  expectHealthy,
  keyInEnvironment,
  openProject,
  populate,
  type Tasks,
  talker,
} from '../moving/world.ts';
import { tempDirs } from '../support/temp.ts';
import { git } from '../workspace/ground.ts';
import { type CliRun, cli } from './cli.ts';

const KEY = keyInEnvironment();
const tempDir = tempDirs();

onEachStore(
  (fresh, type) => {
    let store: Store;
    let dir: string;
    let tasks: Tasks;
    let content: Record<string, string>;
    let before: Record<string, string>;
    let kept: string;
    const own = (): string => join(dir, '.vibe-engine');
    beforeAll(async () => {
      store = await fresh();
      dir = store.dir;
      tasks = await populate(store);
      content = await contentOf(dir);
      kept = tempDir();
      cpSync(own(), kept, { recursive: true });
    });
    beforeEach(() => {
      rmSync(own(), { recursive: true });
      cpSync(kept, own(), { recursive: true });
      before = content;
    });

    const settings = (): string => readFileSync(configFileOf(dir), 'utf8');
    const bare = async <T>(run: (store: Storage) => Promise<T>): Promise<T> => {
      const opened = await openUnsealed(loadConfig({ project_dir: dir }).config, { project_dir: dir });
      try {
        return await run(opened);
      } finally {
        await opened.close();
      }
    };
    /** Refused like this, it has changed nothing, and what is there works. */
    const expectRefused = async (run: Promise<CliRun>, said: RegExp): Promise<void> => {
      const was = settings();
      const { exit, err } = await run;
      expect([exit === 0, err]).toEqual([false, expect.stringMatching(said)]);
      expect(settings()).toBe(was);
      expect(await contentOf(dir)).toEqual(before);
      expect(await bare(readMark)).toBeNull();
    };

    test('a running task, a key that is not there or not the right one', async () => {
      const engine = await openProject(dir);
      const { id, outcome } = await engine.start(talker, { large: '' });
      await untilStatus(engine, id, 'waiting');
      before = await contentOf(dir);
      await expectRefused(
        cli(dir, ENCRYPT, KEY),
        new RegExp(`^error TASK_OWNED: .*${id.slice(-6)}[^]*Pause`),
      );
      await engine.pause(id);
      await outcome;
      await engine.close();
      before = await contentOf(dir);
      await expectRefused(cli(dir, ENCRYPT), /^error NO_KEY/);
      if (type !== 'postgres') expect(existsSync(join(dir, '.vibe-engine', '.sealed'))).toBe(false);

      expect(await cli(dir, ENCRYPT, KEY)).toMatchObject({ exit: 0 });
      await expectRefused(cli(dir, ['keys', 'decrypt']), /^error NO_KEY/);
      const wrong = { VIBE_ENGINE_KEY: 'bad'.padEnd(64, '0') };
      await expectRefused(cli(dir, ['keys', 'decrypt'], wrong), /^error WRONG_KEY/);
      await expectRefused(cli(dir, ENCRYPT, KEY), /already on here/);
      expect(await cli(dir, ['keys', 'decrypt'], KEY)).toMatchObject({ exit: 0 });
      expect(await contentOf(dir)).toEqual(before);
      expect(await cli(dir, ['keys', 'decrypt'], KEY)).toMatchObject({
        exit: 0,
        out: expect.stringContaining('nothing to do'),
      });
      expect(await contentOf(dir)).toEqual(before);
    });

    test('damage, a variable that overrides the settings, a record where keys are kept', async () => {
      const path = { VIBE_ENGINE_PERSISTENCE_PATH: 'elsewhere' };
      const schema = { VIBE_ENGINE_PERSISTENCE_SCHEMA: 'elsewhere' };
      for (const variable of type === 'postgres' ? [schema] : []) {
        await expectRefused(cli(dir, ENCRYPT, { ...KEY, ...variable }), /^error CONFIG_INVALID: .*_SCHEMA/);
      }
      const enabled = { VIBE_ENGINE_ENCRYPTION_ENABLED: 'false' };
      await expectRefused(cli(dir, ENCRYPT, { ...KEY, ...enabled }), /^error CONFIG_INVALID: .*_ENABLED/);
      if (type === 'json') {
        const there = { VIBE_ENGINE_PERSISTENCE_PATH: '.vibe-engine' };
        await expectRefused(cli(dir, ENCRYPT, { ...KEY, ...there }), /^error CONFIG_INVALID: .*_PATH/);
        expect((await cli(dir, ENCRYPT, { ...KEY, ...path })).exit).not.toBe(0);
      }
      await bare((opened) => opened.save('keys', 'mine', 1));
      await expectRefused(cli(dir, ENCRYPT, KEY), /^error INVALID_KEY: .*keys\/mine/);
      await bare((opened) => opened.delete('keys', 'mine'));

      await store.damageEntry(tasks.talk, 2);
      const was = settings();
      expect(await cli(dir, ENCRYPT, KEY)).toMatchObject({
        exit: 1,
        err: expect.stringMatching(/^error CORRUPT/),
      });
      expect(settings()).toBe(was);
      expect(await bare(readMark)).toBeNull();
      const engine = await openProject(dir);
      const id = await edit(engine, { dir, changes: [['a.txt', 'on it goes\n']], end: 'complete' });
      expect((await engine.state(id))?.status).toBe('completed');
      await engine.close();
      expect((await cli(dir, ['doctor', '--repair', '--yes'])).err).toBe('');
      before = await contentOf(dir);
      const moved = await cli(dir, ENCRYPT, KEY);
      expect([moved.exit, moved.err]).toEqual([0, '']);
      expect(await contentOf(dir)).toEqual(before);
    });

    test('one that was cut off is told of, and finished', async () => {
      const mark = {
        id: 'm1',
        direction: 'encrypt',
        state: 'moving',
        to: 'x',
        since: new Date(0).toISOString(),
      };
      await bare((opened) => opened.save(MARK.category, MARK.key, mark));
      const engine = await openProject(dir);
      await expectCode(engine.start(talker, { large: '' }), 'STORE_MOVING');
      expect((await engine.history(tasks.talk)).steps.length).toBeGreaterThan(0);
      await engine.close();
      for (const words of [['keys', 'status'], ['doctor']])
        expect(await cli(dir, words)).toMatchObject({
          exit: 5,
          out: expect.stringContaining('keys encrypt'),
        });
      expect(await cli(dir, ['keys', 'init'])).not.toMatchObject({ exit: 0 });
      expect(await cli(dir, ENCRYPT, KEY)).toMatchObject({ exit: 0 });
      expect(await contentOf(dir)).toEqual(before);
      expect(await cli(dir, ['keys', 'status'], KEY)).toMatchObject({ exit: 0 });
      await expectHealthy(dir);
    });

    test('the place is private, and git does not see it', async () => {
      expect(await cli(dir, ENCRYPT, KEY)).toMatchObject({ exit: 0 });
      expect(git(dir, 'status', '--porcelain', '-uall')).not.toContain('.vibe-engine');
      const { exit, out } = await cli(dir, ['doctor'], KEY);
      expect([exit, out]).toEqual([0, expect.stringContaining('No problems found')]);
    });
  },
  ['json', 'sqlite'],
);
