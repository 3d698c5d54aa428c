/** A resumed task is told the results of its steps as they were, whatever they are and however large. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { benches } from './setup.ts';

const bench = benches();

test.each([
  ['nothing', undefined],
  ['a small value', { a: [1, null, 'x'] }],
  ['a large text', 'x'.repeat(5000)],
  [
    'a large value that JSON has no words for',
    { text: 'ü'.repeat(3000), at: new Date(0), seen: new Map([['a', new Set([1])]]) },
  ],
])('%s', async (_, value) => {
  let ready = false;
  const task = defineTask('remembers', async (task) => {
    const told = await task.step('early', () => value);
    await task.step('later', () => {
      if (!ready) throw new Error('not yet');
    });
    return told;
  });
  const engine = await bench().open({ tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  expect((await outcome).status).toBe('failed');
  ready = true;
  expect(await (await engine.resume(id)).result).toEqual(value);
});
