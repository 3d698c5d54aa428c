/** Where a task is on its thread, and which task it is: rewinds, forks, equal names. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const edits = defineTask('edits', async (task) => {
  for (const name of ['a', 'b', 'c']) await task.files.write(`${name}.txt`, `${name}\n`);
  return task.waitFor('user_input', { prompt: 'Enough?' });
});

test('a rewind is drawn on the thread: what goes is a loop, another ring is another rewind', async () => {
  let id = '';
  const { page, engine, go, complaints } = await open({
    tasks: [edits],
    workspace: true,
    arrange: async (one, dir) => {
      writeFileSync(join(dir, 'mine.txt'), 'mine\n');
      const handle = await one.start(edits, undefined);
      ({ id } = handle);
      await untilStatus(one, id, 'waiting');
      await one.pause(id);
      await handle.outcome;
    },
  });
  const all = await engine.checkpoints.listCheckpoints(id);
  const title = (at: number) =>
    page.getByRole('heading', { name: `Rewind to checkpoint ${all[at]!.sequence_number}` });
  await go(`#/task/${id}/rewind/${all[1]!.id}`);
  await title(1).waitFor();
  const goes = page.locator('.thread .mark.checkpoint.gone');
  await page.locator('.thread .loop').waitFor();
  /** Each has its ring, and those after the chosen one go. */
  const rings = (at: number) => expect.poll(() => goes.count()).toBe(all.length - 1 - at);
  await rings(1);
  await page.keyboard.press(']');
  await title(2).waitFor();
  await rings(2);
  await page.keyboard.press('[');
  await title(1).waitFor();
  await rings(1);
  // Two keys faster than anything is drawn: each starts from where the one before it went.
  await page.evaluate(`(async () => {
    for (const key of [']', ']']) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
    }
  })()`);
  await title(3).waitFor();
  await rings(3);
  await go(`#/task/${id}/rewind/${all[1]!.id}`);
  await title(1).waitFor();
  await rings(1);
  await goes.last().click();
  await title(1).waitFor({ state: 'detached' });
  await page.locator('.thread .loop').waitFor();
  // The files alone: nothing of the thread goes.
  await page.getByRole('button', { name: 'Files only' }).click();
  await expect.poll(() => page.locator('.thread .loop').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('tasks of one name are told apart on a phone', async () => {
  const same = defineTask('tidy-imports', (task) => task.step('tidy', () => 1));
  const ids: string[] = [];
  const { page } = await open({
    tasks: [same],
    context: { viewport: { width: 360, height: 800 } },
    arrange: async (engine) => {
      for (let n = 0; n < 2; n++) {
        const { id, result } = await engine.start(same, undefined);
        await result;
        ids.push(id);
      }
    },
  });
  for (const id of ids) await page.locator(`[data-task="${id}"] .id`).waitFor({ state: 'visible' });
  const shown = await page.locator('.done .id').allTextContents();
  expect(new Set(shown).size).toBe(2);
});
