/** Back and forth on the page: what the preview says is what happens, byte for byte, and nobody's work is lost. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { cli } from '../../cli/cli.ts';
import { recordsOf, untilStatus } from '../../engine/letters.ts';
import { inBrowser, type Opened } from './browser.ts';

const open = inBrowser();

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
const text = (change: Readonly<Record<number, string>> = {}): string =>
  `${LINES.map((line, at) => change[at + 1] ?? line).join('\n')}\n`;

const edits = defineTask('fix-login', async (task) => {
  await task.message('user', 'Fix it.');
  await task.files.edit('login.txt', (old) => old.replace('line 2\n', 'fixed\n'));
  await task.files.write('new.txt', 'new\n');
  await task.step('check', () => 'ok');
  return task.waitFor('user_input', { prompt: 'Enough?' });
});

interface Planned {
  readonly path: string;
  readonly result: string | null;
  readonly after: string | null;
}

/** The task is paused after its edits; a person has then edited the same file elsewhere. */
async function edited(): Promise<Opened & { id: string; first: string; read(name: string): string | null }> {
  let id = '';
  let first = '';
  const opened = await open({
    tasks: [edits],
    workspace: true,
    arrange: async (engine, dir) => {
      writeFileSync(join(dir, 'login.txt'), text());
      const handle = await engine.start(edits, undefined);
      id = handle.id;
      await untilStatus(engine, id, 'waiting');
      await engine.pause(id);
      await handle.outcome;
      first = (await recordsOf(engine, id)).find(({ trigger }) => trigger === 'after_user_input')!.id;
      writeFileSync(join(dir, 'login.txt'), text({ 2: 'fixed', 19: 'mine' }));
    },
  });
  const read = (name: string): string | null => {
    const path = join(opened.dir, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  return { ...opened, id, first, read };
}

test('a rewind by keyboard: the preview is the result, a person’s edit stays, and Redo brings it back', async () => {
  const { page, id, first, read, call, complaints } = await edited();
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.getByRole('option').filter({ hasText: 'Fix it.' }).click();
  await page.locator('.detail').waitFor();
  await page.keyboard.press('r');
  await page.getByRole('heading', { level: 1, name: /Rewind/ }).waitFor();
  await page.getByText('new.txt').first().waitFor();
  // The person's change is asked about, with the merge as what is recommended.
  const merge = page.getByRole('radio', { name: /Merge/ });
  await merge.focus();
  await page.keyboard.press('Space');
  const preview = await call<{ plan: Planned[] }>(
    'rollback',
    { checkpoint: first },
    { 'dry-run': true, file: ['login.txt=merge'], path: ['login.txt', 'new.txt'] },
  );
  const rewind = page.getByRole('button', { name: 'Rewind, undo 2 files' });
  await expect.poll(() => rewind.isEnabled()).toBe(true);
  await rewind.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Taken back.').waitFor();
  expect(preview.plan.map(({ path, after }) => [path, after])).toEqual([
    ['login.txt', read('login.txt')],
    ['new.txt', read('new.txt')],
  ]);
  expect([read('login.txt'), read('new.txt')]).toEqual([text({ 19: 'mine' }), null]);

  await page.locator('.toasts').getByRole('button', { name: 'Redo' }).click();
  const again = page.getByRole('button', { name: /^Redo, change 2 files/ });
  await expect
    .poll(async () => {
      if (await again.isVisible()) await again.press('Enter');
      return read('login.txt');
    })
    .toBe(text({ 2: 'fixed', 19: 'mine' }));
  expect(read('new.txt')).toBe('new\n');
  expect(complaints).toEqual([]);
});

test('a rewind that was decided on an older preview is refused, says so, and shows the new one', async () => {
  const { page, id, first, dir, read, go } = await edited();
  await go(`#/task/${id}/rewind/${first}`);
  await page.getByRole('radio', { name: /Merge/ }).click();
  const rewind = page.getByRole('button', { name: 'Rewind, undo 2 files' });
  await expect.poll(() => rewind.isEnabled()).toBe(true);
  // Somebody is faster at a terminal, after the button was pressed.
  let raced = false;
  await page.route('**/api/rollback', async (route) => {
    if (!raced && !route.request().postData()!.includes('dry-run')) {
      raced = true;
      const { exit } = await cli(dir, ['rollback', first, '--only', 'state', '--yes', '--json']);
      expect(exit).toBe(0);
    }
    await route.continue();
  });
  await rewind.click();
  await page
    .getByText(/has moved|moved on|changed since/i)
    .first()
    .waitFor();
  expect(raced).toBe(true);
  expect([read('login.txt'), read('new.txt')]).toEqual([text({ 2: 'fixed', 19: 'mine' }), 'new\n']);
});

test('a conflict in a rewind is decided place by place, by keys: what was decided is what happens', async () => {
  const { page, id, first, dir, read, go, call, complaints } = await edited();
  writeFileSync(join(dir, 'login.txt'), text({ 2: 'mine too', 19: 'mine' }));
  await go(`#/task/${id}/rewind/${first}`);
  const rewind = page.getByRole('button', { name: 'Rewind, undo 2 files' });
  await page.getByRole('radio', { name: 'Decide about each place' }).click();
  const place = page.getByRole('region', { name: 'Place 1' });
  await place.waitFor();
  expect(await place.locator('.version').allInnerTexts()).toEqual([
    expect.stringMatching(/Yours[\s\S]*mine too/),
    expect.stringMatching(/Before[\s\S]*line 2/),
    expect.stringMatching(/Task[\s\S]*fixed/),
  ]);
  expect(await page.getByRole('button', { name: /^Rewind,/ }).isEnabled()).toBe(false);
  await page.keyboard.press('n');
  await page.keyboard.press('1');
  await expect.poll(() => rewind.isEnabled()).toBe(true);
  // Whoever wrote into the file meanwhile is not overwritten: it is shown again, and decided again.
  writeFileSync(join(dir, 'login.txt'), text({ 2: 'mine too', 18: 'more', 19: 'mine' }));
  await rewind.click();
  await page
    .getByText(/has moved|moved on|changed since/i)
    .first()
    .waitFor();
  await page.getByRole('radio', { name: 'Decide about each place' }).click();
  await page
    .getByRole('region', { name: 'Place 1' })
    .getByRole('button', { name: /^Before/ })
    .click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const wanted = text({ 2: 'by hand', 18: 'more', 19: 'mine' });
  await page.getByRole('textbox', { name: 'Result' }).fill(wanted);
  await expect.poll(() => rewind.isEnabled()).toBe(true);
  await rewind.click();
  await page.getByText('Taken back.').waitFor();
  expect([read('login.txt'), read('new.txt')]).toEqual([wanted, null]);
  await call('redo', { task: id }, { yes: true });
  expect(read('login.txt')).toBe(text({ 2: 'mine too', 18: 'more', 19: 'mine' }));
  expect(complaints).toEqual([expect.stringContaining('409')]); // The one that was refused.
});
