/** Undo of a command that changed what another task had changed, and taken back or brought forward, just before. */
import { expect, test } from 'vitest';
import type { CheckpointRecord } from '../../src/checkpoint/record/record.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { untilStatus } from './letters.ts';
import { benches } from './setup.ts';
import { adding, groundIn, ran } from './undo-ground.ts';

const bench = benches();
const START = 'one\ntwo\nthree\nfour\nfive\n';

test.each([
  ['undone', false, START],
  ['undone and redone', true, `${START}by the other\n`],
])('what the other did was %s', async (_, redone, expected) => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  const engine = await at.open({ workspace: true, automatic_cleanup: false });
  const other = await ran(engine, (task) => task.files.edit('a.txt', adding('by the other')));
  await engine.undo(other);
  if (redone) await engine.redo(other);
  const id = await ran(engine, (task) => task.shell('sed -i "1s/$/ more/" a.txt'));
  expect(read('a.txt')).toBe(expected.replace('one', 'one more'));
  await engine.undo(id);
  expect(read('a.txt')).toBe(expected);
});

test('what a person did between this task and the next one stays', async () => {
  const at = bench();
  const { read, write } = groundIn(at.dir, { 'a.txt': START });
  const engine = await at.open({ workspace: true, automatic_cleanup: false });
  await ran(engine, (task) => task.files.edit('a.txt', adding('first task')));
  const id = await ran(engine, (task) => task.shell('sed -i "1s/$/ more/" a.txt'));
  write('a.txt', read('a.txt')!.replace('three', 'three by a person'));
  await ran(engine, (task) => task.files.edit('a.txt', adding('last task')));
  await engine.undo(id, { on_modified: 'merge' });
  expect(read('a.txt')).toBe(`${START.replace('three', 'three by a person')}first task\nlast task\n`);
});

test('another task that was taken back does not come again with what this one takes back', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  const asks = defineTask(
    'asks',
    async (task) => {
      await task.shell('sed -i "1s/$/ more/" a.txt');
      await task.files.edit('a.txt', (text) => text.replace('two', 'two too'));
      await task.waitFor('user_input', { prompt: 'on?' });
    },
    { version: '1' },
  );
  const engine = await at.open({ workspace: true, automatic_cleanup: false, tasks: [asks] });
  const resting = async ({ id, outcome }: { id: string; outcome: Promise<unknown> }): Promise<string> => {
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
    await outcome;
    return id;
  };
  const first = await resting(await engine.start(asks, undefined));
  const made = (await engine.checkpoints.listCheckpoints(first)) as CheckpointRecord[];
  const asked = made.find(({ trigger }) => trigger === 'wait')!;
  await engine.undo(first);
  const second = await ran(engine, (task) => task.files.edit('a.txt', adding('second task')));
  await resting(await engine.resumeFrom(asked.id, { on_modified: 'merge' }));
  expect(read('a.txt')).toBe(`${START.replace('one', 'one more').replace('two', 'two too')}second task\n`);
  await engine.undo(second, { on_modified: 'merge' });
  await engine.undo(first, { on_modified: 'merge' });
  expect(read('a.txt')).toBe(START);
});

test('commands of tasks that ran right after one another are undone, the last one first', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  const engine = await at.open({ workspace: true, automatic_cleanup: false });
  const texts = [START];
  const ids: string[] = [];
  for (const command of ['echo six >> a.txt', 'sed -i "s/six/6/" a.txt', 'sed -i "1s/$/ more/" a.txt']) {
    ids.push(await ran(engine, (task) => task.shell(command)));
    texts.push(read('a.txt')!);
  }
  for (const id of ids.toReversed()) {
    expect((await engine.previewUndo(id)).plan).toMatchObject([{ path: 'a.txt', action: 'put' }]);
    await engine.undo(id);
    texts.pop();
    expect(read('a.txt')).toBe(texts.at(-1));
  }
});

test('the first one of them is merged out, where the others changed other lines', async () => {
  const at = bench();
  const { read } = groundIn(at.dir, { 'a.txt': START });
  const engine = await at.open({ workspace: true, automatic_cleanup: false });
  const first = await ran(engine, (task) => task.shell('sed -i "1s/$/ more/" a.txt'));
  const second = await ran(engine, (task) => task.shell('echo six >> a.txt'));
  expect((await engine.previewUndo(first)).plan).toMatchObject([{ action: 'ask', merges: true }]);
  await engine.undo(first, { on_modified: 'merge' });
  expect(read('a.txt')).toBe(`${START}six\n`);
  await engine.undo(second, { on_modified: 'merge' });
  expect(read('a.txt')).toBe(START);
});
