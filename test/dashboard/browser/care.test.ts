/** What a clean-up says it removes is what it removes; a rebase is shown before it is done. */
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { groundAt, pushed } from '../../drift/ground.ts';
import { untilStatus } from '../../engine/letters.ts';
import { tempDirs } from '../../support/temp.ts';
import { inBrowser } from './browser.ts';
import { audit } from './looks.ts';

const open = inBrowser();
const tempDir = tempDirs();

const steps = defineTask('many-checkpoints', async (task) => {
  for (const name of ['a', 'b', 'c', 'd']) {
    await task.step(name, () => name);
    await task.checkpoint();
  }
  return 'done';
});

interface Cleaned {
  readonly removed: readonly { readonly checkpoint: string; readonly task: string }[];
  readonly freed_bytes: number;
}

test('clean-up removes what its preview said, and nothing else', async () => {
  const { page, engine, go, call, complaints } = await open({
    tasks: [steps],
    arrange: async (one) => {
      for (let n = 0; n < 3; n++) await (await one.start(steps, undefined)).result;
    },
  });
  const all = async (): Promise<string[]> => {
    const found = await Promise.all(
      (await engine.tasks()).map(({ task_id }) => engine.checkpoints.listCheckpoints(task_id, { all: true })),
    );
    return found.flat().map(({ id }) => id);
  };
  const before = await all();
  const preview = await call<Cleaned>('clean', {}, { completed: true, 'dry-run': true });
  expect(preview.removed.length).toBeGreaterThan(2);
  expect(await all()).toEqual(before);
  await go('#/care');
  await page.getByRole('button', { name: 'Of completed tasks' }).click();
  await page.getByRole('button', { name: `Remove ${preview.removed.length} checkpoints` }).click();
  expect(await audit(page)).toEqual([]);
  const ran = page.waitForResponse(
    (answer) => answer.url().endsWith('/api/clean') && !answer.request().postData()!.includes('dry-run'),
  );
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove/ })
    .press('Enter');
  const done = ((await (await ran).json()) as { data: Cleaned }).data;
  expect(done.removed).toEqual(preview.removed);
  expect(done.freed_bytes).toBe(preview.freed_bytes);
  const gone = new Set(preview.removed.map(({ checkpoint }) => checkpoint));
  expect((await all()).toSorted()).toEqual(before.filter((id) => !gone.has(id)).toSorted());
  await page.getByText('Nothing to clean up.').waitFor();
  expect(complaints).toEqual([]);
});

test('drift is shown as a sentence, and a rebase moves what its question names', async () => {
  const ground = groundAt(tempDir());
  const { work } = ground;
  const editing = defineTask('editing', async (task) => {
    await task.files.write('mine.txt', 'mine\n');
    return task.waitFor('user_input', { prompt: 'Enough?' });
  });
  let id = '';
  const { page, go, complaints } = await open({
    dir: work.dir,
    tasks: [editing],
    workspace: true,
    arrange: async (engine) => {
      const handle = await engine.start(editing, undefined);
      ({ id } = handle);
      await untilStatus(engine, id, 'waiting');
      await engine.pause(id);
      await handle.outcome;
      work.commit('own work', {});
      pushed(ground, 'theirs', { 'b.txt': 'b\n' });
    },
  });
  await go(`#/task/${id}/drift`);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('1 commit behind origin/main.').waitFor();
  await page.getByRole('button', { name: /^Rebase/ }).press('Enter');
  const question = page.getByRole('dialog');
  await question.getByText('own work').waitFor();
  expect(await audit(page)).toEqual([]);
  await question.getByText('No tests run after this rebase').waitFor();
  await question.getByRole('button', { name: 'Rebase without tests' }).press('Enter');
  await page.getByText('Rebased onto origin/main.').waitFor();
  expect(work.read('b.txt')).toBe('b\n');
  expect([work.read('mine.txt'), work.git('log', '-1', '--format=%s')]).toEqual(['mine\n', 'own work']);
  await page.getByText('Nothing new upstream.').waitFor();
  expect(complaints).toEqual([]);
});
