/** What other processes do with a task appears on the page by itself, whatever store it is in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MAIN } from '../../cli/cli.ts';
import { configure } from '../../cli/world.ts';
import { onEveryStore } from '../../engine/stores.ts';
import { inBrowser } from './browser.ts';

const open = inBrowser();

const SHIFT = `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTask } from 'vibe-engine';
const until = async (file) => { while (!existsSync(file)) await sleep(20); };
export default defineTask('night-shift', async (task) => {
  await task.step('gather', () => until('gathered'));
  await task.waitFor('user_input', { prompt: 'How many?' });
  await task.step('carry', () => until('carried'), { dangerous: true });
});
`;

onEveryStore((fresh) => {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  test('a step, a question, kill -9 and a takeover by others appear by themselves', async () => {
    const store = await fresh();
    configure(store);
    const { dir, config } = store;
    const elsewhere = (...words: string[]): ChildProcess => {
      const child = spawn(process.execPath, [MAIN, ...words, '--json'], { cwd: dir, stdio: 'ignore' });
      running.push(child);
      return child;
    };
    const { page, engine, complaints } = await open({ dir, config });
    await page.getByText('No tasks here yet').waitFor();
    writeFileSync(join(dir, 'shift.ts'), SHIFT);
    const first = elsewhere('run', 'shift.ts');
    await page.locator('.section.running .task-row').getByText('gather').waitFor();
    await page.locator('.task-row .name').click();
    const status = page.locator('.task-status');
    const steps = page.getByRole('listbox').getByRole('option');
    writeFileSync(join(dir, 'gathered'), '');
    await steps.filter({ hasText: 'gather' }).waitFor();
    await page.locator('.needs-card').getByText('How many?').waitFor();
    const [id] = (await engine.storage.tasks()).keys;
    await engine.answer(id!, '3');
    await status.getByText('Running').waitFor();
    await steps.filter({ hasText: 'carry' }).waitFor();
    first.kill('SIGKILL');
    await status.getByText('Interrupted').waitFor();
    elsewhere('resume', id!, '--yes');
    await status.getByText('Running').waitFor();
    await page.locator('.thread .mark.kill').first().waitFor();
    writeFileSync(join(dir, 'carried'), '');
    await status.getByText('Done', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
