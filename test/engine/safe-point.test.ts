/** Whether a task is still the run's: asked before anything begins, and proven by a commit at the end of an operation. */
import { expect, test, vi } from 'vitest';
import { createSafePoint } from '../../src/engine/run/safe-point.ts';

async function passes(waiting: Promise<void>): Promise<boolean> {
  return Promise.race([waiting.then(() => true), new Promise<boolean>((r) => setImmediate(r, false))]);
}

test('asks whenever something is to begin', async () => {
  const owned = vi.fn(() => true);
  const point = createSafePoint(owned, () => true);
  expect(await passes(point.enter())).toBe(true);
  expect(await passes(point.stay())).toBe(true);
  expect(owned).toHaveBeenCalledTimes(2);
  owned.mockReturnValue(false);
  expect(await passes(point.enter())).toBe(false);
  expect(await passes(point.stay())).toBe(false);
});

test('leaves it to what asks itself, but not whether the task is to stop', async () => {
  const owned = vi.fn(() => false);
  const point = createSafePoint(owned, () => false);
  expect(await passes(point.enter('asks itself'))).toBe(true);
  expect(owned).not.toHaveBeenCalled();
  void point.close();
  expect(await passes(point.enter('asks itself'))).toBe(false);
});

test('at the end of an operation a commit just made is proof, unless the task is known to be lost', async () => {
  const owned = vi.fn(() => false);
  let proven = true;
  const point = createSafePoint(owned, () => proven);
  expect(await passes(point.stay('at its end'))).toBe(true);
  expect(owned).not.toHaveBeenCalled();
  expect(await passes(point.stay())).toBe(false);
  proven = false;
  expect(await passes(point.stay('at its end'))).toBe(false);
  proven = true;
  point.lose();
  expect(await passes(point.stay('at its end'))).toBe(false);
});
