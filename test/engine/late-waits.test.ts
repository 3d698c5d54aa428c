/** A wait whose time limit passed while nobody ran the task: resumed into the time-out, and asked again by a retry. */
import { expect, test } from 'vitest';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import { manualClock } from '../support/manual-clock.ts';
import { reach } from './setup.ts';
import { onEachStore, type Store } from './stores.ts';

const DAY = 86_400_000;

const deploys = defineTask('deploys', async (task) => {
  await task.step('build', () => 'built');
  return task.waitFor<string>('human_approval', { prompt: 'Deploy?', timeout_ms: DAY });
}) as TaskDefinition<undefined, unknown>;

/** Asked, left alone by its runner, and out of time since a day. */
async function left(store: Store, definition = deploys, waits = 1) {
  const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
  const open = () => store.open({ tasks: [definition], clock });
  const before = await open();
  const { id } = await before.start(definition, undefined);
  await reach(before, id, 'waiting');
  await expect.poll(async () => (await before.waits(id)).length).toBe(waits);
  await before.close();
  clock.advance(2 * DAY);
  return { id, clock, open, engine: await open() };
}

onEachStore((fresh) => {
  test('is resumed into the time-out, and asked again by a retry', async () => {
    const { id, engine, clock, open } = await left(await fresh());
    expect((await engine.tasks({ resumable: true })).map(({ task_id }) => task_id)).toEqual([id]);
    const { outcome } = await engine.resume(id);
    expect(await outcome).toMatchObject({ status: 'failed', error: { code: 'WAIT_TIMEOUT' } });
    expect((await engine.state(id))?.data).toMatchObject({ error_type: 'WAIT_TIMEOUT', recoverable: true });

    await engine.retry(id);
    await reach(engine, id, 'waiting');
    const timeout_at = new Date(clock.now().getTime() + DAY).toISOString();
    expect((await engine.state(id))?.data).toMatchObject({ timeout_at });
    await engine.close();
    const next = await open();
    expect(await next.waits(id)).toMatchObject([{ prompt: 'Deploy?', answered: false, timeout_at }]);
    expect(await next.tasks({ resumable: true })).toEqual([]);
    await next.answer(id, 'yes');
    expect(await (await next.resume(id)).result).toBe('yes');
  });
});

onEachStore(
  (fresh) => {
    test('is found by a worker', async () => {
      const store = await fresh();
      const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
      const open = () => store.open({ tasks: [deploys], clock });
      const before = await open();
      const id = await before.enqueue(deploys, undefined);
      void before.work();
      await reach(before, id, 'waiting');
      await before.close();
      clock.advance(2 * DAY);
      const engine = await open();
      await engine.work();
      expect(await engine.state(id)).toMatchObject({
        status: 'failed',
        data: { error_type: 'WAIT_TIMEOUT' },
      });
    });

    test('is not the only one that counts: the first of several to run out makes the task resumable', async () => {
      const both = defineTask('both', (task) =>
        Promise.all([
          task.waitFor('user_input', { prompt: 'Whenever?' }),
          task.agent('b', (agent) => agent.waitFor('user_input', { prompt: 'Soon?', timeout_ms: DAY })),
        ]),
      ) as TaskDefinition<undefined, unknown>;
      const { id, engine } = await left(await fresh(), both, 2);
      expect((await engine.tasks({ resumable: true })).map(({ task_id }) => task_id)).toEqual([id]);
      const { outcome } = await engine.resume(id);
      expect(await outcome).toMatchObject({ status: 'failed', error: { data: { wait: '/b/wait#1' } } });
      await engine.retry(id);
      await reach(engine, id, 'waiting');
      await expect.poll(async () => (await engine.waits(id)).length).toBe(2);
    });

    test('is asked again when the task made an error of its own of it', async () => {
      const strict = defineTask('strict', async (task) => {
        try {
          return await task.waitFor<string>('human_approval', { timeout_ms: DAY });
        } catch (cause) {
          throw new Error('nobody approved it', { cause });
        }
      }) as TaskDefinition<undefined, unknown>;
      const { id, engine } = await left(await fresh(), strict);
      await (await engine.resume(id)).outcome;
      const { result } = await engine.retry(id);
      await reach(engine, id, 'waiting');
      await engine.answer(id, 'yes');
      expect(await result).toBe('yes');
    });

    test('is not asked again once the task has done something without the answer', async () => {
      const done: string[] = [];
      let broken = true;
      const goesOn = defineTask('goes on', async (task) => {
        const answer = await task.waitFor<string>('user_input', { timeout_ms: DAY }).catch(() => 'default');
        await task.step('use', () => void done.push(answer));
        await task.step('send', () => (broken ? Promise.reject(new Error('503')) : 'sent'));
        return answer;
      }) as TaskDefinition<undefined, unknown>;
      const { id, engine } = await left(await fresh(), goesOn);
      expect(await (await engine.resume(id)).outcome).toMatchObject({ status: 'failed' });
      broken = false;
      expect(await (await engine.retry(id)).result).toBe('default');
      expect(done).toEqual(['default']);
    });
  },
  ['json'],
);
