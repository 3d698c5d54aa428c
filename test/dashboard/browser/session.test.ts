/** A session of an agent in its own program, as the page shows it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inBrowser } from './browser.ts';

const open = inBrowser();

test('client, turns, calls and sub-agents; a rewind of a turn says what becomes of the conversation', async () => {
  const { page, engine, dir, go, complaints } = await open({ workspace: true });
  const session = engine.attach({ client: 'claude', session: 's-1' });
  const write = async (id: string, agent?: string): Promise<void> => {
    const path = join(dir, `${id}.txt`);
    const by = agent === undefined ? {} : { agent };
    await session.record({
      type: 'tool_call',
      id,
      name: 'Write',
      danger: 'file_change',
      writes: [path],
      ...by,
    });
    writeFileSync(path, `${id}\n`);
    await session.record({ type: 'tool_result', id, output: 'ok' });
  };
  await session.record({ type: 'turn', content: 'make it work', ref: 'p1' });
  await write('one');
  await write('two', 'Explore-7');
  await session.record({ type: 'agent_end', agent: 'Explore-7', output: 'found it' });
  await session.record({ type: 'message', role: 'assistant', content: 'It works.', ref: 'm1' });
  await session.endTurn();
  const id = session.task!;
  await page.locator(`[data-task="${id}"] .name`).click();
  await page.locator('.task-status').getByText('claude', { exact: true }).waitFor();
  await page.getByRole('option').filter({ hasText: 'Write' }).first().waitFor();
  const lanes = page.getByRole('combobox', { name: 'Agents', exact: true });
  expect(await lanes.locator('option').allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining('Explore-7')]),
  );
  await lanes.selectOption({ index: 2 });
  await expect.poll(() => page.getByRole('option').filter({ hasText: 'Write' }).count()).toBe(1);

  // A second turn appears by itself.
  await session.record({ type: 'turn', content: 'and now the rest', ref: 'p2' });
  await write('three');
  await session.endTurn();
  await go(`#/task/${id}/conversation`);
  await page.getByText('and now the rest').first().waitFor();
  await page.getByText('It works.').first().waitFor();
  await go(`#/task/${id}/about`);
  await page.getByRole('heading', { name: '2 turns' }).waitFor();
  await page.getByRole('link', { name: 'and now the rest' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: /Rewind/ }).waitFor();
  await page.getByText('three.txt').first().waitFor();
  await page.getByText('Claude Code will continue in a copy of its session that ends there').waitFor();
  expect(complaints).toEqual([]);
});
