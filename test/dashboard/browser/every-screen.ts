/** A project in which every screen of the dashboard has something to show, and how each of them is reached. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { defineTask } from '../../../src/engine/api/definition.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { groundAt, pushed } from '../../drift/ground.ts';
import { recordsOf, untilStatus } from '../../engine/letters.ts';
import { until } from '../../support/until.ts';
import type { OpenOptions } from './browser.ts';

export interface World {
  /** Paused after its edits, which a person's own lie beside; forked, and behind its upstream. */
  readonly edits: string;
  /** Before its edits. */
  readonly checkpoint: string;
  readonly fork: string;
  /** Asks about two places of a file. */
  readonly collides: string;
  readonly question: string;
  readonly failed: string;
}

type Saying = (text: string) => string;
const plainly: Saying = (text) => text;

/** `say` and `name`: every text and every name of the tasks, from a plain one. */
export function everyScreen(dir: string, say: Saying = plainly, name: Saying = say) {
  const key = `${say('begin')}\n`;
  const ground = groundAt(dir, {
    'a.txt': lines({}),
    'b.txt': lines({}),
    'c.txt': lines({}),
    'key.txt': key,
  });
  const work = ground.work.dir;
  const edits = defineTask('edits', async (task) => {
    await task.message('user', say('Fix the redirect.'));
    await task.message('assistant', say('The `next` parameter is used as it is.'));
    await Promise.all(
      ['coder', 'writer'].map((who) =>
        task.agent(name(who), (agent) => agent.step(name('think'), () => say(who))),
      ),
    );
    await task.files.edit('a.txt', (text) => text.replace('line 2\n', `${say('fixed')}\n`));
    await task.files.edit('key.txt', (text) => text.replace(/(?<=\n).*(?=\n.*\n.*\n$)/, 'changed'));
    await task.files.write(name('new.txt'), `${say('new')}${' and a line that is long'.repeat(8)}\n`);
    await task.tool(name('search'), { query: say('what') }, () => say('found'));
    await task.decide({ what: say('paths only'), why: say('never needed') });
    await task.step(name('run the tests'), () => ({ passed: say('41') }));
    return task.waitFor('human_approval', { prompt: say('Commit the fix?') });
  });
  const asks = defineTask('asks', (task) => task.waitFor('human_approval', { prompt: say('Deploy it?') }));
  const fails = defineTask('fails', async (task) => {
    await task.progress(50, say('half way'));
    await task.step(name('run the tests'), () => Promise.reject(new TypeError(say('not a function'))), {
      retry: { attempts: 2, first_delay_ms: 1 },
    });
  });
  const done = defineTask('done', async (task) => {
    for (const step of ['one', 'two']) {
      await task.step(step, () => step);
      await task.checkpoint();
    }
  });
  const collides = defineTask('collides', async ({ files }) => {
    await files.read('b.txt');
    writeFileSync(join(work, 'b.txt'), lines({ 3: say('theirs'), 30: say('theirs too') }));
    return (await files.write('b.txt', lines({ 3: say('ours'), 30: say('ours too') }))).status;
  });

  const arrange = async (engine: Engine): Promise<World> => {
    const named = (given: string) => ({ task_name: name(given) });
    await (await engine.start(done, undefined, named('tidy-imports'))).result;
    const failed = await engine.start(fails, undefined, named('upgrade-payment-client'));
    await failed.outcome;
    await engine.start(asks, undefined, named('deploy'));
    const handle = await engine.start(edits, undefined, named('fix-login-redirect'));
    await untilStatus(engine, handle.id, 'waiting');
    await engine.pause(handle.id);
    await handle.outcome;
    const marks = await recordsOf(engine, handle.id);
    const checkpoint = marks.find(({ trigger }) => trigger === 'after_user_input')!.id;
    const { id: fork } = await engine.fork(marks.at(-1)!.id, {
      ...named('the-other-way'),
      working_dir: join(dir, 'other-way'),
    });
    writeFileSync(join(work, 'a.txt'), lines({ 2: say('fixed'), 30: say('by a person') }));
    ground.work.git('add', 'c.txt');
    pushed(ground, name('their commit'), { 'c.txt': lines({ 5: 'theirs' }) });
    await engine.drift(handle.id);
    const { id } = await engine.start(collides, undefined, named('collides'));
    const question = await until(async () => {
      const [first] = await engine.reader.questions(id);
      return first?.id ?? Promise.reject(new Error('nothing is asked'));
    });
    return { edits: handle.id, checkpoint, fork, collides: id, question, failed: failed.id };
  };
  const options: OpenOptions = {
    dir: work,
    tasks: [edits, asks, fails, done, collides],
    workspace: true,
    questions: 'anywhere',
  };
  return { options, arrange };
}

function lines(change: Readonly<Record<number, string>>): string {
  return Array.from({ length: 40 }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');
}

export interface ScreenShown {
  readonly name: string;
  readonly address: string;
  /** What is done on it before it is looked at. */
  readonly act?: (page: Page) => Promise<unknown>;
}

export function screensOf({ edits, checkpoint, fork, collides, question, failed }: World): ScreenShown[] {
  const task = (tab = ''): string => `#/task/${edits}${tab}`;
  return [
    { name: 'tasks', address: '#/' },
    { name: 'task', address: task() },
    {
      name: 'detail',
      address: task(),
      act: (page) => page.getByRole('listbox').getByRole('option').last().click(),
    },
    { name: 'failed', address: `#/task/${failed}` },
    { name: 'conversation', address: task('/conversation') },
    { name: 'files', address: task('/files') },
    { name: 'drift', address: task('/drift'), act: lookUpstream },
    { name: 'about', address: task('/about') },
    { name: 'rewind', address: task(`/rewind/${checkpoint}`) },
    { name: 'undo', address: task('/rewind/undo') },
    { name: 'compare', address: `#/compare/${edits}/${fork}` },
    { name: 'conflict', address: `#/task/${collides}/conflict/${question}` },
    { name: 'care', address: '#/care' },
    { name: 'settings', address: '#/settings' },
    { name: 'keys', address: '#/', act: (page) => page.keyboard.press('?') },
    {
      name: 'fork',
      address: task(),
      act: async (page) => {
        await page.getByRole('listbox').getByRole('option').last().click();
        await page.keyboard.press('f');
        await page.locator('dialog[open]').last().waitFor();
      },
    },
    { name: 'resume', address: task(), act: (page) => ask(page, '.task-head .actions .main') },
  ];
}

/** What is stored may be older than upstream. */
async function lookUpstream(page: Page): Promise<void> {
  const looked = page.waitForResponse((answer) => answer.url().endsWith('/api/drift'));
  await page.locator('.drift .actions button').first().click();
  await looked;
  await page.locator('.drift .actions button:nth-child(2)').waitFor();
}

async function ask(page: Page, button: string): Promise<void> {
  await page.locator(button).click();
  await page.locator('dialog[open]').last().waitFor();
}

/** Shows it, and waits until everything that it asks for is there. */
export async function show(page: Page, { address, act }: ScreenShown): Promise<void> {
  await closed(page);
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await settled(page);
  // A row that was chosen on a wide page is a sheet on a narrow one.
  await closed(page);
  await act?.(page);
  await settled(page);
}

async function closed(page: Page): Promise<void> {
  while (await page.locator('dialog[open]').count()) await page.keyboard.press('Escape');
}

async function settled(page: Page): Promise<void> {
  await page.locator('main').first().waitFor();
  let quiet = 0;
  await until(async () => {
    const busy = await page.locator('.waits, main [aria-busy="true"]').count();
    quiet = busy === 0 ? quiet + 1 : 0;
    if (quiet < 3) throw new Error('busy');
  });
}
