/** The list of tasks: what waits is answered in place, what happens appears by itself, and choices are kept. */
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { letters, untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();
const deploy = defineTask('deploy', async (task) => {
  await task.step('build', () => 'built');
  return task.waitFor<boolean>('human_approval', { prompt: 'Deploy to production?' });
});

test('a question is answered in place, by mouse and by keyboard, and the task goes on', async () => {
  const asks = letters([]);
  const { page, engine, complaints } = await open({ tasks: [deploy, asks] });
  const approval = await engine.start(deploy, undefined);
  const question = await engine.start(asks, 'ab');
  await untilStatus(engine, question.id, 'waiting');
  await page.getByText('2 tasks wait for you').waitFor();
  const card = page.locator(`[data-task="${approval.id}"]`);
  await card.getByText('Deploy to production?').waitFor();
  await card.getByRole('button', { name: 'Yes' }).click();
  expect(await approval.result).toBe(true);
  const typed = page.locator(`[data-task="${question.id}"] input`);
  await typed.fill('!');
  await typed.press('Enter');
  expect(await question.result).toBe('ab!');
  await page.getByText('Nothing waits for you').waitFor();
  await page.locator('.section.done').getByText('letters').waitFor();
  expect(complaints).toEqual([]);
});

test('what another process does appears by itself: a step, a question, the end', async () => {
  const release: (() => void)[] = [];
  const slow = defineTask('slow', async (task) => {
    for (const name of ['first', 'second'])
      await task.step(name, () => new Promise<void>((resolve) => void release.push(resolve)));
    return task.waitFor('user_input', { prompt: 'And now?' });
  });
  const { page, engine } = await open({ tasks: [slow] });
  await page.getByText('No tasks here yet').waitFor();
  const { id, result } = await engine.start(slow, undefined);
  await page.locator(`.section.running [data-task="${id}"]`).waitFor();
  await page.locator(`[data-task="${id}"] .name`).click();
  for (const name of ['first', 'second']) {
    await expect.poll(() => release.length).toBe(1);
    release.pop()!();
    await page.getByRole('listbox').getByRole('option').filter({ hasText: name }).waitFor();
  }
  await page.locator('.needs-card').getByText('And now?').waitFor();
  await page.locator('.needs-card input').fill('x');
  await page.getByRole('button', { name: 'Send' }).click();
  expect(await result).toBe('x');
  await page.locator('.task-status').getByText('Done', { exact: true }).waitFor();
});

test('what is told while the list is on its way is not lost', async () => {
  const { page, engine, tab } = await open({ tasks: [deploy] });
  await page.getByText('No tasks here yet').waitFor();
  const released = Promise.withResolvers<void>();
  let held = 0;
  await page.route('**/api/tasks', async (route) => {
    const response = await route.fetch();
    held += 1;
    await released.promise;
    await route.fulfill({ response });
  });
  await page.reload();
  await expect.poll(() => held).toBeGreaterThanOrEqual(2);
  const other = await tab();
  await other.getByText('No tasks here yet').waitFor();
  await engine.start(deploy, undefined);
  await other.getByText('Deploy to production?').waitFor();
  released.resolve();
  await page.getByText('Deploy to production?').waitFor();
});

test('of very many tasks it asks for those it shows, counts all, and finds any', async () => {
  const early = defineTask('early bird', async () => {});
  const queued = defineTask('queued', async () => {});
  const MANY = 230;
  let oldest = '';
  const { page, engine } = await open({
    storage: 'sqlite',
    tasks: [deploy, early, queued],
    arrange: async (engine) => {
      oldest = (await engine.start(deploy, undefined)).id;
      await untilStatus(engine, oldest, 'waiting');
      await engine.enqueue(early, undefined);
      for (let n = 1; n < MANY; n++) await engine.enqueue(queued, undefined);
    },
  });
  const asked: { status?: string[]; limit?: number; all?: boolean }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/tasks')) asked.push(request.postDataJSON().options);
  });
  await page.reload();
  const resting = page.locator('.section.not_running');
  await resting.getByRole('heading', { name: `Not running ${MANY}` }).waitFor();
  await page.locator(`.needs-card[data-task="${oldest}"]`).getByText('Deploy to production?').waitFor();
  await page.getByText('1 task waits for you').waitFor();
  expect(asked.length).toBeGreaterThan(0);
  for (const { limit, all } of asked) expect([limit, all]).toEqual([100, undefined]);

  await engine.enqueue(queued, undefined);
  await resting.getByRole('heading', { name: `Not running ${MANY + 1}` }).waitFor();
  for (const more of [MANY + 1 - 12, MANY + 1 - 62])
    await resting.getByRole('button', { name: `Show ${more} more` }).click();
  await expect.poll(() => resting.locator('article').count()).toBe(112);
  await page.reload();
  await resting.getByRole('heading', { name: `Not running ${MANY + 1}` }).waitFor();
  await page.getByRole('searchbox').fill('EARLY');
  await resting.getByText('early bird').waitFor();
  await expect.poll(() => resting.locator('article').count()).toBe(1);
  // What waits is not among what was found, and still waits.
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
});

test('language and appearance are kept, and the keyboard reaches everything', async () => {
  const { page, engine, tab } = await open({ tasks: [deploy] });
  const { id } = await engine.start(deploy, undefined);
  await page.locator(`[data-task="${id}"]`).waitFor();
  await page.getByLabel('Language').selectOption('zh-Hant');
  await page.getByText('有 1 個任務在等你').waitFor();
  await page.getByRole('button', { name: '外觀：跟隨系統' }).press('Enter');
  await page.getByRole('button', { name: '外觀：淺色' }).press('Enter');
  await page.reload();
  await page.getByText('有 1 個任務在等你').waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hant');
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  const other = await tab();
  await other.getByText('有 1 個任務在等你').waitFor();
  expect(other.url()).not.toContain('key');

  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('所有任務').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.getByText('沒有符合的任務').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain(id);
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.locator(`article[data-task="${id}"]`).waitFor();
});

test('without the key, and with the key of a server that is gone, it says what helps', async () => {
  const { page, server, serveAgain } = await open({ tasks: [deploy] });
  await page.getByText('No tasks here yet').waitFor();
  await server.close();
  await page.getByText('The dashboard’s server is gone').waitFor();
  const again = await serveAgain();
  await page.getByText('This page has no key').waitFor();
  await page.getByText('npx vibe-engine ui').waitFor();
  await page.goto(again.address);
  await page.getByText('No tasks here yet').waitFor();
});

test('read-only: everything is shown, nothing offers to change it', async () => {
  const { page, engine } = await open({ tasks: [deploy], read_only: true });
  await engine.start(deploy, undefined);
  await page.getByText('Deploy to production?').waitFor();
  await page.getByText('Read-only').waitFor();
  expect(await page.getByRole('button', { name: 'Yes' }).count()).toBe(0);
});
