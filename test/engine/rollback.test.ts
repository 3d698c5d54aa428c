/** Back to a checkpoint and forward again: on each store, also across a reopening. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
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
import { everythingIn, onEachStore, type Store } from './stores.ts';
import { adding, groundIn } from './undo-ground.ts';

async function reopened(engine: Engine, store: Store, log: string[]): Promise<Engine> {
  await engine.close();
  return store.open({ tasks: [letters(log)] });
}

onEachStore((fresh) => {
  test('a rollback takes later steps, checkpoints and history out; the task goes on from there', async () => {
    const store = await fresh();
    const log: string[] = [];
    let engine = await store.open();
    const task = await pausedAtQuestion(engine, letters(log), 'abcd');
    const target = await checkpointAfter(engine, task, 'b');
    const before = await checkpointsOf(engine, task);
    const events: EngineEvent[] = [];
    engine.on('*', (event) => events.push(event));

    const preview = await engine.previewRollback(target);
    const dry = await engine.rollback(target, { dry_run: true });
    expect(preview).toEqual({
      task,
      checkpoint: target,
      checkpoints: before.slice(before.indexOf(target) + 1),
      steps: [
        { id: '/c#1', name: 'c', status: 'success' },
        { id: '/d#1', name: 'd', status: 'success' },
      ],
      entries: { message: 2, set: 3, step: 2, wait: 1, status: 3 },
      files: null,
      plan: null,
      expect: (await engine.storage.position(task)).seq,
      conversation: null,
    });
    const notes = { left: [], displaced: [], review: [] };
    expect(dry).toEqual({ ...preview, done: false, notes });
    expect(await stepsOf(engine, task)).toEqual(['a', 'b', 'c', 'd']);
    expect(events).toEqual([]);

    expect(await engine.rollback(target)).toEqual({ ...preview, done: true, notes });
    expect(events.map(({ type }) => type)).toEqual(['rollback', 'task.status', 'task.status']);
    expect(await checkpointsOf(engine, task)).toEqual(before.slice(0, before.indexOf(target) + 1));
    expect(await stepsOf(engine, task)).toEqual(['a', 'b']);
    engine = await reopened(engine, store, log);
    expect(await engine.state(task)).toMatchObject({
      status: 'paused',
      data: { pause_reason: `rolled back to ${target}`, snapshot: { iteration_count: 2 } },
    });
    log.length = 0;
    expect(await finish(engine, task)).toBe('abcd!');
    expect(log).toEqual(['c', 'd']);
    expect(await stepsOf(engine, task)).toEqual(['a', 'b', 'c', 'd']);
    const messages = (await liveOf(engine, task)).filter(({ entry }) => entry.t === 'message');
    expect(messages.map(({ entry }) => (entry as { content: unknown }).content)).toEqual(
      ['a', 'b', 'c', 'd'].map((letter) => `next is ${letter}`),
    );
    // A number given out twice would let what was rolled back be mistaken for what is new.
    const made = (await checkpointsOf(engine, task)).slice(before.indexOf(target) + 1);
    expect(made.filter((id) => before.includes(id))).toEqual([]);
    expect(made.length).toBeGreaterThan(0);
  });

  test('redo puts everything back, one rollback after the other, as often as one likes', async () => {
    const store = await fresh();
    const log: string[] = [];
    let engine = await store.open();
    const task = await pausedAtQuestion(engine, letters(log), 'abcd');
    const whole = await outlineOf(engine, task);
    const [b, c] = [await checkpointAfter(engine, task, 'b'), await checkpointAfter(engine, task, 'c')];
    await engine.rollback(c);
    const atC = await outlineOf(engine, task);
    for (let round = 0; round < 3; round++) {
      await engine.rollback(b);
      expect(await stepsOf(engine, task)).toEqual(['a', 'b']);
      engine = await reopened(engine, store, log);
      expect(await engine.redo(task)).toMatchObject({ task, checkpoint: b, state: { status: 'paused' } });
      expect(await outlineOf(engine, task)).toEqual(atC);
    }
    expect(await engine.redo(task)).toMatchObject({ checkpoint: c });
    expect(await outlineOf(engine, task)).toEqual(whole);
    await expect(engine.redo(task)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' });
    log.length = 0;
    expect(await finish(engine, task)).toBe('abcd!');
    expect(log).toEqual([]);
  });

  test('once something new is recorded there is nothing to redo, and nothing changes', async () => {
    const engine = await (await fresh()).open();
    const task = await pausedAtQuestion(engine, letters([]), 'ab');
    await engine.rollback(await checkpointAfter(engine, task, 'a'));
    const { outcome } = await engine.resume(task);
    await untilStatus(engine, task, 'waiting');
    await engine.pause(task);
    await outcome;
    const before = await everythingIn(engine.storage);
    const why = 'something was recorded since (status)';
    await expect(engine.redo(task)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO', data: { task, why } });
    expect(await everythingIn(engine.storage)).toEqual(before);
  });

  test('what clean-up has taken cannot be redone; the task goes on', async () => {
    const engine = await (await fresh()).open();
    const task = await pausedAtQuestion(engine, letters([]), 'abc');
    await engine.rollback(await checkpointAfter(engine, task, 'a'));
    const { from, to, key } = (await loadHead(engine.storage, task))!.undone[0]!;
    const data = await engine.storage.load('tasks', key);
    await engine.storage.commit({ task, records: [{ category: 'tasks', key, remove: true }] });
    const redo = () => engine.redo(task);
    await expect(redo()).rejects.toMatchObject({
      data: { why: 'clean-up has removed what was rolled back' },
    });
    await engine.storage.commit({ task, records: [{ category: 'tasks', key, data }], cut: { from, to } });
    await expect(redo()).rejects.toMatchObject({
      code: 'NOTHING_TO_REDO',
      data: { why: 'clean-up has removed entries that were rolled back' },
    });
    expect(await finish(engine, task)).toBe('abc!');
  });

  test('the saved history and conversation follow', async () => {
    const engine = await (await fresh()).open();
    const task = await pausedAtQuestion(engine, letters([]), 'abc');
    const saved = async (): Promise<unknown> => {
      const history = await engine.storage.load('history', task);
      const conversation = await engine.storage.load('conversation', `conv-auto-save-${task}`);
      const { steps } = (history ?? { steps: [] }) as { steps: { name: string }[] };
      const { messages } = (conversation ?? { messages: [] }) as { messages: unknown[] };
      return [steps.map(({ name }) => name).join(''), messages.length];
    };
    await expect.poll(saved).toEqual(['abc', 3]);
    await engine.rollback(await checkpointAfter(engine, task, 'a'));
    await expect.poll(saved).toEqual(['a', 1]);
    await engine.redo(task);
    await expect.poll(saved).toEqual(['abc', 3]);
  });

  test('a task that runs is refused, here and from elsewhere; nothing changes', async () => {
    const store = await fresh();
    const [engine, other] = [await store.open(), await store.open()];
    const handle = await engine.start(letters([]), 'ab');
    await untilStatus(engine, handle.id, 'waiting');
    const target = await checkpointAfter(engine, handle.id, 'a');
    await expect(engine.rollback(target)).rejects.toMatchObject({ code: 'TASK_OWNED' });
    await expect(other.rollback(target)).rejects.toMatchObject({ code: 'TASK_OWNED' });
    expect(await other.previewRollback(target)).toMatchObject({ steps: [{ name: 'b' }] });
    await engine.answer(handle.id, '!');
    expect(await handle.result).toBe('ab!');
  });

  test('a task that is over is refused with advice to fork it', async () => {
    const engine = await (await fresh()).open();
    const done = await pausedAtQuestion(engine, letters([]), 'ab');
    const called = await pausedAtQuestion(engine, letters([]), 'ab');
    await finish(engine, done);
    await engine.cancel(called);
    for (const task of [done, called]) {
      const target = await checkpointAfter(engine, task, 'a');
      const before = await everythingIn(engine.storage);
      const refusal = { code: 'NOT_RESUMABLE', hint: expect.stringContaining('Fork it') };
      await expect(engine.rollback(target)).rejects.toMatchObject(refusal);
      await expect(engine.previewRollback(target)).rejects.toMatchObject(refusal);
      expect(await everythingIn(engine.storage)).toEqual(before);
    }
  });
});

describe('what a task comes back from', () => {
  onEachStore(
    (fresh) => {
      test('a failed task: what failed is run again', async () => {
        const engine = await (await fresh()).open();
        let broken = true;
        const ran: string[] = [];
        const flaky = defineTask('flaky', async (task) => {
          for (const name of ['a', 'b', 'c']) {
            await task.step(name, () => {
              ran.push(name);
              if (name === 'b' && broken) throw new Error('broken');
            });
          }
          return ran.length;
        });
        const { id, outcome } = await engine.start(flaky, undefined);
        expect(await outcome).toMatchObject({ status: 'failed' });
        const whole = await outlineOf(engine, id);
        for (const target of (await checkpointsOf(engine, id)).toReversed()) {
          await engine.rollback(target);
          expect((await engine.state(id))?.status).toBe('paused');
          await engine.redo(id);
          expect(await outlineOf(engine, id)).toEqual(whole);
        }
        // The newest checkpoint is one of the failed task: from there, too, the step is run, not its failure told again.
        await engine.rollback((await checkpointsOf(engine, id)).at(-1)!);
        broken = false;
        ran.length = 0;
        await (await engine.resume(id)).result;
        expect(ran).toEqual(['b', 'c']);
      });

      test('a task whose runner died: its state is put back by redo as it was', async () => {
        const store = await fresh();
        const engine = await store.open();
        const { id } = await engine.start(letters([]), 'abc');
        await untilStatus(engine, id, 'waiting');
        await engine.close();
        const next = await store.open({ tasks: [letters([])] });
        await next.rollback(await checkpointAfter(next, id, 'a'));
        const moves = (await liveOf(next, id)).flatMap(({ entry }) =>
          entry.t === 'status' ? [entry.to] : [],
        );
        expect(moves).toEqual(['queued', 'in_progress', 'in_progress', 'paused']);
        await next.redo(id);
        expect((await next.state(id))?.status).toBe('waiting');
        expect(await finish(next, id)).toBe('abc!');
      });
    },
    ['sqlite'],
  );
});

describe('operations that were in progress at the checkpoint', () => {
  onEachStore(
    (fresh) => {
      test('one whose end is among what was taken out runs as if for the first time; one that was cut off does not', async () => {
        const store = await fresh();
        const told: [string, boolean][] = [];
        let reached = Promise.withResolvers<void>();
        const operate = defineTask('operate', async (task) => {
          const options = { dangerous: 'shell_command' } as const;
          await task.step('first', ({ unknown }) => void told.push(['first', unknown !== null]), options);
          await task.step(
            'second',
            ({ unknown }) => {
              told.push(['second', unknown !== null]);
              reached.resolve();
              return new Promise(() => {});
            },
            options,
          );
        });
        const untilCutOff = async (
          run: (engine: Engine) => Promise<unknown>,
        ): Promise<[string, boolean][]> => {
          told.length = 0;
          reached = Promise.withResolvers();
          const engine = await store.open({ tasks: [operate] });
          await run(engine);
          await reached.promise;
          await engine.close();
          return [...told];
        };
        let id = '';
        await untilCutOff(async (engine) => {
          id = (await engine.start(operate, undefined)).id;
        });
        const cutOff = await untilCutOff(async (engine) => {
          await engine.rollback((await checkpointsBefore(engine, id))[1]!);
          await engine.resume(id);
        });
        expect(cutOff).toEqual([['second', true]]);
        const ended = await untilCutOff(async (engine) => {
          await engine.rollback((await checkpointsBefore(engine, id))[0]!);
          await engine.resume(id);
        });
        expect(ended).toEqual([
          ['first', false],
          ['second', false],
        ]);
      });
    },
    ['sqlite'],
  );
});

describe('files', () => {
  /** It edits a file after `a`, and waits after `b`. */
  const edits = defineTask('edits', async (task) => {
    await task.step('a', () => 'a');
    await task.files.edit('a.txt', adding('mine'));
    await task.step('b', () => 'b');
    await task.waitFor('user_input');
  });
  async function paused(store: Store) {
    const ground = groundIn(store.dir, { 'a.txt': 'one\n' });
    const engine = await store.open({ workspace: true, automatic_cleanup: false, tasks: [edits] });
    const { id, outcome } = await engine.start(edits, undefined);
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    return { engine, task: id, target: await checkpointAfter(engine, id, 'a'), ...ground };
  }

  onEachStore(
    (fresh) => {
      test('go back with the state, and come back with it', async () => {
        const { engine, task, target, read } = await paused(await fresh());
        expect(await engine.previewRollback(target)).toMatchObject({ files: ['a.txt'] });
        expect(read('a.txt')).toBe('one\nmine\n');
        expect(await engine.rollback(target)).toMatchObject({ files: ['a.txt'] });
        expect(read('a.txt')).toBe('one\n');
        await engine.redo(task);
        expect(read('a.txt')).toBe('one\nmine\n');
      });

      test('only the state, only the files', async () => {
        const { engine, task, target, read } = await paused(await fresh());
        const whole = await outlineOf(engine, task);
        const steps = await stepsOf(engine, task);
        expect(await engine.rollback(target, { only: 'files' })).toMatchObject({
          files: ['a.txt'],
          steps: [],
          checkpoints: [],
        });
        expect(read('a.txt')).toBe('one\n');
        expect(await stepsOf(engine, task)).toEqual(steps);
        expect(await engine.redo(task)).toMatchObject({ checkpoint: target });
        expect(await outlineOf(engine, task)).toEqual(whole);
        expect(read('a.txt')).toBe('one\nmine\n');
        expect(await engine.rollback(target, { only: 'state' })).toMatchObject({ files: null });
        expect(await stepsOf(engine, task)).toEqual(['a']);
        expect(read('a.txt')).toBe('one\nmine\n');
      });

      test('that cannot be put back leave the task as it was', async () => {
        const { engine, task, target, read, write } = await paused(await fresh());
        const whole = await outlineOf(engine, task);
        write('a.txt', 'one\ntheirs\n');
        await expect(engine.rollback(target)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
        expect(await outlineOf(engine, task)).toEqual(whole);
        expect(read('a.txt')).toBe('one\ntheirs\n');
      });

      test('of which nothing is known cannot be asked for alone', async () => {
        const engine = await (await fresh()).open();
        const task = await pausedAtQuestion(engine, letters([]), 'ab');
        const target = await checkpointAfter(engine, task, 'a');
        await expect(engine.rollback(target, { only: 'files' })).rejects.toMatchObject({ code: 'USAGE' });
      });
    },
    ['json'],
  );
});
