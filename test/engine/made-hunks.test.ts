/** A diff names the operations that made each hunk, as the journal has them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { MadeHunk } from '../../src/engine/reading/made-hunks.ts';
import { untilStatus } from './letters.ts';
import { onEachStore } from './stores.ts';

const LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
const START = `${LINES.join('\n')}\n`;

/** By hunk: whose it is, and the operations, as the timeline has them at their rows. */
async function made(engine: Engine, task: string, path: string) {
  const { reader } = engine;
  const [from, to] = [await reader.diffPoint('start', task), await reader.diffPoint('now', task)];
  const [file] = (await reader.diffFiles(from, to, { hunks: [path], context: 0 }))!;
  const { rows } = await reader.timeline(task, { from: 0, limit: 10_000 });
  const named = ({ by, steps }: MadeHunk) => [
    by,
    ...steps.map((step) => {
      const row = rows.find((one) => one.row === step.row)!;
      expect([row.name, row.seq, row.id, row.task ?? task]).toEqual([
        step.name,
        step.seq,
        step.id,
        step.task,
      ]);
      return `${step.agent}${step.name}`;
    }),
  ];
  return file!.hunks!.map(named);
}

onEachStore((fresh) => {
  test('each hunk by its step; all of several; none of a person, or where it is not known', async () => {
    const { dir, open } = await fresh();
    writeFileSync(join(dir, 'a.txt'), START);
    const replace = (from: string, to: string) => (text: string) => text.replace(`${from}\n`, `${to}\n`);
    const work = defineTask('work', async (task) => {
      await task.files.edit('a.txt', replace('line 2', 'first'));
      await task.shell("sed -i 's/^line 12$/by command/' a.txt");
      await task.files.edit('a.txt', replace('line 22', 'once\nmore'));
      await task.files.edit('a.txt', replace('more', 'and again'));
      await task.agent('style', async (agent) => agent.files.edit('a.txt', replace('line 32', 'styled')));
      await task.waitFor('user_input', { prompt: 'Enough?' });
      await task.files.edit('a.txt', replace('line 42', 'last'));
      return task.waitFor('user_input', { prompt: 'Enough now?' });
    });
    const engine = await open({ tasks: [work], workspace: true });
    const { id } = await engine.start(work, undefined);
    await untilStatus(engine, id, 'waiting');
    const now = START.replace('line 2\n', 'first\n')
      .replace('line 12', 'by command')
      .replace('line 22\n', 'once\nand again\n')
      .replace('line 32', 'styled');
    writeFileSync(join(dir, 'a.txt'), now.replace('line 52', 'by hand'));
    await engine.answer(id, 'no');
    await expect.poll(async () => (await made(engine, id, 'a.txt')).length).toBe(6);
    expect(await made(engine, id, 'a.txt')).toEqual([
      ['task', 'files.edit a.txt'],
      ['shell', 'tool:shell'],
      ['task', 'files.edit a.txt', 'files.edit a.txt'],
      ['agent:style', '/stylefiles.edit a.txt'],
      ['task', 'files.edit a.txt'],
      ['you'],
    ]);
  });

  test('among hundreds of other files and steps, and from the task that it was forked from', async () => {
    const { dir, open } = await fresh();
    writeFileSync(join(dir, 'a.txt'), START);
    const many = defineTask('many', async (task) => {
      for (let n = 1; n <= 320; n++)
        await task.files.write(n % 80 === 0 ? 'a.txt' : `f${n % 7}.txt`, `${START}${n}\n`);
      return task.waitFor('user_input', { prompt: 'Enough?' });
    });
    const engine = await open({ tasks: [many], workspace: true });
    const { id } = await engine.start(many, undefined);
    await untilStatus(engine, id, 'waiting');
    expect(await made(engine, id, 'a.txt')).toEqual([['task', 'files.write a.txt']]);
    const last = (await engine.checkpoints.listCheckpoints(id)).at(-1)!.id;
    const { id: fork } = await engine.fork(last);
    expect(await made(engine, fork, 'a.txt')).toEqual([['task', 'files.write a.txt']]);
  });

  test('of a large file the newest steps, and by whom all of them are', async () => {
    const { dir, open } = await fresh();
    const line = (n: number) => `${n} ${'of a line that is long '.repeat(4)}`;
    const large = Array.from({ length: 10_000 }, (_, n) => `${line(n)}\n`).join('');
    writeFileSync(join(dir, 'large.txt'), large);
    const often = defineTask('often', async (task) => {
      for (let n = 0; n < 20; n++)
        await task.files.edit('large.txt', (text) => text.replace(`\n${line(100 * n + 7)}`, `\nby ${n}`));
    });
    const engine = await open({ tasks: [often], workspace: true });
    const { id, result } = await engine.start(often, undefined);
    await result;
    const found = await made(engine, id, 'large.txt');
    expect(found.map(([by]) => by)).toEqual(Array.from({ length: 20 }, () => 'task'));
    expect(found[0]).toEqual(['task']);
    expect(found.at(-1)).toEqual(['task', 'files.edit large.txt']);
  });
});
