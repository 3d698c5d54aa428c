/** Files between any two points; two tries side by side. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
const START = `${LINES.join('\n')}\n`;

test('the changes between two checkpoints, and whose they are; next to each other, and by keyboard', async () => {
  const edits = defineTask('edits', async (task) => {
    await task.files.edit('a.txt', (text) => text.replace('line 2\n', 'first\n'));
    await task.shell("sed -i 's/^line 38$/second/' a.txt");
    await task.files.write('b.txt', 'b\n');
    return task.waitFor('user_input', { prompt: 'Enough?' });
  });
  let id = '';
  const { page, engine, go, complaints } = await open({
    tasks: [edits],
    workspace: true,
    arrange: async (one, dir) => {
      writeFileSync(join(dir, 'a.txt'), START);
      ({ id } = await one.start(edits, undefined));
      await untilStatus(one, id, 'waiting');
    },
  });
  await go(`#/task/${id}/files`);
  const list = page.getByRole('listbox', { name: 'Changed files' });
  await list.getByText('b.txt').waitFor();
  await page.locator('.diff').first().getByText('first').waitFor();
  expect(await page.locator('.diff').count()).toBe(2);
  await page.locator('.diff').nth(1).getByText('command').waitFor();

  // Between the first edit and the file after the shell command.
  const from = page.getByRole('combobox', { name: 'From', exact: true });
  const to = page.getByRole('combobox', { name: 'To', exact: true });
  const before = await engine.checkpoints.listCheckpoints(id);
  const shell = before.find(({ trigger }) => trigger === 'before_shell_command')!.id;
  const write = before.filter(({ trigger }) => trigger === 'before_file_change').at(-1)!.id;
  await from.selectOption(shell);
  await to.selectOption(write);
  await expect.poll(() => page.locator('.diff').count()).toBe(1);
  await page.locator('.diff').getByText('second').waitFor();
  expect(await page.locator('.diff').getByText('first').count()).toBe(0);
  expect(await list.getByText('b.txt').count()).toBe(0);

  await from.selectOption('start');
  await to.selectOption('now');
  await list.getByText('b.txt').waitFor();
  await list.focus();
  await page.keyboard.press('j');
  await page.getByRole('region', { name: 'b.txt' }).waitFor();
  await page.keyboard.press('k');
  await page.getByRole('region', { name: 'a.txt' }).waitFor();
  await page.getByRole('button', { name: 'Side by side' }).press('Enter');
  await page.locator('.diff.split').first().waitFor();

  // From a change to the step that made it.
  await page
    .locator('.diff')
    .nth(1)
    .getByRole('link', { name: /step \d+ shell$/ })
    .press('Enter');
  await page.getByRole('option', { selected: true }).getByText('shell').waitFor();
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Steps');
  expect(complaints).toEqual([]);
});

test('two tries side by side: what each did, and what only one did', async () => {
  const tries = defineTask('try', async (task) => {
    const way = await task.waitFor<string>('user_input', { prompt: 'Which way?' });
    await task.files.write('same.txt', 'both\n');
    await task.files.write(`only-${way}.txt`, `${way}\n`);
    await task.files.edit('a.txt', (text) => text.replace('line 5\n', `${way}\n`));
    return way;
  });
  let id = '';
  let fork = '';
  const { page, engine, dir, go, complaints } = await open({
    tasks: [tries],
    workspace: true,
    arrange: async (one, at) => {
      writeFileSync(join(at, 'a.txt'), START);
      const handle = await one.start(tries, undefined);
      ({ id } = handle);
      await untilStatus(one, id, 'waiting');
      await one.pause(id);
      await handle.outcome;
    },
  });
  const last = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
  ({ id: fork } = await engine.fork(last, { working_dir: join(dir, '..', 'other-try') }));
  for (const [task, way] of [
    [id, 'left'],
    [fork, 'right'],
  ] as const) {
    const run = await engine.resume(task);
    await engine.answer(task, way);
    expect(await run.result).toBe(way);
  }
  await go(`#/task/${id}/about`);
  await page.getByRole('link', { name: 'Compare' }).press('Enter');
  await page.getByRole('heading', { name: '1 file differs' }).waitFor();
  await page.getByText('only-left.txt').waitFor();
  await page.getByText('only-right.txt').waitFor();
  await page.getByText('same.txt').waitFor();
  await page.getByRole('button', { name: /a\.txt/ }).press('Enter');
  await page.locator('.diff').getByText('left').first().waitFor();
  await page.locator('.diff').getByText('right').first().waitFor();
  expect(complaints).toEqual([]);
});
