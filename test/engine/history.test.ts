/** The history of an execution: what it says, and that it is read from the journal and nowhere else. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { TaskHistory } from '../../src/engine/history/history.ts';
import { unlessFull } from '../support/full.ts';
import { manualClock } from '../support/manual-clock.ts';
import { benches, reach } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

onEachStore((fresh) => {
  test('a many-step task that fails in the middle and recovers: all steps, checkpoints and recoveries', async () => {
    const store = await fresh();
    let broken = true;
    const many = defineTask('many', async (task) => {
      for (let n = 1; n <= 5; n++) {
        await task.step(`step ${n}`, () => {
          if (n === 3 && broken) throw new Error('the disk is full');
          return { n };
        });
      }
      return 'finished';
    });
    const engine = await store.open({ tasks: [many] });
    const { id, outcome } = await engine.start(many, undefined, { task_name: 'Many steps' });
    expect((await outcome).status).toBe('failed');
    const failed = await engine.history(id);
    expect(failed).toMatchObject({
      execution_id: id,
      task_name: 'Many steps',
      status: 'failed',
      task_status: 'failed',
      error: 'the disk is full',
      recovery_attempts: 0,
    });
    expect(failed.end_time).not.toBeNull();
    expect(failed.steps.map(({ name, status }) => [name, status])).toEqual([
      ['step 1', 'success'],
      ['step 2', 'success'],
      ['step 3', 'failed'],
    ]);
    broken = false;
    expect(await (await engine.resume(id)).result).toBe('finished');
    const history = await engine.history(id);
    expect(history).toMatchObject({ status: 'success', error: null, recovery_attempts: 1 });
    expect(history.start_time).toBe(failed.start_time);
    expect(history.steps.map(({ name, index, status, result }) => [name, index, status, result])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [`step ${n}`, n - 1, 'success', `{"n":${n}}`]),
    );
    expect(history.steps[2]!.attempts).toMatchObject([
      { attempt: 1, error: { name: 'Error', message: 'the disk is full' } },
      { attempt: 2, error: null },
    ]);
    expect(history.checkpoints.length).toBeGreaterThanOrEqual(7);
    expect(history.last_checkpoint).toBe(history.checkpoints.at(-1));
    expect(history.total_duration).toBe(Date.parse(history.end_time!) - Date.parse(history.start_time!));
    await engine.close();

    const later = await store.open();
    expect(await later.history(id)).toEqual(history);
    expect(await later.storage.load('history', id)).toEqual(history);
  });
});

describe('times', () => {
  test('are those of the clock: start, end, steps', async () => {
    const clock = manualClock(new Date('2026-05-01T10:00:00.000Z'));
    const engine = await bench().open({ clock });
    const timed = defineTask('timed', async (task) => {
      clock.advance(1000);
      await task.step('a', () => clock.advance(2000));
      clock.advance(3000);
    });
    const { id, result } = await engine.start(timed, undefined);
    await result;
    expect(await engine.history(id)).toMatchObject({
      start_time: '2026-05-01T10:00:00.000Z',
      end_time: '2026-05-01T10:00:06.000Z',
      total_duration: 6000,
      steps: [{ name: 'a', started_at: '2026-05-01T10:00:01.000Z' }],
    });
  });

  test('of a task that is queued, running, waiting, paused, cancelled', async () => {
    const clock = manualClock(new Date('2026-05-01T10:00:00.000Z'));
    const engine = await bench().open({ clock });
    const waits = defineTask('waits', (task) => task.waitFor('user_input'));
    const id = await engine.enqueue(waits, undefined);
    const shown = async (): Promise<Partial<TaskHistory>> => {
      const { start_time, end_time, status, task_status } = await engine.history(id);
      return { start_time, end_time, status, task_status };
    };
    expect(await shown()).toEqual({
      start_time: null,
      end_time: null,
      status: 'paused',
      task_status: 'queued',
    });
    clock.advance(5000);
    const start_time = '2026-05-01T10:00:05.000Z';
    const { outcome } = await engine.resume(id);
    await reach(engine, id, 'waiting');
    expect(await shown()).toEqual({ start_time, end_time: null, status: 'paused', task_status: 'waiting' });
    await engine.pause(id);
    await outcome;
    expect(await shown()).toEqual({ start_time, end_time: null, status: 'paused', task_status: 'paused' });
    clock.advance(5000);
    await engine.cancel(id, 'enough');
    expect(await shown()).toEqual({
      start_time,
      end_time: '2026-05-01T10:00:10.000Z',
      status: 'failed',
      task_status: 'cancelled',
    });
    expect((await engine.history(id)).error).toBe('enough');
  });
});

describe('a step', () => {
  test('in progress when the process died is pending, its outcome unknown', async () => {
    const at = bench();
    const begun = Promise.withResolvers<void>();
    const cut = defineTask('cut', (task) =>
      task.agent('ops', (ops) =>
        ops.step(
          'deploy/prod',
          () => {
            begun.resolve();
            return new Promise<never>(() => {});
          },
          { dangerous: 'external_api' },
        ),
      ),
    );
    const before = await at.open();
    const { id } = await before.start(cut, undefined);
    await begun.promise;
    await before.close();
    const engine = await at.open();
    expect((await engine.history(id)).steps).toMatchObject([
      {
        id: '/ops/deploy%2Fprod#1',
        name: 'deploy/prod',
        agent: '/ops',
        index: 0,
        status: 'pending',
        attempts: [],
      },
    ]);
  });

  test('is told in a line, however much it gave', async () => {
    const engine = await bench().open();
    const wordy = defineTask('wordy', async (task) => {
      await task.step('text', () => `first\n\n  second ${'x'.repeat(500)}`);
      await task.step('large', () => 'y'.repeat(50_000));
      await task.step('nothing', () => undefined);
      await task.step('reference', () => ({ $blob: 'blob://mine' }));
      await task
        .step('fails', () => {
          throw new Error('z'.repeat(5000));
        })
        .catch(() => {});
    });
    const { id, result } = await engine.start(wordy, undefined);
    await result;
    const [text, large, nothing, reference, fails] = (await engine.history(id)).steps;
    expect(text!.result).toMatch(/^first second x+\.\.\.$/);
    expect(text!.result).toHaveLength(80);
    expect(large!.result).toMatch(/^50002 bytes in blob:\/\/step_results\/[0-9a-f]{64}$/);
    expect(nothing!.result).toBeNull();
    expect(reference!.result).toBe('{"$blob":"blob://mine"}');
    expect(fails!.attempts[0]!.error!.message).toHaveLength(500);
  });
});

describe('the stored record', () => {
  test('is written when a run ends, after the end itself; without it nothing is lost', async () => {
    const at = bench();
    const engine = await at.open();
    const task = defineTask('stored', (task) => task.step('a', () => 1));
    const { id, result } = await engine.start(task, undefined);
    await result;
    await expect.poll(() => engine.storage.load('history', id)).toEqual(await engine.history(id));
    await engine.storage.delete('history', id);
    expect(await engine.history(id)).toMatchObject({ status: 'success' });
  });

  test('that cannot be written does not fail the task; someone is told', async () => {
    const at = bench();
    const told: string[] = [];
    const engine = await at.open({ notify: (lines) => told.push(...lines) });
    const { storage } = engine;
    const save = storage.save.bind(storage);
    storage.save = async (category, key, data) => {
      if (category === 'history') throw new Error('no room');
      return save(category, key, data);
    };
    const task = defineTask('unlucky', () => 'done');
    expect(await engine.run(task, undefined)).toBe('done');
    await expect.poll(() => told).toEqual([expect.stringContaining('no room')]);
  });
});

test('a task that is not there has no history', async () => {
  const engine = await bench().open();
  await expect(engine.history('nobody')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
});

const MANY = unlessFull(60, 300);

test('a journal of many large results is read without holding them', async () => {
  const engine = await bench().open({ config: { checkpoints: { blob_over_kb: 200, durability: 'async' } } });
  const large = defineTask('large', async (task) => {
    for (let n = 0; n < MANY; n++) await task.step('large', () => `${n}`.padEnd(100_000, 'x'));
  });
  const { id, result } = await engine.start(large, undefined);
  await result;
  const { steps } = await engine.history(id);
  expect(steps).toHaveLength(MANY);
  expect(JSON.stringify(steps).length).toBeLessThan(MANY * 700);
});
