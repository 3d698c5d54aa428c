/** What would happen, shown before it does: hunks and their authors, choices for one file, being held to a preview. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { redo } from '../../src/verbs/change/redo.ts';
import { rollback } from '../../src/verbs/change/rollback.ts';
import { undo } from '../../src/verbs/change/undo.ts';
import { checkpointsDiff } from '../../src/verbs/look/checkpoints-diff.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';

const tempDir = tempDirs();
let dir = '';
const at = (name: string) => join(dir, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null);
const LINES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const text = (...lines: string[]) => `${lines.join('\n')}\n`;

interface Hunk {
  readonly by: string | null;
  readonly lines: readonly { kind: string; text: string }[];
}
interface Planned {
  readonly path: string;
  readonly own: readonly Hunk[];
  readonly others: readonly Hunk[];
  readonly before: string;
  readonly after: string | null;
  readonly outcome: string;
  readonly choices: readonly string[];
}
interface Preview {
  readonly expect: number;
  readonly plan: readonly Planned[];
}
const changed = (hunks: readonly Hunk[]) =>
  hunks.map(({ by, lines }) => [
    by,
    ...lines.filter(({ kind }) => kind !== 'same').map((line) => `${line.kind} ${line.text}`),
  ]);

/** Runs a command to its end; answers its task. */
async function execute(command: string): Promise<string> {
  const { out } = await cli(dir, ['exec', '--json', '--', 'sh', '-c', command]);
  return (JSON.parse(out) as { data: { task: string } }).data.task;
}

beforeEach(() => {
  dir = tempDir();
  writeFileSync(at('a.txt'), text(...LINES));
});

test('a preview has the hunks that go and those that stay, and what it says is done', async () => {
  const task = await execute('sed -i s/^9$/nine/ a.txt; echo new > b.txt');
  writeFileSync(at('a.txt'), text('zero', ...LINES.slice(0, 8), 'nine'));
  const preview = await ask<Preview>(dir, 'undo', task, '--dry-run');
  expect(misfits(preview, undo.data)).toEqual([]);
  const [a, b] = preview.plan;
  expect(a).toMatchObject({ path: 'a.txt', outcome: 'ask', recommended: 'merge', result: null });
  expect(changed(a!.own)).toEqual([['shell', 'remove nine', 'add 9']]);
  expect(changed(a!.others)).toEqual([['you', 'add zero']]);
  expect([a!.before, a!.after]).toEqual([read('a.txt'), text('zero', ...LINES)]);
  expect(b).toMatchObject({ path: 'b.txt', outcome: 'clean', result: 'remove', after: null });
  const flags = ['--file', 'a.txt=merge', '--file', 'b.txt=use_current', '--expect', `${preview.expect}`];
  const chosen = await ask<Preview>(dir, 'undo', task, '--dry-run', ...flags.slice(0, 4));
  expect(chosen.plan).toMatchObject([
    { outcome: 'clean', result: 'put', choice: 'merge' },
    { outcome: 'clean', result: 'keep', choice: 'use_current' },
  ]);
  const shown = await cli(dir, ['undo', task, '--dry-run', '--path', 'a.txt']);
  expect(shown.out).toContain('@@ -7,4 +7,4 @@ shell\n');
  await ask(dir, 'undo', task, '--yes', ...flags);
  expect([read('a.txt'), read('b.txt')]).toEqual([text('zero', ...LINES), 'new\n']);

  const back = await ask<Preview>(dir, 'redo', task, '--dry-run');
  expect(misfits(back, redo.data)).toEqual([]);
  expect(back.plan).toMatchObject([
    { path: 'a.txt', result: 'put', after: text('zero', ...LINES.slice(0, 8), 'nine') },
  ]);
  expect((await cli(dir, ['redo', task, '--dry-run'])).out).toMatch(
    /^A redo brings back what \w+ did to files:\n/,
  );
  expect(read('a.txt')).toBe(text('zero', ...LINES));
  await ask(dir, 'redo', task, '--expect', `${back.expect}`);
  expect(read('a.txt')).toBe(back.plan[0]!.after);
});

test('a conflict shows both sides, and nothing that is chosen wrongly is done', async () => {
  const task = await execute('sed -i s/^5$/five/ a.txt');
  writeFileSync(at('a.txt'), read('a.txt')!.replace('five', 'FIVE'));
  const { plan, expect: position } = await ask<Preview>(dir, 'undo', task, '--dry-run', '--context', '0');
  expect(plan[0]).toMatchObject({
    outcome: 'conflict',
    choices: ['use_current', 'use_checkpoint', 'abort'],
    after: null,
  });
  expect(changed(plan[0]!.own)).toEqual([['shell', 'remove five', 'add 5']]);
  expect(changed(plan[0]!.others)).toEqual([['you', 'remove five', 'add FIVE']]);
  const before = read('a.txt');
  for (const flags of [
    ['--file', 'a.txt=both'],
    ['--file', 'merge'],
    ['--file', 'b.txt=merge'],
    ['--on-modified', 'merge'],
    ['--on-modified', 'use_checkpoint', '--expect', `${position - 1}`],
  ])
    expect([flags, (await cli(dir, ['undo', task, '--yes', ...flags])).exit === 0]).toEqual([flags, false]);
  const stale = await cli(dir, ['undo', task, '--yes', '--expect', '1']);
  expect(stale.err).toMatch(/^error STALE_WRITE: [\s\S]*--dry-run/);
  expect(read('a.txt')).toBe(before);
  const gone = await cli(dir, ['undo', task, '--file', 'gone.txt=merge', '--expect', '1', '--yes']);
  expect(gone.err).toMatch(/^error STALE_WRITE/);
  const typo = await cli(dir, ['undo', task, '--file', 'a.tx=merge', '--yes']);
  expect(typo.err).toContain('Did you mean "a.txt"?');
});

test('a path with a comma and an equals sign is chosen for like any other', async () => {
  const odd = 'a=merge,b=x.txt';
  writeFileSync(at(odd), text(...LINES));
  const task = await execute(`sed -i s/^9$/nine/ '${odd}'`);
  writeFileSync(at(odd), `zero\n${read(odd)}`);
  const { plan } = await ask<Preview>(
    dir,
    'undo',
    task,
    '--dry-run',
    '--file',
    `${odd}=use_checkpoint`,
    '--path',
    odd,
  );
  expect(plan).toMatchObject([{ path: odd, choice: 'use_checkpoint', after: text(...LINES) }]);
  await ask(dir, 'undo', task, '--yes', '--file', `${odd}=use_checkpoint`);
  expect(read(odd)).toBe(text(...LINES));
});

test('the difference between any two points, hunk by hunk, by whom', async () => {
  const task = await execute('sed -i s/^5$/five/ a.txt');
  writeFileSync(at('a.txt'), `zero\n${read('a.txt')}`);
  interface Diff {
    readonly fixed: boolean;
    readonly files: readonly { path: string; by: readonly string[]; hunks: readonly Hunk[] | null }[];
  }
  const whole = await ask<Diff>(
    dir,
    'checkpoints',
    'diff',
    'start',
    'now',
    '--task',
    task,
    '--path',
    'a.txt',
  );
  expect(misfits(whole, checkpointsDiff.data)).toEqual([]);
  expect(whole).toMatchObject({ from: 'start', to: 'now', fixed: false });
  expect(whole.files).toMatchObject([{ path: 'a.txt', by: ['shell', 'you'], added: 2, removed: 1 }]);
  expect(changed(whole.files[0]!.hunks!)).toEqual([
    ['you', 'add zero'],
    ['shell', 'remove 5', 'add five'],
  ]);
  const { checkpoints } = await ask<{ checkpoints: { short: string }[] }>(dir, 'checkpoints', 'list', task);
  const ends = [checkpoints[0]!.short, checkpoints.at(-1)!.short];
  const inside = await ask<Diff>(dir, 'checkpoints', 'diff', ...ends);
  expect(inside).toMatchObject({
    fixed: true,
    files: [{ by: ['shell'], hunks: null, added: 1, removed: 1 }],
  });
  const since = await cli(dir, ['checkpoints', 'diff', ends[1]!, '--patch']);
  expect(since.out).toContain(
    '1 file differs  +1\n  M a.txt  +1  you or others\n@@ -1,3 +1,4 @@ you or others\n+zero\n',
  );
  const whose = await cli(dir, ['checkpoints', 'diff', 'start', 'now']);
  expect([whose.exit, whose.err]).toEqual([2, expect.stringContaining('--task')]);
});

test('a preview of a rollback says all of it', async () => {
  const task = await execute('sed -i s/^5$/five/ a.txt; exit 1');
  const { checkpoints } = await ask<{ checkpoints: { short: string }[] }>(dir, 'checkpoints', 'list', task);
  const preview = await ask<Preview>(dir, 'rollback', checkpoints[0]!.short, '--dry-run');
  expect(misfits(preview, rollback.data)).toEqual([]);
  expect(preview).toMatchObject({ conversation: null, plan: [{ path: 'a.txt', after: text(...LINES) }] });
  const stale = await cli(dir, [
    'rollback',
    checkpoints[0]!.short,
    '--yes',
    '--expect',
    `${preview.expect + 1}`,
  ]);
  expect(stale.err).toMatch(/^error STALE_WRITE/);
  expect(read('a.txt')).not.toBe(text(...LINES));
  await ask(dir, 'rollback', checkpoints[0]!.short, '--yes', '--expect', `${preview.expect}`);
  expect(read('a.txt')).toBe(text(...LINES));
});
