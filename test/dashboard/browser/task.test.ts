/** A task on the page: killed and resumed, its thread, its steps by keyboard. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { MAIN } from '../../cli/cli.ts';
import { untilStatus } from '../../engine/letters.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const KILLED = `import { defineTask } from 'vibe-engine';
import { existsSync } from 'node:fs';
export default defineTask('import-catalogue', async (task) => {
  await task.step('first', () => 1);
  await task.step('second', () => new Promise((resolve) => existsSync('go') ? resolve(2) : setTimeout(resolve, 1e8)), { dangerous: true });
  return 'ok';
});
`;

test('kill -9 shows as a bolt; resumed from the page, it says what will run, goes on, and why a step ran again', async () => {
  const { page, dir, complaints } = await open();
  writeFileSync(join(dir, 'import.ts'), KILLED);
  const child = spawn(process.execPath, [MAIN, 'run', 'import.ts', '--json'], { cwd: dir, stdio: 'ignore' });
  await page.locator('.section.running .task-row').getByText('second').waitFor();
  child.kill('SIGKILL');
  await page.locator('.section.broken .task-row.is-interrupted').waitFor();
  writeFileSync(join(dir, 'go'), '');
  await page.locator('.task-row .name').click();
  await page.locator('.task-status').getByText('Interrupted').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog').getByText(join(dir, 'import.ts')).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.locator('.task-status').getByText('Done', { exact: true }).waitFor();
  await page.locator('.thread .mark.kill').first().waitFor();
  await page.getByRole('listbox').getByRole('option').filter({ hasText: 'second' }).last().click();
  await page.locator('.detail').getByText('Why did it run again?').waitFor();
  expect(complaints).toEqual([]);
});

test('steps by keyboard: End, checkpoints, the row whole, back; few nodes for many rows', async () => {
  const many = defineTask('many', async (task) => {
    for (let at = 1; at <= 700; at += 1) await task.step(`step ${at}`, () => at);
    return task.waitFor('user_input', { prompt: 'Enough?' });
  });
  const { page, engine, complaints } = await open({ tasks: [many], storage: 'sqlite' });
  const { id } = await engine.start(many, undefined);
  await untilStatus(engine, id, 'waiting');
  await page.locator(`[data-task="${id}"] .name`).click();
  const list = page.getByRole('listbox');
  await list.press('Home');
  await expect
    .poll(() =>
      page.getByRole('listbox').getByRole('option', { selected: true }).getAttribute('aria-posinset'),
    )
    .toBe('1');
  await list.press('End');
  await expect
    .poll(() =>
      page.getByRole('listbox').getByRole('option', { selected: true }).getAttribute('aria-posinset'),
    )
    .toBe(await page.getByRole('listbox').getByRole('option').first().getAttribute('aria-setsize'));
  await list.press('PageUp');
  await page
    .getByRole('listbox')
    .getByRole('option', { selected: true })
    .filter({ hasText: 'step 6' })
    .waitFor();
  const before = await page
    .getByRole('listbox')
    .getByRole('option', { selected: true })
    .getAttribute('aria-posinset');
  await page.keyboard.press('[');
  await expect
    .poll(() =>
      page.getByRole('listbox').getByRole('option', { selected: true }).getAttribute('aria-posinset'),
    )
    .not.toBe(before);
  await page.locator('.detail').getByText('Nearest checkpoint').waitFor();
  expect(await page.locator('*').count()).toBeLessThan(600);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('.detail').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.locator(`article[data-task="${id}"]`).waitFor();
  expect(complaints).toEqual([]);
});

test('all text of a task is text, and characters that hide are shown', async () => {
  const name = '<img src=x onerror=alert(1)>\u202Etxt';
  const odd = defineTask('odd', async (task) => {
    await task.message('user', name);
    await task.step(name, () => name);
    return task.waitFor('user_input', { prompt: name });
  });
  const { page, engine, complaints } = await open({ tasks: [odd] });
  const { id } = await engine.start(odd, undefined, { task_name: name });
  await page.locator(`[data-task="${id}"] .sentence`).getByText('<img src=x').waitFor();
  expect(await page.locator('.hidden-character').first().textContent()).toBe('U+202E');
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.getByRole('listbox').getByRole('option').filter({ hasText: '<img src=x' }).first().waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});
