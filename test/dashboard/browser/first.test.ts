/** That the page opens, is let in, and follows what happens. */
import { expect, test } from 'vitest';
import { letters, untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

test('shows the tasks, and a new one by itself', async () => {
  const definition = letters([]);
  const { page, engine, complaints } = await open({
    tasks: [definition],
    arrange: async (one) => {
      const { id } = await one.start(definition, 'ab');
      await untilStatus(one, id, 'waiting');
    },
  });
  await expect.poll(() => page.locator('[data-task]').count()).toBe(1);
  const { id } = await engine.start(definition, 'c');
  await expect.poll(() => page.locator(`[data-task="${id}"]`).count()).toBe(1);
  expect(complaints).toEqual([]);
});
