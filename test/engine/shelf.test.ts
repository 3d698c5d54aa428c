/** What is put on the shelf comes back equal, whatever its size. */
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { shelve, takeDown } from '../../src/engine/task/shelf.ts';
import { benches } from './setup.ts';

const bench = benches();

const LARGE = { text: 'ü'.repeat(3000), at: new Date(0), seen: new Map([['a', new Set([1])]]) };

test.each([
  ['nothing', undefined],
  ['a small value', { a: [1, null, 'x'] }],
  ['a large text', 'x'.repeat(5000)],
  ['a large value that JSON has no words for', LARGE],
])('%s', (_, value) => {
  expect(takeDown(shelve(value))).toEqual(value);
});

test('a large one is kept outside the heap', () => {
  expect(shelve('x'.repeat(5000))).toHaveProperty('encoded');
  expect(shelve('x')).toEqual({ value: 'x' });
});

test('a resumed task is told large results as they were', async () => {
  const at = bench();
  let ready = false;
  const task = defineTask('large', async (task) => {
    const large = await task.step('large', () => LARGE);
    await task.step('later', () => {
      if (!ready) throw new Error('not yet');
    });
    return large;
  });
  const engine = await at.open({ tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  expect((await outcome).status).toBe('failed');
  ready = true;
  expect(await (await engine.resume(id)).result).toEqual(LARGE);
});
