/** Two tries are compared, and what one did to files is taken into the other: by keyboard, place by place, and back. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../../src/engine/api/definition.ts';
import { cli } from '../../cli/cli.ts';
import { tempDirs } from '../../support/temp.ts';
import { inBrowser, type Opened } from './browser.ts';
import { audit, tooNearTheEdge } from './looks.ts';

const open = inBrowser();
const tempDir = tempDirs();

const text = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

interface Try {
  readonly change: Readonly<Record<number, string>>;
  readonly file: string;
}

const tries = defineTask('try', async (task, { change, file }: Try) => {
  await task.files.edit('login.txt', (old) =>
    old
      .split('\n')
      .map((line, at) => change[at + 1] ?? line)
      .join('\n'),
  );
  await task.files.write(file, `${file}\n`);
});

/** Both have ended; a person has then edited the file where A works. */
async function compared(
  a: Try['change'],
  b: Try['change'],
): Promise<Opened & { a: string; b: string; read(name: string): string | null }> {
  const ids: string[] = [];
  const elsewhere = join(tempDir(), 'b');
  mkdirSync(elsewhere);
  const opened = await open({
    tasks: [tries],
    workspace: true,
    arrange: async (engine, dir) => {
      for (const at of [dir, elsewhere]) writeFileSync(join(at, 'login.txt'), text());
      for (const [change, name, where] of [
        [a, 'one-way', {}],
        [b, 'other-way', { working_dir: elsewhere }],
      ] as const) {
        const run = await engine.start(tries, { change, file: `${name}.txt` }, { task_name: name, ...where });
        ids.push(run.id);
        await run.result;
      }
      writeFileSync(join(dir, 'login.txt'), text({ ...a, 19: 'mine' }));
    },
  });
  const read = (name: string): string | null => {
    const path = join(opened.dir, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  return { ...opened, a: ids[0]!, b: ids[1]!, read };
}

test('from the comparison, by keyboard: the preview is the result, a person’s edit stays, and it is taken back', async () => {
  const { page, a, b, read, go, call, complaints } = await compared({ 2: 'left' }, { 11: 'right' });
  await go(`#/compare/${a}/${b}`);
  const link = page.getByRole('link', { name: 'Take B’s files into A…' });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Take what other-way did to files' }).waitFor();
  const take = page.getByRole('button', { name: 'Take, change 2 files' });
  await expect.poll(() => take.isEnabled()).toBe(true);
  expect(await audit(page)).toEqual([]);
  const preview = await call<{ plan: { path: string; after: string | null }[] }>(
    'take',
    { from: b, into: a },
    { 'dry-run': true, path: ['login.txt', 'other-way.txt'] },
  );
  await take.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Taken.').waitFor();
  expect(preview.plan.map(({ path, after }) => [path, after])).toEqual([
    ['login.txt', read('login.txt')],
    ['other-way.txt', read('other-way.txt')],
  ]);
  expect(read('login.txt')).toBe(text({ 2: 'left', 11: 'right', 19: 'mine' }));
  await page.locator('.toasts').getByRole('button', { name: 'Take back' }).press('Enter');
  await expect.poll(() => read('login.txt')).toBe(text({ 2: 'left', 19: 'mine' }));
  expect(read('other-way.txt')).toBeNull();
  expect(complaints).toEqual([]);
});

test('lines that both changed are decided place by place, at 360 pixels as well; an outdated preview is refused', async () => {
  const { page, a, b, dir, read, go } = await compared(
    { 2: 'left', 12: 'left too' },
    { 2: 'right', 12: 'right too' },
  );
  await page.setViewportSize({ width: 360, height: 740 });
  await go(`#/compare/${a}/${b}`);
  await page.getByRole('link', { name: 'Take B’s files into A…' }).click();
  await page.getByRole('radio', { name: 'Decide about each place' }).click();
  const place = page.getByRole('region', { name: 'Place 1' });
  await place.waitFor();
  expect(await place.locator('.version').allInnerTexts()).toEqual([
    expect.stringMatching(/Yours[\s\S]*left/),
    expect.stringMatching(/Taken[\s\S]*right/),
    expect.stringMatching(/Before[\s\S]*line 2/),
  ]);
  expect(await tooNearTheEdge(page)).toEqual([]);
  expect(await audit(page)).toEqual([]);
  expect(await page.getByRole('button', { name: /^Take,/ }).isEnabled()).toBe(false);
  for (const key of ['2', 'n', '1']) await page.keyboard.press(key);
  const take = page.getByRole('button', { name: 'Take, change 2 files' });
  await expect.poll(() => take.isEnabled()).toBe(true);
  let raced = false;
  await page.route('**/api/take', async (route) => {
    if (!raced && !route.request().postData()!.includes('dry-run')) {
      raced = true;
      expect((await cli(dir, ['undo', b, '--yes'])).exit).toBe(0);
      expect((await cli(dir, ['redo', b])).exit).toBe(0);
    }
    await route.continue();
  });
  await take.click();
  await page
    .getByText(/has moved on since/)
    .first()
    .waitFor();
  expect(raced).toBe(true);
  expect(read('other-way.txt')).toBeNull();
  await page.getByRole('radio', { name: 'Decide about each place' }).click();
  await place.waitFor();
  for (const key of ['2', 'n', '1']) await page.keyboard.press(key);
  await expect.poll(() => take.isEnabled()).toBe(true);
  await take.click();
  await page.getByText('Taken.').waitFor();
  expect(read('login.txt')).toBe(text({ 2: 'right', 12: 'left too', 19: 'mine' }));
  expect(read('other-way.txt')).toBe('other-way.txt\n');
});
