/** What the screens of the page make of answers, without a browser. */
import { describe, expect, test } from 'vitest';
import { pairsOf } from '../../../src/dashboard/page/diff/pairs.ts';
import { jumpFrom, lineCount, longestLine, rowsOf } from '../../../src/dashboard/page/diff/rows.ts';
import { threeWays } from '../../../src/dashboard/page/diff/three-ways.ts';
import { bytesOf } from '../../../src/dashboard/page/lib/bytes.ts';
import { forkDirectory } from '../../../src/dashboard/page/lib/fork-directory.ts';
import { byTask, sumOf } from '../../../src/dashboard/page/screens/care/by-task.ts';
import { verdictOf } from '../../../src/dashboard/page/screens/compare/verdict.ts';
import { openIn, regionsIn, resultOf } from '../../../src/dashboard/page/screens/conflict/decisions.ts';
import { firstOf, isFolded } from '../../../src/dashboard/page/screens/files/folding.ts';
import {
  changedFiles,
  decisions,
  foresee,
  isDecided,
} from '../../../src/dashboard/page/screens/rewind/foreseen.ts';
import type { ConflictHunk, PlannedFile, Preview } from '../../../src/dashboard/page/shapes/files.ts';
import type { Hunk } from '../../../src/dashboard/page/shapes/types.ts';

const hunk = (...lines: [kind: 'same' | 'add' | 'remove', text: string][]): Hunk => ({
  before: { start: 4, count: 0 },
  after: { start: 5, count: 0 },
  lines: lines.map(([kind, text]) => ({ kind, text })),
});

describe('two sides of a change', () => {
  test('removed lines face the added ones in their place; what stays faces itself', () => {
    const pairs = pairsOf(hunk(['same', 'a'], ['remove', 'b'], ['remove', 'c'], ['add', 'B'], ['same', 'd']));
    expect(pairs.map((pair) => pair.map((line) => line?.text ?? null))).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', null],
      ['d', 'd'],
    ]);
    expect(pairs.at(-1)!.map((line) => [line!.before, line!.after])).toEqual([
      [7, 7],
      [7, 7],
    ]);
  });
});

const file = (path: string, more: Partial<PlannedFile> = {}): PlannedFile => ({
  path,
  action: 'put',
  why: null,
  runs: false,
  doubtful: false,
  outcome: 'clean',
  choices: [],
  choice: null,
  recommended: null,
  result: 'put',
  before_hash: null,
  lines: null,
  own: null,
  others: null,
  conflict: null,
  binary: false,
  too_large: false,
  ...more,
});

describe('a rewind that is foreseen', () => {
  const asked = file('both.ts', { outcome: 'ask', result: null, choices: ['use_current', 'merge'] });
  const preview: Preview = {
    task: 't',
    done: false,
    steps: [{ id: 'a', name: 'a' }],
    entries: { message: 2 },
    checkpoints: ['c1', 'c2'],
    plan: [
      file('mine.ts', { runs: true }),
      file('shared.ts', { lines: { added: 1, removed: 0, stay: 1 } }),
      file('.env', { action: 'keep', result: 'keep', why: 'not_captured' }),
      asked,
    ],
  };
  const paths = (files: readonly PlannedFile[]) => files.map(({ path }) => path);

  test('says what goes, what stays, and what is to be decided', () => {
    const foreseen = foresee(preview, new Map());
    expect(paths(foreseen.goes)).toEqual(['mine.ts', 'shared.ts']);
    expect(paths(foreseen.stays)).toEqual(['shared.ts', '.env']);
    expect(paths(foreseen.asks)).toEqual(['both.ts']);
    expect(foreseen).toMatchObject({ steps: 1, messages: 2, checkpoints: 2, runs: ['mine.ts'] });
  });

  test('counts the files it changes as they are chosen', () => {
    const foreseen = foresee(preview, new Map());
    expect([isDecided(foreseen, new Map()), changedFiles(foreseen, new Map())]).toEqual([false, 2]);
    const kept = new Map([['both.ts', 'use_current']]);
    expect([isDecided(foreseen, kept), changedFiles(foreseen, kept)]).toEqual([true, 2]);
    const merged = new Map([['both.ts', 'merge']]);
    expect([isDecided(foreseen, merged), changedFiles(foreseen, merged)]).toEqual([true, 3]);
  });

  test('leaves out files that are to stay as they are', () => {
    const foreseen = foresee(preview, new Map([['mine.ts', 'use_current']]));
    expect(paths(foreseen.goes)).toEqual(['shared.ts']);
    expect(paths(foreseen.stays)).toContain('mine.ts');
  });

  test('names files that tools run, also where somebody has to decide about them first', () => {
    const plan = [file('a'), file('hook', { ...asked, path: 'hook', runs: true })];
    expect(foresee({ ...preview, plan }, new Map()).runs).toEqual(['hook']);
    expect(foresee({ ...preview, plan }, new Map([['hook', 'use_current']])).runs).toEqual([]);
  });

  test('holds the rewind to the files that were decided about, and keeps decisions open to change', () => {
    const chosen = new Map([
      ['a.ts', 'lines'],
      ['b.ts', 'use_current'],
    ]);
    const lines = new Map([['a.ts', { hunk: ['a.ts:1=yours'], text: null }]]);
    const asking = { action: 'ask', before_hash: 'f'.repeat(64) } as const;
    const plan = [file('a.ts', { ...asking, outcome: 'conflict', result: null }), file('b.ts', asking)];
    expect(decisions(chosen, lines, plan)).toEqual({
      file: ['b.ts=use_current'],
      hunk: ['a.ts:1=yours'],
      text: [],
      'expect-file': [`a.ts=${'f'.repeat(64)}`],
    });
    const written = new Map([['a.ts', { hunk: [], text: 'x=1\n' }]]);
    expect(decisions(chosen, written, plan)).toMatchObject({ hunk: [], text: ['a.ts=x=1\n'] });
    const open = foresee({ ...preview, plan }, chosen);
    expect([paths(open.asks), isDecided(open, chosen)]).toEqual([['a.ts', 'b.ts'], false]);
    const decided = foresee({ ...preview, plan: [file('a.ts', asking), plan[1]!] }, chosen);
    expect([isDecided(decided, chosen), changedFiles(decided, chosen)]).toEqual([true, 1]);
  });
});

describe('a conflict', () => {
  const same = (text: string): ConflictHunk => ({
    index: null,
    text,
    base: null,
    ours: null,
    theirs: null,
    suggestions: [],
  });
  const place: ConflictHunk = {
    index: 1,
    text: null,
    base: 'old\n',
    ours: 'task',
    theirs: 'you\n',
    suggestions: [{ by: 'both', text: 'task and you\n' }],
  };
  const conflicted = { hunks: [same('1\n2\n3\n4\n'), place, same('5\n6')] };
  const text = (decision: string) =>
    resultOf(conflicted, new Map([[1, decision]]))
      .map((part) => part.text)
      .join('');

  test('shows a few lines around each place', () => {
    expect(regionsIn(conflicted)).toMatchObject([{ above: '2\n3\n4\n', below: '5\n6' }]);
  });

  test('is open until each place is decided', () => {
    expect(openIn(conflicted, new Map())).toEqual([1]);
    expect(resultOf(conflicted, new Map())[1]).toMatchObject({ open: true });
    expect(openIn(conflicted, new Map([[1, 'ours']]))).toEqual([]);
  });

  test.each([
    ['ours', 'task'],
    ['base', 'old\n'],
    ['theirs', 'you\n'],
    ['both', 'task\nyou\n'],
    ['suggested', 'task and you\n'],
  ])('%s is put in its place', (decision, expected) => {
    expect(text(decision)).toBe(`1\n2\n3\n4\n${expected}5\n6`);
  });
});

test('a clean-up is summed up by task, the largest first', () => {
  const one = (task: string, bytes: number, why: string) => ({
    task,
    checkpoint: 'c',
    policy: 'p',
    why,
    bytes,
  });
  const removed = [one('a', 10, 'old'), one('b', 50, 'too many'), one('a', 5, 'old')];
  expect(byTask({ removed })).toEqual([
    { task: 'b', count: 1, bytes: 50, why: 'too many' },
    { task: 'a', count: 2, bytes: 15, why: 'old' },
  ]);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 KB'],
  [123_456, '123 KB'],
  [2_000_000_000, '2 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesOf(bytes)).toBe(text);
});

describe('the lines of a diff', () => {
  const hunks = [hunk(['same', 'a'], ['remove', 'bcd'], ['add', 'B']), hunk(['add', 'x'])];

  test('are rows of one height, with a head for each change', () => {
    expect(rowsOf(hunks, 'unified').map(({ kind }) => kind)).toEqual([
      ...['head', 'line', 'line', 'line'],
      ...['head', 'line'],
    ]);
    expect(rowsOf(hunks, 'split').map(({ kind }) => kind)).toEqual(['head', 'pair', 'pair', 'head', 'pair']);
    expect([lineCount(hunks), longestLine(hunks)]).toEqual([4, 3]);
  });

  test('n and p lead from change to change, and stay at the last', () => {
    const heads = [0, 40, 90];
    expect([jumpFrom(heads, 0, 1), jumpFrom(heads, 45, 1), jumpFrom(heads, 90, 1)]).toEqual([40, 90, 90]);
    expect([jumpFrom(heads, 90, -1), jumpFrom(heads, 45, -1), jumpFrom(heads, 0, -1)]).toEqual([40, 40, 0]);
  });

  test.each([
    ['package-lock.json', true],
    ['deep/yarn.lock', true],
    ['dist/app.min.js', true],
    ['src/lock.ts', false],
    ['locksmith.json', false],
  ])('%s is folded: %s', (path, folded) => {
    expect(isFolded(path)).toBe(folded);
  });

  test('of the first file that a person wrote are shown first', () => {
    expect(firstOf([{ path: 'Cargo.lock' }, { path: 'a.rs' }])).toEqual({ path: 'a.rs' });
    expect(firstOf([{ path: 'Cargo.lock' }])).toEqual({ path: 'Cargo.lock' });
    expect(firstOf([])).toBeNull();
  });
});

test.each([
  [null, null],
  [true, { kind: 'passed' }],
  [false, { kind: 'failed' }],
  [{ tests: false }, { kind: 'failed' }],
  [
    { tests: true, lint: false, types: true },
    { kind: 'some', passed: 2, total: 3 },
  ],
  [
    { failed: 12, passed: 3 },
    { kind: 'told', text: '{"failed":12,"passed":3}' },
  ],
  ['not run', { kind: 'told', text: 'not run' }],
  [[], { kind: 'told', text: '[]' }],
])('checks that ended with %j', (verified, verdict) => {
  expect(verdictOf(verified)).toEqual(verdict);
});

test('a clean-up has something to do where no checkpoint goes, too', () => {
  const nothing = { removed: [], unlisted: 0, forgotten: [], freed_bytes: 0, pending_bytes: 0 };
  expect(sumOf(nothing)).toEqual({ count: 0, size: 0, isNothing: true });
  expect(sumOf({ ...nothing, freed_bytes: 7 })).toMatchObject({ count: 0, size: 7, isNothing: false });
  expect(sumOf({ ...nothing, unlisted: 2 })).toMatchObject({ count: 2, isNothing: false });
  expect(sumOf({ ...nothing, forgotten: [{ task: 't', at: '' }] }).isNothing).toBe(false);
});

test.each([
  ['the other way', '../shop-the-other-way'],
  ['../../etc', '../shop-etc'],
  ['另一條路', '../shop-另一條路'],
  ['///', '../shop-fork'],
])('a fork named %s goes to %s', (name, directory) => {
  expect(forkDirectory('shop', name)).toBe(directory);
});

describe('A, what both began with, and B', () => {
  const at = (start: number, count: number, ...lines: [kind: 'same' | 'add' | 'remove', text: string][]) => ({
    ...hunk(...lines),
    before: { start, count },
  });
  const shown = (lines: readonly { readonly kind: string; readonly text: string }[]) =>
    lines.map(({ kind, text }) => `${{ same: ' ', add: '+', remove: '-' }[kind]}${text}`);

  test('changes that meet are one place, and each side is whole in it', () => {
    const a = [at(4, 3, ['same', '4'], ['remove', '5'], ['add', 'A'], ['same', '6'])];
    const b = [at(5, 3, ['same', '5'], ['same', '6'], ['remove', '7'], ['add', 'B'], ['add', 'B2'])];
    const [place, ...more] = threeWays(a, b);
    expect(more).toEqual([]);
    expect(place!.line).toBe(4);
    expect(shown(place!.a)).toEqual([' 4', '+A', ' 6', ' 7']);
    expect(shown(place!.base)).toEqual([' 4', '-5', ' 6', '-7']);
    expect(shown(place!.b)).toEqual([' 4', ' 5', ' 6', '+B', '+B2']);
  });

  test('those apart are places of their own; a new file has no base', () => {
    const a = [at(1, 1, ['remove', '1'])];
    const b = [at(9, 1, ['remove', '9'], ['add', 'nine'])];
    expect(threeWays(a, b).map((place) => [place.line, shown(place.a), shown(place.b)])).toEqual([
      [1, [], [' 1']],
      [9, [' 9'], ['+nine']],
    ]);
    const [place] = threeWays([at(0, 0, ['add', 'x'])], [at(0, 0, ['add', 'y'])]);
    expect([shown(place!.a), shown(place!.base), shown(place!.b)]).toEqual([['+x'], [], ['+y']]);
  });
});
