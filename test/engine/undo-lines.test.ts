/** Undo where the task and a person changed the same lines: decided place by place, or as somebody merged it. */
import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/api/context.ts';
import type { Decision } from '../../src/merge/decide.ts';
import { benches } from './setup.ts';
import { errorOf, groundIn, ran } from './undo-ground.ts';

const bench = benches();
const quiet = { workspace: true, automatic_cleanup: false } as const;
const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
const text = (change: Readonly<Record<number, string>> = {}): string =>
  `${LINES.map((line, at) => change[at + 1] ?? line).join('\n')}\n`;

/** It changes lines 2, 10 and 18; then a person changes 2 and 18 in their own way, and 14. */
const work = (task: TaskContext) =>
  task.files.edit('a.txt', () => text({ 2: 'task 2', 10: 'task 10', 18: 'task 18' }));
const MINE = { 2: 'mine 2', 10: 'task 10', 14: 'mine 14', 18: 'mine 18' };

async function world(run: (task: TaskContext) => Promise<unknown> = work, mine = text(MINE)) {
  const at = bench();
  const ground = groundIn(at.dir, { 'a.txt': text() });
  const engine = await at.open(quiet);
  const id = await ran(engine, run);
  ground.write('a.txt', mine);
  return { ...at, ...ground, engine, id };
}

const hunks = (...all: Decision[]) => ({ 'a.txt': new Map(all.map((one, at) => [at + 1, one])) });

describe('decided place by place', () => {
  test('the preview shows the three versions of each place, and what is decided is what happens', async () => {
    const { engine, id, read, write } = await world();
    const [file] = (await engine.previewUndo(id, { details: true })).plan!;
    expect(file).toMatchObject({ path: 'a.txt', outcome: 'conflict', choice: null });
    const { conflict } = file!;
    expect(conflict).toMatchObject({ first: 1 });
    const shown = conflict!.merge.conflicts.map(({ theirs, ours, base }) =>
      [theirs, ours, base].map((bytes) => Buffer.from(bytes).toString()),
    );
    expect(shown).toEqual([
      ['mine 2\n', 'line 2\n', 'task 2\n'],
      ['mine 18\n', 'line 18\n', 'task 18\n'],
    ]);

    const wanted = { hunks: hunks('theirs', 'both') };
    const [decided] = (await engine.previewUndo(id, { ...wanted, details: true })).plan!;
    const after = text({ 2: 'mine 2', 14: 'mine 14', 18: 'line 18\nmine 18' });
    expect(decided).toMatchObject({ outcome: 'clean', choice: 'merge', result: 'put', after });
    const expect_files = { 'a.txt': decided!.before_hash! };
    expect(await engine.undo(id, { ...wanted, expect_files })).toMatchObject({
      done: true,
      notes: { review: [] },
    });
    expect(read('a.txt')).toBe(after);
    expect(hash('sha256', after)).toBe(decided!.after_hash);
    await engine.redo(id);
    expect(read('a.txt')).toBe(text(MINE));
    write('a.txt', text());
  });

  test('nothing is done while a place is open, has no such number, or the file has changed since', async () => {
    const { engine, id, read, write } = await world();
    const before = (await engine.previewUndo(id)).plan![0]!.before_hash!;
    const open = await errorOf(engine.undo(id, { hunks: hunks('theirs') }));
    expect(open).toMatchObject({
      code: 'USAGE',
      message: 'Not every conflict of a.txt is decided: look at 1, 2.',
    });
    const many = await errorOf(engine.undo(id, { hunks: hunks('ours', 'ours', 'ours') }));
    expect(many).toMatchObject({ code: 'USAGE', message: 'a.txt has no conflict 3.' });
    const other = await errorOf(engine.undo(id, { hunks: { 'b.txt': new Map([[1, 'ours' as const]]) } }));
    expect(other.message).toBe('There are no lines of b.txt to decide about.');
    const twice = { hunks: hunks('ours', 'ours'), files: { 'a.txt': 'use_current' } } as const;
    expect((await errorOf(engine.undo(id, twice))).message).toBe('There are two decisions about a.txt.');
    write('a.txt', text({ ...MINE, 20: 'later' }));
    const stale = { hunks: hunks('ours', 'ours'), expect_files: { 'a.txt': before } };
    expect(await errorOf(engine.undo(id, stale))).toMatchObject({ code: 'STALE_WRITE' });
    expect(read('a.txt')).toBe(text({ ...MINE, 20: 'later' }));
  });

  test('through all of the task’s edits: what a person wrote between them stays', async () => {
    const at = bench();
    const ground = groundIn(at.dir, { 'a.txt': text() });
    const engine = await at.open(quiet);
    const id = await ran(engine, async (task) => {
      await task.files.edit('a.txt', () => text({ 2: 'first 2' }));
      await task.step('a person edits', () => ground.write('a.txt', text({ 2: 'first 2', 6: 'mine 6' })));
      await task.files.edit('a.txt', (old) => old.replace('line 18', 'second 18'));
    });
    ground.write('a.txt', text({ 2: 'mine 2', 6: 'mine 6', 18: 'mine 18' }));
    const at1 = (await engine.previewUndo(id, { details: true })).plan![0]!.conflict!;
    expect(at1).toMatchObject({ first: 1, merge: { conflicts: [{}] } });
    const at2 = (await engine.previewUndo(id, { hunks: hunks('ours'), details: true })).plan![0]!.conflict!;
    expect(at2.first).toBe(2);
    expect(Buffer.from(at2.merge.conflicts[0]!.theirs).toString()).toBe('mine 2\n');
    await engine.undo(id, { hunks: hunks('ours', 'theirs') });
    expect(ground.read('a.txt')).toBe(text({ 2: 'mine 2', 6: 'mine 6' }));
  });
});

describe('as somebody merged it', () => {
  const MERGED = text({ 2: 'both 2', 14: 'mine 14' });
  const contents = { 'a.txt': Buffer.from(MERGED) };

  test('is what the file becomes, byte for byte, and redo brings the other back', async () => {
    const { engine, id, read } = await world();
    const [file] = (await engine.previewUndo(id, { contents, details: true })).plan!;
    expect(file).toMatchObject({ outcome: 'clean', after: MERGED, after_hash: hash('sha256', MERGED) });
    await engine.undo(id, { contents });
    expect(read('a.txt')).toBe(MERGED);
    await engine.redo(id);
    expect(read('a.txt')).toBe(text(MINE));
  });
});
