/** The state of a running task for those who look: not written with every commit, and never far behind. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/definition.ts';
import { benches } from './setup.ts';

const bench = benches();

test('steps that follow each other quickly show in the state, also when nothing is committed after them', async () => {
  const task = defineTask('quick, then slow', async (task) => {
    for (let i = 0; i < 5; i++) await task.step('quick', () => i);
    await task.step('slow', () => new Promise(() => {}));
  });
  const engine = await bench().open();
  const { id } = await engine.start(task, undefined);
  const shown = async () => {
    const state = await engine.state(id);
    return state?.status === 'in_progress' ? state.data.iteration_count : null;
  };
  await expect.poll(shown, { timeout: 10_000 }).toBe(5);
});

test('what follows quickly is committed without the state', async () => {
  const engine = await bench().open();
  const revisions = new Set<number>();
  const task = defineTask('quick', async (task) => {
    for (let i = 0; i < 20; i++) {
      await task.step('quick', () => i);
      revisions.add((await engine.storage.get('tasks', `${task.id}/state`))!.revision);
    }
  });
  await engine.run(task, undefined);
  expect(revisions.size).toBeLessThan(20);
});
