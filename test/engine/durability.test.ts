/** What is on the disk after `kill -9`, by the durability the task was given. */
import { describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { TaskHistory } from '../../src/engine/history/history.ts';
import { appended } from '../support/appended.ts';
import { scripts } from './scripts.ts';
import { type Bench, benches, reach } from './setup.ts';

const bench = benches();
type Durability = 'sync' | 'async' | 'exit';

/** Runs `counts` in a process of its own and kills it once it has counted to ten. */
async function killed(durability: Durability): Promise<{ at: Bench; history: TaskHistory; begun: number }> {
  const at = bench();
  const config = { checkpoints: { durability } };
  const child = at.child({ script: 'counts', start: { to: 10_000 }, id: 'counts-1', config });
  await expect.poll(() => at.notes().length, { interval: 5 }).toBeGreaterThanOrEqual(10);
  child.kill('SIGKILL');
  await child.ended;
  const engine = await at.open();
  const history = await engine.history('counts-1');
  await engine.close();
  return { at, history, begun: at.notes().length };
}

test('sync: every step but the one in progress is there', async () => {
  const { history, begun } = await killed('sync');
  expect(begun - history.steps.length).toBeLessThanOrEqual(1);
});

test('async: what is there is a gapless beginning, and the task goes on from it', async () => {
  const { at, history } = await killed('async');
  expect(history.steps.map(({ id }) => id)).toEqual(history.steps.map((_, n) => `/count#${n + 1}`));
  await finishes(at, history.steps.length);
});

test('exit: nothing of the run is there, and the task goes on from its beginning', async () => {
  const { at, history } = await killed('exit');
  expect(history.steps).toEqual([]);
  await finishes(at, 0);
});

/** Goes on with five more steps than were kept. */
async function finishes(at: Bench, kept: number): Promise<void> {
  const ran: string[] = [];
  const { counts } = scripts((line) => void ran.push(line));
  const engine = await at.open({ tasks: [counts!] });
  const { outcome } = await engine.resume('counts-1');
  await expect.poll(() => ran.length).toBeGreaterThanOrEqual(5);
  await engine.pause('counts-1');
  await outcome;
  expect(ran.slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((n) => String(kept + n)));
}

test('exit: a long run is saved in commits of a size that can be read', async () => {
  const engine = await bench().open({ config: { checkpoints: { durability: 'exit' } } });
  const sizes: number[] = [];
  const commit = engine.storage.commit.bind(engine.storage);
  engine.storage.commit = (made) => {
    sizes.push(appended(made).length);
    return commit(made);
  };
  const long = defineTask('long', async (task) => {
    for (let n = 0; n < 1200; n++) await task.step('step', () => n);
  });
  const { id, result } = await engine.start(long, undefined);
  await result;
  expect(Math.max(...sizes)).toBe(500);
  expect((await engine.history(id)).steps).toHaveLength(1200);
});

describe.each(['sync', 'async', 'exit'] as const)('%s', (durability) => {
  const config = { checkpoints: { durability } };

  test('saves at a pause, at a wait and at the end', async () => {
    const at = bench();
    const ran: string[] = [];
    const task = defineTask('saved', async (task) => {
      await task.step('one', () => void ran.push('one'));
      await task.waitFor('user_input');
      await task.step('two', () => void ran.push('two'));
      await task.sleep(60_000);
    });
    const first = await at.open({ tasks: [task], config });
    const { id } = await first.start(task, undefined);
    await reach(first, id, 'waiting');
    await first.close();

    const second = await at.open({ tasks: [task], config });
    const { outcome } = await second.resume(id);
    await second.answer(id, 'go');
    await expect.poll(() => ran).toEqual(['one', 'two']);
    await second.pause(id);
    expect((await outcome).status).toBe('paused');
    await second.close();

    const third = await at.open({ tasks: [task], config });
    expect((await third.history(id)).steps.map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await third.state(id))?.status).toBe('paused');
  });

  test('saves where a checkpoint is asked for', async () => {
    const at = bench();
    const asked = Promise.withResolvers<void>();
    const task = defineTask('asked', async (task) => {
      await task.step('one', () => 1);
      await task.checkpoint();
      asked.resolve();
      await new Promise(() => {});
    });
    const first = await at.open({ config });
    const { id } = await first.start(task, undefined);
    await asked.promise;
    const second = await at.open();
    expect((await second.history(id)).steps).toHaveLength(1);
  });

  test('a failed write ends the run; nothing more is taken', async () => {
    const at = bench();
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const task = defineTask('lost', async (task) => {
      await task.step('one', () => 1);
      reached.resolve();
      await go.promise;
      await task.step('two', () => 2);
      await task.checkpoint();
    });
    const engine = await at.open({ config });
    const { outcome } = await engine.start(task, undefined);
    await reached.promise;
    await engine.storage.close();
    go.resolve();
    expect(await outcome).toMatchObject({ status: 'stopped', error: { code: 'STORE_CLOSED' } });
  });
});
