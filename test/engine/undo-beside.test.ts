/** Undo of a command that changed what another task had changed, and taken back or brought forward, just before. */
import { expect, test } from 'vitest';
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
