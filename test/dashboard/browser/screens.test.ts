/** Files, conflicts and comparisons in a browser: many lines, keys, what cannot be merged. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { configure } from '../../cli/world.ts';
import { untilStatus } from '../../engine/letters.ts';
import { tempDirs } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { inBrowser } from './browser.ts';
import { audit } from './looks.ts';

const open = inBrowser();
const tempDir = tempDirs();

const lines = (count: number, text: (line: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${text(at + 1)}\n`).join('');

test('10,000 lines and 1,000 files are few elements; n and p lead from change to change, in both layouts', async () => {
  const large = defineTask('large', async (task) => {
    await task.files.write(
      'a-many.txt',
      lines(10_000, (line) => (line % 50 ? `same ${line}` : `new ${line}`)),
    );
    await task.files.write(
      'b-few.txt',
      lines(60, (line) => (line % 30 ? `same ${line}` : `new ${line}`)),
    );
    await task.files.write('package-lock.json', '{ "name": "other" }\n');
    await task.shell('for i in $(seq 1 1000); do echo $i > z-$i.txt; done');
    return task.waitFor('user_input', { prompt: 'Well?' });
  });
  const { page, engine, complaints } = await open({
    tasks: [large],
    workspace: true,
    arrange: async (_, dir) => {
      writeFileSync(
        join(dir, 'a-many.txt'),
        lines(10_000, (line) => `same ${line}`),
      );
      writeFileSync(
        join(dir, 'b-few.txt'),
        lines(60, (line) => `same ${line}`),
      );
      writeFileSync(join(dir, 'package-lock.json'), '{ "name": "one" }\n');
    },
  });
  const { id } = await engine.start(large, undefined);
  await untilStatus(engine, id, 'waiting');
  await page.evaluate((to) => {
    location.hash = to;
  }, `#/task/${id}/files`);
  const list = page.getByRole('listbox', { name: 'Changed files' });
  await list.getByRole('option', { selected: true }).filter({ hasText: 'a-many.txt' }).waitFor();
  expect(await list.getByRole('option').first().getAttribute('aria-setsize')).toBe('1003');
  const diff = page.locator('.diff.long');
  await diff.getByText('new 50', { exact: true }).waitFor();
  expect(await page.locator('*').count()).toBeLessThan(900);
  const top = () => diff.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop);
  await page.keyboard.press('n');
  await expect.poll(top).toBeGreaterThan(0);
  const first = await top();
  await page.keyboard.press('n');
  await expect.poll(top).toBeGreaterThan(first);
  await page.keyboard.press('p');
  await expect.poll(top).toBe(first);
  await diff.press('End');
  await diff.getByText('new 10000', { exact: true }).waitFor();

  await page.keyboard.press('j');
  await list.getByRole('option', { selected: true }).filter({ hasText: 'b-few.txt' }).waitFor();
  for (const layout of ['Unified', 'Side by side']) {
    await page.getByRole('button', { name: layout }).click();
    await page.getByText('new 60', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: layout }).focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    await page.keyboard.press('n');
    await expect.poll(focused).toBe('Change at line 27');
    await page.keyboard.press('n');
    await expect.poll(focused).toBe('Change at line 57');
    await page.keyboard.press('p');
    await expect.poll(focused).toBe('Change at line 27');
  }
  await page.keyboard.press('j');
  await page.getByText('Folded: 2 lines').waitFor();
  await page.getByRole('button', { name: 'Show them' }).click();
  await page.getByText('{ "name": "other" }').first().waitFor();
  expect(complaints).toEqual([]);
});

test('a binary conflict is decided as a whole; a text is written by hand', async () => {
  const binary = defineTask('binary', async (task, { dir }: { dir: string }) => {
    await task.files.read('picture.bin');
    writeFileSync(join(dir, 'picture.bin'), 'theirs\0');
    return (await task.files.write('picture.bin', 'ours\0')).status;
  });
  const text = defineTask('text', async (task, { dir }: { dir: string }) => {
    await task.files.read('a.txt');
    writeFileSync(join(dir, 'a.txt'), 'theirs\n2\n3\n4\n5\ntheirs too\n');
    return (await task.files.write('a.txt', 'ours\n2\n3\n4\n5\nours too\n')).status;
  });
  const { page, engine, dir, complaints } = await open({
    tasks: [binary, text],
    workspace: true,
    questions: 'anywhere',
    arrange: async (_, at) => {
      writeFileSync(join(at, 'picture.bin'), 'base\0');
      writeFileSync(join(at, 'a.txt'), 'one\n2\n3\n4\n5\nsix\n');
    },
  });
  const first = await engine.start(binary, { dir });
  await page.locator(`[data-task="${first.id}"]`).getByRole('link', { name: 'Resolve' }).click();
  await page.getByText('This file is binary').waitFor();
  expect(await page.getByRole('button', { name: 'Use this result' }).count()).toBe(0);
  expect(await audit(page)).toEqual([]);
  await page.getByRole('button', { name: 'Take the task’s version' }).click();
  await until(async () => expect((await first.outcome).status).toBe('completed'));

  const second = await engine.start(text, { dir });
  await page.evaluate(() => {
    location.hash = '#/';
  });
  await page.locator(`[data-task="${second.id}"]`).getByRole('link', { name: 'Resolve' }).click();
  await page.getByRole('heading', { name: 'Place 1' }).waitFor();
  expect(await audit(page)).toEqual([]);
  await page.keyboard.press('1');
  await page.keyboard.press('n');
  await page.keyboard.press('3');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByRole('textbox', { name: 'Result' });
  expect(await field.inputValue()).toBe('ours\n2\n3\n4\n5\ntheirs too\n');
  await field.fill('by hand\n2\n3\n4\n5\ntheirs too\n');
  await page.getByRole('button', { name: 'Use this result' }).click();
  await until(async () => expect((await second.outcome).status).toBe('completed'));
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('by hand\n2\n3\n4\n5\ntheirs too\n');
  expect(complaints).toEqual([]);
});

test('a fork gets a name and a directory; both are compared from either, and one goes on', async () => {
  const tries = defineTask('try', async (task) => {
    const way = await task.waitFor<string>('user_input', { prompt: 'Which way?' });
    await task.files.edit('a.txt', () => `${way}\n`);
    await task.verified({ tests: way === 'left', lint: true });
    return task.waitFor('user_input', { prompt: 'Enough?' });
  });
  let id = '';
  const outer = tempDir();
  const dir = join(outer, 'shop');
  mkdirSync(dir);
  configure({ dir, config: { persistence: { storage_type: 'json' } } });
  const { page, engine, call, go } = await open({
    dir,
    tasks: [tries],
    workspace: true,
    arrange: async (one) => {
      writeFileSync(join(dir, 'a.txt'), 'start\n');
      const handle = await one.start(tries, undefined);
      ({ id } = handle);
      await untilStatus(one, id, 'waiting');
      await one.pause(id);
      await handle.outcome;
    },
  });
  const elsewhere = tempDir();
  const last = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
  for (const to of [elsewhere, '/etc/vibe', '../..', '..'])
    await expect(call('fork', { checkpoint: last }, { dir: to })).rejects.toMatchObject({ code: 'USAGE' });

  await go(`#/task/${id}`);
  await page.getByRole('listbox').getByRole('option').last().click();
  await page.keyboard.press('f');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('other way');
  await dialog.getByRole('radio', { name: /directory of its own/ }).check();
  expect(await dialog.getByRole('textbox', { name: /^Directory/ }).inputValue()).toBe('../shop-other-way');
  expect(await audit(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Fork' }).click();
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { name: 'other way', level: 1 }).waitFor();
  expect(existsSync(join(outer, 'shop-other-way', 'a.txt'))).toBe(true);
  const fork = (await engine.tasks()).find(({ task_name }) => task_name === 'other way')!.task_id;
  for (const [task, way] of [
    [id, 'left'],
    [fork, 'right'],
  ] as const) {
    const run = await engine.resume(task);
    await engine.answer(task, way);
    await until(async () => expect((await engine.waits(task))[0]?.prompt).toBe('Enough?'));
    await engine.pause(task);
    await run.outcome;
  }

  await go(`#/task/${fork}/about`);
  await page.getByRole('link', { name: 'Compare' }).click();
  const side = (letter: string) => page.getByRole('article', { name: letter, exact: true });
  await side('A').getByText('2 of 2 checks passed').waitFor();
  await side('B').getByText('1 of 2 checks passed').waitFor();
  await page.getByRole('button', { name: 'Go on with B' }).click();
  await dialog.getByRole('radio', { name: /^Cancel it/ }).check();
  await dialog.getByRole('button', { name: 'Go on with B' }).click();
  await until(async () => expect((await engine.state(id))!.status).toBe('cancelled'));
  await page.locator(`main[data-task="${fork}"]`).waitFor();
});
