/** Files are reserved when work is assigned: in whichever process, and on a shared store on whichever machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine, EngineOptions } from '../../src/engine/engine.ts';
import { systemClock } from '../../src/system/clock.ts';
import type { Board } from '../../src/workspace/reservations/board.ts';
import {
  boardFile,
  boardInFile,
  boardInStore,
  type SharedBoard,
} from '../../src/workspace/reservations/shared-board.ts';
import { promptResolver } from '../../src/workspace/resolve/command.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { git, put } from '../workspace/ground.ts';
import { untilStatus } from './letters.ts';
import { latch } from './setup.ts';
import { onEachStore, onEveryStore, type Store } from './stores.ts';

const tempDir = tempDirs();

/** Gives the agent the files; answers what it says, or the code of the refusal. */
function assign(engine: Engine, files: string[], work: () => unknown = () => 'ran'): Promise<unknown> {
  const task = defineTask('assigns', (task) => task.agent('agent', { files }, () => work()));
  return engine.run(task, undefined).catch(({ code }) => code);
}

onEachStore((fresh) => {
  test('another process has them, until it is dead and its lease over', async () => {
    const store = await fresh();
    // Three seconds, by clocks that stand still until they are told otherwise.
    const config = { ...store.config, conflicts: { reservation_minutes: 0.05 } };
    const clock = manualClock(new Date());
    const program = join(import.meta.dirname, 'assign-child.ts');
    const args = [program, store.dir, JSON.stringify(config), clock.now().toISOString()];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    const engine = await store.open({ workspace: true, config, clock });
    const boards = async () => (await engine.reader.locks()).files;
    let ran = 0;
    const work = () => ++ran;
    expect(await assign(engine, ['src/a.ts'], work)).toBe('FILE_RESERVED');
    // Longer than the lease: it is renewed as long as somebody is there to do it.
    const before = await boards();
    child.stdin.write('2000\n');
    await until(async () => expect(await boards()).not.toEqual(before));
    clock.advance(4000);
    expect(await assign(engine, ['**/*.ts'], work)).toBe('FILE_RESERVED');
    expect(ran).toBe(0);
    expect(await assign(engine, ['docs/a.md'])).toBe('ran');
    child.kill('SIGKILL');
    await ended;
    clock.advance(4000);
    await expect.poll(() => assign(engine, ['src/a.ts'], work)).toBe(1);
  });

  test('what a dead process had reserved is in the way of others, and not of the task that goes on', async () => {
    const store = await fresh();
    const place = async (): Promise<SharedBoard> => {
      const turn = async <T>(run: () => T): Promise<T> => run();
      const [stored] = await engine.storage.list('reservations');
      return stored === undefined
        ? boardInFile(boardFile(store.dir), turn, systemClock)
        : boardInStore(engine.storage, stored, systemClock);
    };
    let left: Board;
    const shares = defineTask('shares', async (task) => {
      await task.agent('first', { files: ['src/**'] }, (agent) =>
        agent.step('look', async () => {
          left = await (await place()).load();
        }),
      );
      await task.waitFor('user_input', { prompt: 'Go on?' });
      return (await task.agent('second', (agent) => agent.files.write('src/a.ts', 'two\n'))).status;
    });
    let engine = await store.open({ workspace: true, tasks: [shares] });
    const { id } = await engine.start(shares, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.close();
    engine = await store.open({ workspace: true, tasks: [shares] });
    // As it is when the process is killed while the first agent works.
    await (await place()).change(() => ({ board: left }));
    expect(await assign(engine, ['src/b.ts'])).toBe('FILE_RESERVED');
    await engine.answer(id, 'yes');
    expect(await (await engine.resume(id)).result).toBe('written');
    expect(await assign(engine, ['src/b.ts'])).toBe('ran');
  });
});

onEachStore(
  (fresh) => {
    test.each([
      ['**', 'FILE_RESERVED'],
      ['.', 'FILE_RESERVED'],
      ['src/**', 0],
      ['a*', 0],
    ])('a command of another while an agent has %s for itself: %s', async (files, expected) => {
      const engine = await (await fresh()).open({ workspace: true });
      const command = defineTask('command', (task) => task.shell('true'));
      const run = () =>
        engine.run(command, undefined).then(
          ({ code }) => code,
          ({ code }) => code,
        );
      const holds = defineTask('holds', (task) =>
        task.agent('agent', { files: [files] }, async (agent) => {
          const own = await agent.shell('true');
          const under = await agent.agent('helper', (helper) => helper.shell('true'));
          return [own.code, under.code, await run()];
        }),
      );
      expect(await engine.run(holds, undefined)).toEqual([0, 0, expected]);
      expect(await run()).toBe(0);
    });
  },
  ['json'],
);

/** Two directories with clones of one repository, as two machines have them. */
function twoClones(): [string, string] {
  const upstream = join(tempDir(), 'upstream.git');
  const first = tempDir();
  git(first, 'init', '-q');
  put(first, 'src/a.ts', 'one\n');
  git(first, 'add', '-A');
  git(first, 'commit', '-q', '-m', 'one');
  git(first, 'clone', '-q', '--bare', first, upstream);
  const second = join(tempDir(), 'elsewhere');
  git(first, 'clone', '-q', upstream, second);
  return [first, second];
}

async function engineOn(store: Store, root: string, options: EngineOptions = {}): Promise<Engine> {
  const { workspace, ...rest } = options;
  const more = typeof workspace === 'object' ? workspace : {};
  return store.open({ ...rest, workspace: { ...more, root } });
}

describe('two clones of one repository', () => {
  onEveryStore((fresh, type) => {
    test('share reservations where they share the store with other machines', async () => {
      const store = await fresh();
      const [first, second] = twoClones();
      const [one, other] = [await engineOn(store, first), await engineOn(store, second)];
      const [holding, over] = [latch(), latch()];
      const held = assign(one, ['src/**'], async () => {
        holding.resolve();
        await over.promise;
      });
      await holding.promise;
      const isShared = type === 'postgres';
      expect(await assign(other, ['src/a.ts'])).toBe(isShared ? 'FILE_RESERVED' : 'ran');
      expect(await assign(other, ['SRC/A.TS'])).toBe(isShared ? 'FILE_RESERVED' : 'ran');
      // A part of the repository as a workspace of its own.
      const inside = await engineOn(store, join(second, 'src'));
      expect(await assign(inside, ['a.ts'])).toBe(isShared ? 'FILE_RESERVED' : 'ran');
      const alone = await engineOn(store, second, { workspace: { identity: 'for itself' } });
      expect(await assign(alone, ['src/a.ts'])).toBe('ran');
      over.resolve();
      await held;
    });

    test('share them wherever they are told to', async () => {
      const store = await fresh();
      const [first, second] = [tempDir(), tempDir()];
      for (const root of [first, second]) mkdirSync(join(root, 'src'));
      const workspace = { identity: 'the same' };
      const config = { ...store.config, workspace };
      const one = await engineOn(store, first, { workspace });
      const other = await engineOn(store, second, { config });
      let refused: unknown;
      await assign(one, ['src/**'], async () => {
        refused = await assign(other, ['src/a.ts']);
      });
      expect(refused).toBe('FILE_RESERVED');
    });
  });

  onEachStore(
    (fresh) => {
      test('a write is refused when another machine has taken the file over', async () => {
        const store = await fresh();
        const [first, second] = twoClones();
        const clock = manualClock(new Date());
        const other = await engineOn(store, second, { clock });
        const takesOver = defineTask('takes over', ({ files }) => files.write('src/a.ts', 'taken over\n'));
        const slow = promptResolver('slow', async () => {
          clock.advance(10 * 60_000);
          await other.run(takesOver, undefined);
          return 'both\n';
        });
        const one = await engineOn(store, first, { workspace: { resolvers: [slow] } });
        const writes = defineTask('writes', async ({ files }) => {
          await files.read('src/a.ts');
          put(first, 'src/a.ts', 'a person\n');
          await files.write('src/a.ts', 'ours\n');
        });
        await expect(one.run(writes, undefined)).rejects.toMatchObject({ code: 'RESERVATION_LOST' });
      });
    },
    ['postgres'],
  );
});
