/** Checkpoints as marks in the journal: what is listed, what can be gone back to, what is stored besides. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { EventOf } from '../../src/engine/api/events.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { triggerOf } from '../../src/engine/history/marks.ts';
import { letters, liveOf, untilStatus } from './letters.ts';
import { onEveryStore } from './stores.ts';

const STEPS = 40;

/** Counts up in a variable, then waits. */
const counts = defineTask('counts', async (task: TaskContext) => {
  let sum = 0;
  for (let n = 1; n <= STEPS; n++) {
    sum = await task.step(`step ${n}`, () => n);
    await task.set('n', sum);
  }
  await task.waitFor('user_input');
  return sum;
});

async function counted(engine: Engine): Promise<{ id: string; made: EventOf<'checkpoint'>[] }> {
  const made: EventOf<'checkpoint'>[] = [];
  engine.on('checkpoint', (event) => made.push(event));
  const { id, outcome } = await engine.start(counts, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  return { id, made };
}

onEveryStore((fresh) => {
  test('an automatic one is part of its entry, and nothing else is stored', async () => {
    const engine = await (await fresh()).open();
    const { id, made } = await counted(engine);
    const entries = (await liveOf(engine, id)).flatMap(({ entry }) => (entry.mark ? entry : []));
    const marks = entries.map((entry) => [entry.mark!.n, triggerOf(entry, entry.mark!)]);
    expect(marks).toEqual(made.map((one) => [one.sequence_number, one.trigger]));
    const keys = (await engine.storage.list('tasks')).filter((key) => key.startsWith(`${id}/checkpoints/`));
    const stored = await Promise.all(keys.map((key) => engine.storage.load('tasks', key)));
    expect(stored.map((record) => (record as { trigger: string }).trigger)).toEqual([
      'start',
      'wait',
      'pause',
    ]);
  });

  test('all of them can be loaded and listed; the list that is shown has no more than its limit', async () => {
    const engine = await (await fresh()).open();
    const { id, made } = await counted(engine);
    const numbers = (all: readonly { sequence_number: number }[]) => all.map((one) => one.sequence_number);
    const every = numbers(await engine.checkpoints.listCheckpoints(id, { all: true }));
    expect(every.toSorted((a, b) => a - b)).toEqual(numbers(made));
    const listed = numbers(await engine.checkpoints.listCheckpoints(id)).toSorted((a, b) => a - b);
    expect([listed.length <= 20, listed[0], listed.at(-1)]).toEqual([true, 1, made.length]);
    for (const { id: checkpoint, sequence_number } of made.filter((_, at) => at % 7 === 0)) {
      const loaded = await engine.checkpoints.loadCheckpoint(checkpoint, { context: 'none' });
      expect(loaded!.sequence_number).toBe(sequence_number);
      expect((await engine.checkpoints.validateCheckpoint(checkpoint))!.integrity.checksumMatch).toBe(true);
    }
  });

  test('one that is not listed is gone back to, redone and forked like any other', async () => {
    const engine = await (await fresh()).open();
    const { id, made } = await counted(engine);
    const listed = (await engine.checkpoints.listCheckpoints(id)).map((one) => one.id);
    const after = made.filter(({ trigger }) => trigger === 'after_step');
    const target = after.find((one) => !listed.includes(one.id) && one.sequence_number > 10)!;
    const step = Number((await engine.checkpoints.loadCheckpoint(target.id))!.step_name!.split(' ')[1]);
    await engine.rollback(target.id);
    const steps = (await engine.history(id)).steps;
    expect(steps.length).toBe(step);
    expect((await engine.checkpoints.listCheckpoints(id)).at(-1)!.id).toBe(target.id);
    await engine.redo(id);
    expect((await engine.checkpoints.listCheckpoints(id)).map((one) => one.id)).toEqual(listed);
    const fork = await engine.fork(target.id);
    expect((await engine.history(fork.id)).steps.length).toBe(step);
  });

  test('what clean-up removes is neither listed nor loaded, and its number is not given out again', async () => {
    const engine = await (await fresh()).open();
    const { id, made } = await counted(engine);
    const { removed } = await engine.clean({ policy: { newest_per_execution: 2 } });
    const left = await engine.checkpoints.listCheckpoints(id, { all: true });
    const last = made.length;
    expect(left.map((one) => one.sequence_number)).toContain(last);
    for (const { id: gone } of removed) expect(await engine.checkpoints.loadCheckpoint(gone)).toBeNull();
    await expect(engine.rollback(removed[0]!.id)).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
    const { result } = await engine.resume(id);
    await engine.answer(id, '!');
    await result;
    const numbers = (await engine.checkpoints.listCheckpoints(id)).map((one) => one.sequence_number);
    expect(Math.max(...numbers)).toBeGreaterThan(last);
    expect(numbers.filter((n) => removed.some(({ sequence }) => sequence === n))).toEqual([]);
  });

  test('what a checkpoint says is what the task was like there', async () => {
    const engine = await (await fresh()).open();
    const seen: unknown[] = [];
    const { id, outcome } = await engine.start(letters([]), 'abc');
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    for (const one of await engine.checkpoints.listCheckpoints(id))
      seen.push([one.trigger, one.state.status, one.step_name, one.step_variables, one.context.messages]);
    expect(seen).toEqual([
      ['start', 'in_progress', null, {}, 0],
      ['after_user_input', 'in_progress', null, {}, 1],
      ['after_step', 'in_progress', 'a', {}, 1],
      ['after_user_input', 'in_progress', 'a', { done: 'a' }, 2],
      ['after_step', 'in_progress', 'b', { done: 'a' }, 2],
      ['after_user_input', 'in_progress', 'b', { done: 'ab' }, 3],
      ['after_step', 'in_progress', 'c', { done: 'ab' }, 3],
      ['wait', 'waiting', 'c', { done: 'abc' }, 3],
      ['pause', 'paused', 'c', { done: 'abc' }, 3],
    ]);
  });
});
