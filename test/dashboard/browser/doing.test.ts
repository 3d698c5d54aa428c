/** What can be done with a task on its page, what is refused and why, and what it shows of steps, messages and files. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const edits = defineTask('edits', async (task) => {
  await task.files.write('a.txt', 'its\n');
  await task.step('look', () => ({ seen: 1 }));
  return 'ok';
});

test('the files of a task that is done are undone and brought back, each after its preview', async () => {
  const { page, dir } = await open({
    tasks: [edits],
    workspace: true,
    arrange: async (one, place) => {
      writeFileSync(join(place, 'a.txt'), 'mine\n');
      await (await one.start(edits, undefined)).result;
    },
  });
  const read = () => (existsSync(join(dir, 'a.txt')) ? readFileSync(join(dir, 'a.txt'), 'utf8') : null);
  await page.locator('.task-row .name').click();
  await page.locator('.task-head').getByRole('link', { name: 'Undo its files…' }).click();
  await page.locator('.confirm-bar').getByRole('button', { name: /Undo/ }).click();
  await expect.poll(read).toBe('mine\n');
  await page.locator('.task-head').getByRole('link', { name: 'Redo…' }).click();
  expect(read()).toBe('mine\n');
  await page
    .locator('.confirm-bar')
    .getByRole('button', { name: /back|Redo/i })
    .click();
  await expect.poll(read).toBe('its\n');
  await page.getByRole('button', { name: 'What can be done' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It has ended: fork it to continue differently.').first().waitFor();
  expect(await dialog.getByRole('button', { name: 'Cancel the task…' }).count()).toBe(0);
});

const fails = defineTask('fails', async (task) => {
  await task.message('user', 'Do it');
  await task.step('first', () => 'one');
  await task.decide({ what: 'Use the second way', why: 'it is shorter', alternatives: ['the first way'] });
  await task.tool('lint', { path: 'src' }, () => Promise.resolve('3 warnings'));
  return task.waitFor('user_input', { prompt: 'Enough?' });
});

test('messages, calls and decisions are told apart; what is rolled back elsewhere goes', async () => {
  const { page, engine, complaints } = await open({ tasks: [fails] });
  const { id } = await engine.start(fails, undefined);
  await untilStatus(engine, id, 'waiting');
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.getByRole('tab', { name: 'Conversation' }).click();
  const said = page.locator('.conversation');
  await said.getByText('Do it').waitFor();
  await said.locator('.by-decision').getByText('Because: it is shorter').waitFor();
  await said.locator('.by-tool code', { hasText: 'lint' }).first().waitFor();
  await said.getByText('3 warnings').waitFor();
  expect(await said.locator('.hidden-character').count()).toBe(0);
  await engine.pause(id);
  await untilStatus(engine, id, 'paused');
  const { checkpoints } = await (await import('../../../src/engine/reading/view.ts')).viewTask(
    { storage: engine.storage, config: engine.config, now: () => new Date() },
    id,
  );
  await engine.rollback(checkpoints[0]!.id);
  await expect.poll(() => said.getByText('3 warnings').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a step is shown as input, output and error; the page asks for no more than it shows', async () => {
  const failing = defineTask('failing', async (task) => {
    await task.files.write('a.txt', 'its\n');
    await task.step('breaks', () => {
      throw new Error('no way');
    });
  });
  const asked: string[] = [];
  const { page, engine, complaints } = await open({ tasks: [failing], workspace: true });
  page.on('request', (request) => {
    if (request.url().endsWith('/api/show')) asked.push(request.postData() ?? '');
  });
  const { id, outcome } = await engine.start(failing, undefined);
  await outcome;
  await page.locator(`.section.broken [data-task="${id}"] .name`).click();
  await page.getByRole('tab', { name: 'Files 1' }).waitFor();
  const rows = page.getByRole('listbox').getByRole('option');
  await rows.filter({ hasText: 'breaks' }).first().click();
  const detail = page.locator('.detail');
  await detail.getByRole('heading', { name: 'Error' }).waitFor();
  await detail.getByText('no way', { exact: true }).first().waitFor();
  await detail.getByRole('button', { name: 'Retry from here…' }).waitFor();
  await rows.filter({ hasText: 'a.txt' }).first().click();
  await detail.getByRole('heading', { name: '1 file changed' }).waitFor();
  await rows.first().click();
  await page.keyboard.press('d');
  await page.getByRole('listbox', { name: 'Changed files' }).getByText('a.txt').first().waitFor();
  await expect.poll(() => page.url()).toContain('/files?row=');
  expect(asked.length).toBeGreaterThan(0);
  for (const body of asked) expect(JSON.parse(body)).toMatchObject({ options: { brief: true } });
  expect(complaints).toEqual([]);
});

test('a task is cancelled after a question; an answer is taken as it is typed, once', async () => {
  const echo = defineTask('echo', (task) => task.waitFor<string>('user_input', { prompt: 'Which version?' }));
  const { page, engine, complaints } = await open({ tasks: [echo] });
  const first = await engine.start(echo, undefined);
  const typed = page.locator(`[data-task="${first.id}"] input`);
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/questions/answer')) sent += 1;
  });
  await typed.fill('1.10');
  await typed.press('Enter');
  await page.keyboard.press('Enter');
  expect(await first.result).toBe('1.10');
  expect(sent).toBe(1);
  const second = await engine.start(echo, undefined);
  const ended = second.outcome;
  await page.locator(`[data-task="${second.id}"] .name`).click();
  await page.getByRole('button', { name: 'What can be done' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task…' }).click();
  await page.getByRole('dialog').getByText('It ends for good').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
  await page.locator('.task-status').getByText('Cancelled').first().waitFor();
  expect((await ended).status).toBe('cancelled');
  expect((await engine.state(second.id))?.data).toMatchObject({
    cancel_reason: 'cancelled from the dashboard',
  });
  expect(complaints).toEqual([]);
});
