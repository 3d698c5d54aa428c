/** What one fork did to files, brought to where the other works, from the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { take } from '../../src/verbs/change/take.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';

const tempDir = tempDirs();
const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, n) => `${change[n + 1] ?? n + 1}\n`).join('');

const edits = defineTask(
  'edits',
  async (task, { change, file }: { change: Readonly<Record<string, string>>; file: string }) => {
    await task.files.edit('poem.txt', (old) =>
      old
        .split('\n')
        .map((line) => change[line] ?? line)
        .join('\n'),
    );
    await task.files.write(file, `${file}\n`);
  },
  { version: '1' },
);

async function ground() {
  const [dir, elsewhere] = [tempDir(), tempDir()];
  for (const at of [dir, elsewhere]) writeFileSync(join(at, 'poem.txt'), lines());
  const engine = await openEngine({ project_dir: dir, workspace: true, signals: false, tasks: [edits] });
  const into = await engine.start(edits, { change: { 6: 'six of a' }, file: 'a.txt' }, { task_name: 'a' });
  await into.result;
  const change = { 1: 'one', 6: 'six of b' };
  const from = await engine.start(
    edits,
    { change, file: 'b.txt' },
    { task_name: 'b', working_dir: elsewhere },
  );
  await from.result;
  await engine.close();
  writeFileSync(join(dir, 'poem.txt'), lines({ 6: 'six of a', 12: 'a person' }));
  return { dir, from: from.id, into: into.id, poem: () => readFileSync(join(dir, 'poem.txt'), 'utf8') };
}

const person = { 12: 'a person' };

test('a take shows what it does, asks about lines that both changed, and is taken back', async () => {
  const { dir, from, into, poem } = await ground();
  const before = poem();
  const dry = await cli(dir, ['take', from, into, '--dry-run', '--patch']);
  expect(dry.exit).toBe(0);
  expect(dry.out).toContain('1 file is written: b.txt');
  expect(dry.out).toContain('1 file does not merge; you will be asked about it: poem.txt');
  expect(dry.out).toContain('As the other task left it (taken)');
  expect(dry.out).toContain('--hunk poem.txt:1=yours, taken, base or both');
  expect(poem()).toBe(before);

  const refused = await cli(dir, ['take', from, into, '--yes']);
  expect(refused.exit).not.toBe(0);
  expect(refused.err).toContain('did to poem.txt does not fit what is here.');
  expect(refused.err).toContain('--on-modified poem.txt=use_current');
  expect(poem()).toBe(before);
  const typo = await cli(dir, ['take', from, into, '--yes', '--file', 'peom.txt=use_current']);
  expect(typo.err).toContain('poem.txt');

  const data = await ask<{ expect: number; expect_from: number; plan: { path: string }[] }>(
    dir,
    'take',
    from,
    into,
    '--dry-run',
  );
  expect(misfits(data, take.data)).toEqual([]);
  expect(data).toMatchObject({ task: into, from, done: false, files: ['b.txt', 'poem.txt'] });
  const held = ['--expect', String(data.expect), '--expect-from', String(data.expect_from)];
  const done = await ask<{ checkpoint: string }>(
    dir,
    ...['take', from, into, '--yes', ...held, '--hunk', 'poem.txt:1=taken'],
  );
  expect(misfits(done, take.data)).toEqual([]);
  expect(done).toMatchObject({ done: true, files: ['b.txt', 'poem.txt'] });
  const taken = lines({ 1: 'one', 6: 'six of b', ...person });
  expect(poem()).toBe(taken);
  const again = await cli(dir, ['take', from, into, '--yes', ...held]);
  expect(again.err).toContain('has moved on since this was previewed');

  const timeline = await cli(dir, ['timeline', into]);
  expect(timeline.out).toContain('taken over from');
  expect((await cli(dir, ['rollback', done.checkpoint, '--only', 'files', '--yes'])).exit).toBe(0);
  expect(poem()).toBe(before);
  expect((await cli(dir, ['redo', into])).exit).toBe(0);
  expect(poem()).toBe(taken);
  const nothing = await cli(dir, ['take', from, into, '--yes']);
  expect(nothing.err).toContain('they are there already');
});

test('what merges is not asked about, and the answer says how to take it back', async () => {
  const { dir, from, into, poem } = await ground();
  writeFileSync(join(dir, 'poem.txt'), lines(person));
  const { exit, out } = await cli(dir, ['take', from, into, '--yes']);
  expect(exit).toBe(0);
  expect(out).toContain('1 file is merged with what is here: poem.txt');
  expect(poem()).toBe(lines({ 1: 'one', 6: 'six of b', ...person }));
  const back = /Take it back: vibe-engine (.+)$/m.exec(out)![1]!;
  expect((await cli(dir, [...back.split(' '), '--yes'])).exit).toBe(0);
  expect(poem()).toBe(lines(person));
});
