/** `merge` on resume: against the version before the task's change, so that neither side's lines are lost. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { put } from '../workspace/ground.ts';
import { untilStatus } from './letters.ts';
import { type Bench, benches } from './setup.ts';

const newBench = benches();
const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const TASKS = BEFORE.replace('two', 'TWO');

const edits = defineTask(
  'edits',
  async (task) => {
    await task.files.write('a.txt', TASKS);
    await task.files.write('new.txt', 'task\n');
    await task.waitFor('user_input', { prompt: 'on?' });
  },
  { version: '1' },
);

/** A task that wrote TWO and rests; then somebody else has the file. */
async function restingThen(bench: Bench, others: string | null): Promise<string> {
  put(bench.dir, 'a.txt', BEFORE);
  const engine = await bench.open({ workspace: true, tasks: [edits] });
  const { id, outcome } = await engine.start(edits, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  await engine.close();
  if (others === null) rmSync(join(bench.dir, 'a.txt'));
  else put(bench.dir, 'a.txt', others);
  return id;
}

const merge = { on_modified: 'merge' } as const;
const read = ({ dir }: Bench, name = 'a.txt'): string => readFileSync(join(dir, name), 'utf8');

test.each([
  ['took the task’s line out and changed another', BEFORE.replace('six', 'SIX'), TASKS.replace('six', 'SIX')],
  ['changed another line', TASKS.replace('six', 'SIX'), TASKS.replace('six', 'SIX')],
  [
    'added a line right after the task’s',
    TASKS.replace('TWO', 'TWO\nmore'),
    TASKS.replace('TWO', 'TWO\nmore'),
  ],
  ['put the file back as it was', BEFORE, TASKS],
])('somebody %s', async (_, others, expected) => {
  const bench = newBench();
  const id = await restingThen(bench, others);
  const notes: string[] = [];
  const engine = await bench.open({
    workspace: true,
    tasks: [edits],
    notify: (lines) => notes.push(...lines),
  });
  await engine.resume(id, merge);
  expect(read(bench)).toBe(expected);
  expect(notes.some((line) => line.includes('Merged'))).toBe(expected !== others);
  await untilStatus(engine, id, 'waiting');
  await engine.answer(id, 'yes');
});

test('the same line is a conflict: nothing is changed, and what both want is beside it', async () => {
  const bench = newBench();
  const others = BEFORE.replace('two', 'ZWEI').replace('six', 'SIX');
  const id = await restingThen(bench, others);
  put(bench.dir, 'new.txt', 'others\n');
  const engine = await bench.open({ workspace: true, tasks: [edits] });
  const refused = await engine.resume(id, { ...merge, on_environment: 'continue' }).catch((error) => error);
  expect(refused).toMatchObject({ code: 'FILE_CONFLICT', data: { path: 'a.txt' } });
  expect(read(bench)).toBe(others);
  expect(read(bench, 'new.txt')).toBe('others\n');
  const copy = readFileSync(refused.data.copy, 'utf8');
  for (const line of ['TWO', 'ZWEI', 'SIX']) expect(copy).toContain(line);
  expect((await engine.state(id))?.status).toBe('paused');
});

test('a resolver settles it, or else the user does', async () => {
  const bench = newBench();
  const others = BEFORE.replace('two', 'ZWEI').replace('six', 'SIX');
  const id = await restingThen(bench, others);
  const asked: string[] = [];
  const engine = await bench.open({
    workspace: true,
    tasks: [edits],
    prompter: {
      ask: async ({ kind }) => {
        asked.push(kind);
        return 'ours';
      },
    },
  });
  await engine.resume(id, merge);
  expect(asked).toEqual(['file_conflict']);
  expect(read(bench)).toBe(TASKS.replace('six', 'SIX'));
  await engine.pause(id);
  await engine.close();

  put(bench.dir, 'a.txt', others.replace('ZWEI', 'DEUX'));
  const resolver = { name: 'both', resolve: async () => Buffer.from(TASKS.replace('TWO', 'TWO/DEUX')) };
  const second = await bench.open({ workspace: { resolvers: [resolver] }, tasks: [edits] });
  await second.resume(id, merge);
  expect(read(bench)).toBe(TASKS.replace('TWO', 'TWO/DEUX'));
});

test('what somebody deleted is asked about as such, and merge does not answer it', async () => {
  const bench = newBench();
  const id = await restingThen(bench, null);
  const engine = await bench.open({ workspace: true, tasks: [edits] });
  await expect(engine.resume(id, merge)).rejects.toMatchObject({ code: 'NEEDS_ANSWER' });
  expect(existsSync(join(bench.dir, 'a.txt'))).toBe(false);
});

test('what others added while the task ran and took out again since stays out', async () => {
  const bench = newBench();
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join('');
  put(bench.dir, 'a.txt', lines);
  let met = false;
  const meets = defineTask(
    'meets',
    async (task) => {
      await task.files.edit('a.txt', (text) => text.replace('line 2\n', 'TWO\n'));
      if (!met) put(bench.dir, 'a.txt', read(bench).replace('line 8\n', 'line 8\ntheirs\n'));
      met = true;
      await task.files.edit('a.txt', (text) => text.replace('line 14', 'FOURTEEN'));
      await task.waitFor('user_input', { prompt: 'on?' });
    },
    { version: '1' },
  );
  const engine = await bench.open({ workspace: true, tasks: [meets] });
  const { id, outcome } = await engine.start(meets, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  const theirs = read(bench).replace('theirs\n', '').replace('line 18', 'EIGHTEEN');
  put(bench.dir, 'a.txt', theirs);
  const resumed = await engine.resume(id, merge);
  expect(read(bench)).toBe(theirs);
  await engine.pause(id);
  await resumed.outcome;
});
