/** Steps and agents inside a step: theirs is the attempt they were called in, so that nothing after it is mistaken. */
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { benches } from './setup.ts';

const bench = benches();

test('what comes after a step keeps its results when the step, which did the same inside, is only remembered', async () => {
  let broken = true;
  const twice = async (task: TaskContext, where: string) => [
    await task.step('look', () => `looked ${where}`),
    await task.tool('ls', where, () => `listed ${where}`),
    await task.agent('helper', (agent) => agent.step('help', () => `helped ${where}`)),
  ];
  const task = defineTask('nested', async (task) => {
    const inside = await task.step('outer', () => twice(task, 'inside'));
    const outside = await twice(task, 'outside');
    await task.step('end', () => {
      if (broken) throw new Error('not yet');
    });
    return [inside, outside];
  });
  const engine = await bench().open({ tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  expect((await outcome).status).toBe('failed');
  broken = false;
  expect(await (await engine.resume(id)).result).toEqual(
    ['inside', 'outside'].map((where) => [`looked ${where}`, `listed ${where}`, `helped ${where}`]),
  );
});

test('another attempt of a step runs the steps inside it again; one that was cut off remembers those that ended', async () => {
  const ran: string[] = [];
  let cutOff = true;
  const at = bench();
  const task = defineTask('nested', (task) =>
    task.step(
      'outer',
      async ({ attempt }) => {
        await task.step('first', () => void ran.push(`first ${attempt}`));
        await task.step('second', () => {
          if (attempt === 1) throw new Error('busy');
        });
        if (cutOff) await new Promise(() => {});
        return attempt;
      },
      { retry: { attempts: 2, first_delay_ms: 1 } },
    ),
  );
  const before = await at.open({ tasks: [task] });
  const { id } = await before.start(task, undefined);
  await expect.poll(() => ran).toEqual(['first 1', 'first 2']);
  await expect.poll(async () => (await before.history(id)).steps.at(-1)?.status).toBe('success');
  await before.close();
  cutOff = false;
  const engine = await at.open({ tasks: [task] });
  expect(await (await engine.resume(id)).result).toBe(2);
  expect(ran).toEqual(['first 1', 'first 2']);
});
