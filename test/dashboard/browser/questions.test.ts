/** One question, many who answer it: the first counts and all are told; a conflict is decided place by place. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { command } from '../../cli/cli.ts';
import { until } from '../../support/until.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const deploy = defineTask('deploy', async (task) =>
  task.waitFor<boolean>('human_approval', { prompt: 'Deploy to production?' }),
);

test('two tabs and a terminal answer at once: one wins, and all are told', async () => {
  const { page, tab, engine, dir } = await open({ tasks: [deploy] });
  const { id, result } = await engine.start(deploy, undefined);
  const pages = [page, await tab()];
  /** Both have sent their answer before either reaches the server. */
  const released = Promise.withResolvers<void>();
  let held = 0;
  for (const [at, one] of pages.entries()) {
    await one.route('**/api/questions/answer', async (route) => {
      held += 1;
      await released.promise;
      await route.continue();
    });
    await one
      .locator(`[data-task="${id}"]`)
      .getByRole('button', { name: at === 0 ? 'Yes' : 'No' })
      .click();
  }
  await until(() => {
    if (held < 2) throw new Error('not yet');
  });
  const question = (await engine.reader.questions(id))[0]!;
  const typing = command(dir, ['questions', 'answer', id, question.id, 'no', '--by', 'a terminal', '--json']);
  released.resolve();
  const told = (one: Page) => one.locator('.toasts .toast').first();
  await Promise.all(pages.map((one) => told(one).waitFor()));
  const typed = await typing;
  const wins = [
    ...(await Promise.all(pages.map(async (one) => /^Answered/.test((await told(one).textContent())!)))),
    typed.exit === 0,
  ];
  expect(wins.filter(Boolean)).toHaveLength(1);
  const said = ['yes', 'no', 'no'][wins.indexOf(true)]!;
  for (const [at, one] of pages.entries())
    if (!wins[at]) expect(await told(one).textContent()).toMatch(/already answered/);
  if (!wins[2]) expect(JSON.parse(typed.out).error.code).toBe('QUESTION_ANSWERED');
  expect(await result).toBe(said === 'yes');
  for (const one of pages) await one.getByText('Nothing waits for you').waitFor();
});

const TEXT = 'one\n2\n3\n4\n5\nsix\n7\n';

test('a conflict is decided place by place, by keyboard alone', async () => {
  const { page, engine, dir, complaints } = await open({ workspace: true, questions: 'anywhere' });
  writeFileSync(join(dir, 'a.txt'), TEXT);
  const collides = defineTask('collides', async ({ files }) => {
    await files.read('a.txt');
    writeFileSync(join(dir, 'a.txt'), TEXT.replace('one', 'theirs').replace('six', 'theirs too'));
    return (await files.write('a.txt', TEXT.replace('one', 'ours').replace('six', 'ours too'))).status;
  });
  const { id, result } = await engine.start(collides, undefined);
  const card = page.locator(`[data-task="${id}"]`);
  const resolve = card.getByRole('link', { name: 'Resolve' });
  // What a choice does, without the word that a terminal takes; the file once.
  await card.getByRole('button', { name: 'Keep the task’s lines', exact: true }).waitFor();
  expect((await card.locator('.sentence').textContent())!.split('a.txt')).toHaveLength(2);
  await resolve.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Place 2' }).waitFor();
  const use = page.getByRole('button', { name: 'Use this result' });
  expect(await use.isEnabled()).toBe(false);
  await page.keyboard.press('1');
  await page.keyboard.press('n');
  await page.keyboard.press('3');
  await page.locator('.result').getByText('theirs too').waitFor();
  await expect.poll(() => use.isEnabled()).toBe(true);
  expect(await page.locator('.result').textContent()).toBe(
    TEXT.replace('one', 'ours').replace('six', 'theirs too'),
  );
  await use.focus();
  await page.keyboard.press('Enter');
  expect(await result).toBe('resolved');
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe(
    TEXT.replace('one', 'ours').replace('six', 'theirs too'),
  );
  await page.locator(`main[data-task="${id}"]`).waitFor();
  expect(complaints).toEqual([]);
});
