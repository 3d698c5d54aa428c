/** A new task from a checkpoint of another: both go their own ways, and neither disturbs the other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { type Engine, openEngine } from '../../src/engine/engine.ts';
import { cleanedRecord, NOT_CLEANED } from '../../src/engine/task/records/cleaned.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { parseCheckpointId } from '../../src/task/keys.ts';
import { tempDirs } from '../support/temp.ts';
import { deploy } from './deploy.ts';
import {
  checkpointAfter,
  checkpointsBefore,
  checkpointsOf,
  finish,
  letters,
  liveOf,
  outlineOf,
  pausedAtQuestion,
  stepsOf,
  untilStatus,
} from './letters.ts';
import { collect, everythingIn, onEachStore } from './stores.ts';

const tempDir = tempDirs();

/** The bytes of a task, to see that nobody else touched them. */
async function storedOf({ storage }: Engine, task: string): Promise<unknown> {
  const keys = (await storage.list('tasks')).filter((key) => key.startsWith(`${task}/`));
  const records = await Promise.all(keys.map((key) => storage.get('tasks', key)));
  return {
    keys,
    records,
    entries: await collect(storage.read(task)),
    blobs: await collect(storage.listBlobs(task)),
  };
}

onEachStore((fresh) => {
  test('steps before the checkpoint are remembered, later ones run again; the parent is not touched', async () => {
    const log: string[] = [];
    const store = await fresh();
    const engine = await store.open();
    const parent = await pausedAtQuestion(engine, letters(log), 'abcd');
    const target = await checkpointAfter(engine, parent, 'b');
    const before = await storedOf(engine, parent);
    log.length = 0;

    const fork = await engine.fork(target, { task_name: 'another way' });
    expect(fork).toEqual({ id: expect.any(String), parent, checkpoint: `ckpt-${fork.id}-1`, run: null });
    expect(await engine.state(fork.id)).toMatchObject({
      status: 'paused',
      task_name: 'another way',
      data: { pause_reason: `forked from ${target}`, snapshot: { iteration_count: 2 } },
    });
    expect(await stepsOf(engine, fork.id)).toEqual(['a', 'b']);
    expect((await loadHead(engine.storage, fork.id))!.lineage).toMatchObject([
      { task: parent, checkpoint: target, dead: [] },
    ]);
    expect(await engine.storage.list('forks')).toEqual([`${parent}/${fork.id}`]);
    expect(await finish(engine, fork.id, '?')).toBe('abcd?');
    expect(log).toEqual(['c', 'd']);
    expect(await stepsOf(engine, fork.id)).toEqual(['a', 'b', 'c', 'd']);
    expect(await storedOf(engine, parent)).toEqual(before);

    log.length = 0;
    const child = await storedOf(engine, fork.id);
    expect(await finish(engine, parent, '!')).toBe('abcd!');
    expect(log).toEqual([]);
    expect(await storedOf(engine, fork.id)).toEqual(child);
  });

  test('what is shared is stored once', async () => {
    const engine = await (await fresh()).open();
    const big = defineTask('big', async (task) => {
      const made = await task.step('make', () => 'x'.repeat(100_000));
      await task.set('made', made);
      await task.step('next', () => 1);
      return made.length;
    });
    const parent = await engine.start(big, undefined);
    expect(await parent.result).toBe(100_000);
    const { id, run } = await engine.fork(await checkpointAfter(engine, parent.id, 'make'), { start: true });
    expect(await run!.result).toBe(100_000);
    const own = await collect(engine.storage.listBlobs(id));
    expect(own.filter(({ id }) => id.startsWith('step_results/'))).toEqual([]);
    expect(await stepsOf(engine, id)).toEqual(['make', 'next']);
  });

  test('a running task is forked without being disturbed', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const parent = await engine.start(letters(log), 'abc');
    await untilStatus(engine, parent.id, 'waiting');
    const { id, run } = await engine.fork(await checkpointAfter(engine, parent.id, 'a'), { start: true });
    await untilStatus(engine, id, 'waiting');
    await engine.answer(parent.id, '!');
    expect(await parent.result).toBe('abc!');
    await engine.answer(id, '?');
    expect(await run!.result).toBe('abc?');
    expect(log.join('')).toBe('abcbc');
  });

  test('a completed and a cancelled task are forked from any of their checkpoints', async () => {
    const engine = await (await fresh()).open();
    const done = await pausedAtQuestion(engine, letters([]), 'ab');
    await finish(engine, done);
    const called = await pausedAtQuestion(engine, letters([]), 'ab');
    await engine.cancel(called);
    for (const parent of [done, called]) {
      const before = await storedOf(engine, parent);
      for (const checkpoint of await checkpointsOf(engine, parent)) {
        const { run, id } = await engine.fork(checkpoint, { start: true });
        const answered = (await liveOf(engine, id)).some(({ entry }) => entry.t === 'answer');
        if (!answered) await engine.answer(id, '!');
        expect(await run!.result).toBe('ab!');
      }
      expect(await storedOf(engine, parent)).toEqual(before);
    }
  });

  test('a fork of a fork, each rolled back on its own', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const first = await pausedAtQuestion(engine, letters(log), 'abcde');
    const { id: second } = await engine.fork(await checkpointAfter(engine, first, 'b'));
    const paused = async (task: string): Promise<void> => {
      const { outcome } = await engine.resume(task);
      await untilStatus(engine, task, 'waiting');
      await engine.pause(task);
      await outcome;
    };
    await paused(second);
    const { id: third } = await engine.fork(await checkpointAfter(engine, second, 'd'));
    expect((await engine.storage.list('forks')).sort()).toEqual(
      [`${first}/${second}`, `${first}/${third}`, `${second}/${third}`].sort(),
    );
    expect(await stepsOf(engine, third)).toEqual(['a', 'b', 'c', 'd']);
    await paused(third);

    const outlines = async (...tasks: string[]) => Promise.all(tasks.map((task) => outlineOf(engine, task)));
    let others = await outlines(second, third);
    await engine.rollback(await checkpointAfter(engine, first, 'a'));
    expect(await outlines(second, third)).toEqual(others);
    others = await outlines(first, third);
    await engine.rollback(await checkpointAfter(engine, second, 'c'));
    expect(await outlines(first, third)).toEqual(others);
    others = await outlines(first, second);
    await engine.rollback((await checkpointsOf(engine, third))[0]!);
    expect(await outlines(first, second)).toEqual(others);
    expect(await Promise.all([first, second, third].map((task) => stepsOf(engine, task)))).toEqual([
      ['a'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ]);
    log.length = 0;
    for (const task of [third, second, first]) expect(await finish(engine, task)).toBe('abcde!');
    expect(log.join('')).toBe(['e', 'de', 'bcde'].join(''));
  });

  test('what the parent had rolled back before is not in the fork', async () => {
    const engine = await (await fresh()).open();
    const log: string[] = [];
    const parent = await pausedAtQuestion(engine, letters(log), 'abc');
    await engine.rollback(await checkpointAfter(engine, parent, 'a'));
    const { outcome } = await engine.resume(parent);
    await untilStatus(engine, parent, 'waiting');
    await engine.pause(parent);
    await outcome;
    const { id } = await engine.fork(await checkpointAfter(engine, parent, 'b'));
    const messages = (await liveOf(engine, id)).filter(({ entry }) => entry.t === 'message');
    expect(messages).toHaveLength(2);
    expect(await stepsOf(engine, id)).toEqual(['a', 'b']);
    log.length = 0;
    expect(await finish(engine, id)).toBe('abc!');
    expect(log).toEqual(['c']);
  });

  test('clean-up leaves alone what a fork shares', async () => {
    const store = await fresh();
    const engine = await store.open({ config: { ...store.config, cleanup: { grace_hours: 0 } } });
    const parent = await pausedAtQuestion(engine, letters([]), 'abc');
    const { id } = await engine.fork(await checkpointAfter(engine, parent, 'b'));
    await engine.rollback(await checkpointAfter(engine, parent, 'a'));
    await engine.clean();
    await expect(engine.redo(parent)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
    expect(await stepsOf(engine, id)).toEqual(['a', 'b']);
    expect(await finish(engine, id)).toBe('abc!');
    expect(await finish(engine, parent)).toBe('abc!');
  });

  test('a prefix that is no longer what it was is noticed', async () => {
    const store = await fresh();
    let engine = await store.open();
    const parent = await pausedAtQuestion(engine, letters([]), 'abc');
    const { id } = await engine.fork(await checkpointAfter(engine, parent, 'b'));
    const { to } = (await loadHead(engine.storage, id))!.lineage[0]!;
    await engine.close();
    await store.damageEntry(parent, to - 1);
    engine = await store.open({ tasks: [letters([])] });
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await finish(engine, parent)).toBe('abc!');
    await expect(engine.resume(id)).rejects.toMatchObject({ code: 'CORRUPT', data: { task: parent } });
  });
});

describe('what a fork does not take over', () => {
  onEachStore(
    (fresh) => {
      test('a failure: the step that failed last is run, not told again', async () => {
        const engine = await (await fresh()).open();
        let fail = true;
        const flaky = defineTask('flaky', async (task) => {
          await task.step('a', () => 1);
          return task.step('b', () => {
            if (fail) throw new Error('no');
            return 'went well';
          });
        });
        const { id, outcome } = await engine.start(flaky, undefined);
        expect(await outcome).toMatchObject({ status: 'failed' });
        fail = false;
        for (const checkpoint of await checkpointsOf(engine, id)) {
          expect(await (await engine.fork(checkpoint, { start: true })).run!.result).toBe('went well');
        }
        expect(await engine.state(id)).toMatchObject({ status: 'failed' });
      });

      test('an operation that ended in the parent: it is not of unknown outcome', async () => {
        const engine = await (await fresh()).open();
        const unknown: boolean[] = [];
        const definition = deploy((call) => {
          unknown.push(call.unknown !== null);
          return 'deployed';
        });
        const { id, result } = await engine.start(definition, undefined);
        await result;
        const [beforehand] = await checkpointsBefore(engine, id);
        const { run } = await engine.fork(beforehand!, { start: true });
        await run!.result;
        expect(unknown).toEqual([false, false]);
      });
    },
    ['sqlite'],
  );
});

describe('a checkpoint that clean-up takes while it is forked from', () => {
  onEachStore(
    (fresh) => {
      test('is found gone, and nothing is left of the fork', async () => {
        const engine = await (await fresh()).open();
        const parent = await pausedAtQuestion(engine, letters([]), 'abc');
        const target = await checkpointAfter(engine, parent, 'b');
        const { sequence } = parseCheckpointId(target)!;
        const removed = { ...NOT_CLEANED, removed: [[sequence, sequence] as [number, number]] };
        // Taken just when the fork announces itself: before that it is there, after it clean-up would see the fork.
        const storage: Storage = {
          ...engine.storage,
          commit: async (commit) => {
            if (commit.task === null)
              await engine.storage.commit({ task: parent, records: [cleanedRecord(parent, removed)] });
            return engine.storage.commit(commit);
          },
        };
        const other = await openEngine({ project_dir: '/tmp', storage, automatic_cleanup: false });
        await expect(other.fork(target)).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
        await other.close();
        expect(await engine.storage.list('forks')).toEqual([]);
        expect((await engine.tasks()).map(({ task_id }) => task_id)).toEqual([parent]);
      });
    },
    ['sqlite'],
  );
});

describe('a fork that cannot be started', () => {
  onEachStore((fresh) => {
    test('is not left behind', async () => {
      const store = await fresh();
      let engine = await store.open();
      const parent = await pausedAtQuestion(engine, letters([]), 'ab');
      const target = await checkpointAfter(engine, parent, 'a');
      await engine.close();
      engine = await store.open(); // The code of the task is not known here.
      const before = await everythingIn(engine.storage);
      await expect(engine.fork(target, { start: true })).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
      expect(await everythingIn(engine.storage)).toEqual(before);
      const { id } = await engine.fork(target);
      engine.register(letters([]));
      expect(await finish(engine, id)).toBe('ab!');
    });
  });
});

describe('where it works', () => {
  onEachStore(
    (fresh) => {
      test('in the directory it is given', async () => {
        const engine = await (await fresh()).open();
        const parent = await pausedAtQuestion(engine, letters([]), 'ab');
        const target = await checkpointAfter(engine, parent, 'a');
        const { id, checkpoint } = await engine.fork(target, { working_dir: '/tmp' });
        expect((await loadHead(engine.storage, id))!.working_dir).toBe('/tmp');
        const [key] = (await engine.storage.list('tasks')).filter((key) =>
          key.startsWith(`${id}/checkpoints/`),
        );
        expect(await engine.storage.load('tasks', key!)).toMatchObject({
          id: checkpoint,
          trigger: 'fork',
          metadata: { forked_from: target },
          recovery_info: { working_dir: '/tmp', resume_point: '/a#1' },
        });
      });

      test('knows where its code is found as the task it comes from does', async () => {
        const origin = { kind: 'file', path: 'letters.ts' };
        const engine = await (await fresh()).open();
        const { id, result } = await engine.start(letters([]), 'ab', { origin });
        await untilStatus(engine, id, 'waiting');
        const fork = await engine.fork(await checkpointAfter(engine, id, 'a'));
        expect(await engine.origin(id)).toEqual(origin);
        expect(await engine.origin(fork.id)).toEqual(origin);
        await engine.cancel(id);
        await expect(result).rejects.toThrow();
        const other = await engine.enqueue(letters([]), 'ab');
        expect(await engine.origin(other)).toBeNull();
        await expect(engine.enqueue(letters([]), 'ab', { origin: 'x' as never })).rejects.toMatchObject({
          code: 'USAGE',
        });
      });

      test('a workspace that cannot fill it leaves no half-made task', async () => {
        const working_dir = tempDir();
        writeFileSync(join(working_dir, 'theirs.txt'), 'theirs\n');
        const engine = await (await fresh()).open({ workspace: true });
        const parent = await pausedAtQuestion(engine, letters([]), 'ab');
        await expect(
          engine.fork(await checkpointAfter(engine, parent, 'a'), { working_dir }),
        ).rejects.toMatchObject({ code: 'WORKSPACE_UNSAFE' });
        expect(await engine.storage.list('forks')).toEqual([]);
        expect((await engine.tasks()).map(({ task_id }) => task_id)).toEqual([parent]);
      });
    },
    ['sqlite'],
  );
});
