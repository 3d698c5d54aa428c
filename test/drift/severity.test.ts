/** What upstream brought against what the task did, committed, uncommitted and untracked: how severe, and where. */
import { describe, expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';
import { detectIn, type Ground, groundAt, pictureOf, pushed, trackerOf } from './ground.ts';

const tempDir = tempDirs();
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const text = (changes: Record<number, string> = {}): string =>
  LINES.map((line, index) => `${changes[index + 1] ?? line}\n`).join('');

interface Case {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly ours: (ground: Ground) => void;
  readonly theirs: Readonly<Record<string, string | Uint8Array | null>>;
  readonly level: 'low' | 'medium' | 'high';
  readonly overlaps: Readonly<Record<string, readonly string[]>>;
}

const CASES: readonly Case[] = [
  {
    name: 'no file in common is low',
    ours: ({ work }) => work.put('a.txt', text({ 1: 'mine' })),
    theirs: { 'new.txt': 'theirs\n' },
    level: 'low',
    overlaps: {},
  },
  {
    name: 'the same file, other regions, uncommitted, is medium',
    ours: ({ work }) => work.put('a.txt', text({ 2: 'mine' })),
    theirs: { 'a.txt': text({ 18: 'theirs' }) },
    level: 'medium',
    overlaps: { 'a.txt': ['same file'] },
  },
  {
    name: 'the same region, uncommitted, is high',
    ours: ({ work }) => work.put('a.txt', text({ 5: 'mine' })),
    theirs: { 'a.txt': text({ 5: 'theirs' }) },
    level: 'high',
    overlaps: { 'a.txt': ['same region', 'same file'] },
  },
  {
    name: 'the same region, committed, is high',
    ours: ({ work }) => void work.commit('mine', { 'a.txt': text({ 5: 'mine' }) }),
    theirs: { 'a.txt': text({ 5: 'theirs' }) },
    level: 'high',
    overlaps: { 'a.txt': ['same region', 'same file'] },
  },
  {
    name: 'a file of the same name that is not tracked is high',
    ours: ({ work }) => work.put('new.txt', 'mine\n'),
    theirs: { 'new.txt': 'theirs\n' },
    level: 'high',
    overlaps: { 'new.txt': ['same region', 'same file'] },
  },
  {
    name: 'the same edit on both sides is low',
    ours: ({ work }) => work.put('a.txt', text({ 5: 'the same' })),
    theirs: { 'a.txt': text({ 5: 'the same' }) },
    level: 'low',
    overlaps: {},
  },
  {
    name: 'changed here and deleted there is high',
    ours: ({ work }) => work.put('a.txt', text({ 5: 'mine' })),
    theirs: { 'a.txt': null },
    level: 'high',
    overlaps: { 'a.txt': ['modify/delete', 'same file'] },
  },
  {
    name: 'a binary file that both changed is high',
    files: { 'a.bin': 'one\0' },
    ours: ({ work }) => work.put('a.bin', 'mine\0'),
    theirs: { 'a.bin': 'theirs\0' },
    level: 'high',
    overlaps: { 'a.bin': ['binary', 'same region'] },
  },
  {
    name: 'a file renamed here and changed there is medium',
    ours: ({ work }) => {
      work.git('mv', 'a.txt', 'b.txt');
    },
    theirs: { 'a.txt': text({ 18: 'theirs' }) },
    level: 'medium',
    overlaps: { 'b.txt': ['renamed'] },
  },
  {
    name: 'a file renamed there and changed here is medium',
    ours: ({ work }) => work.put('a.txt', text({ 18: 'mine' })),
    theirs: { 'a.txt': null, 'b.txt': text() },
    level: 'medium',
    overlaps: { 'a.txt': ['renamed'] },
  },
  {
    name: 'a file renamed in case only there and changed here is medium',
    ours: ({ work }) => work.put('a.txt', text({ 18: 'mine' })),
    theirs: { 'a.txt': null, 'A.txt': text() },
    level: 'medium',
    overlaps: { 'a.txt': ['renamed'] },
  },
  {
    name: 'a manifest changed here and its lock file there is medium',
    files: { 'package.json': '{}\n', 'package-lock.json': '{}\n' },
    ours: ({ work }) => work.put('package.json', '{ "name": "mine" }\n'),
    theirs: { 'package-lock.json': '{ "lockfileVersion": 3 }\n' },
    level: 'medium',
    overlaps: { 'package.json': ['dependencies'] },
  },
  {
    name: 'work in a file that is ignored does not count',
    files: { '.gitignore': '*.log\n' },
    ours: ({ work }) => work.put('run.log', 'mine\n'),
    theirs: { 'b.txt': 'theirs\n' },
    level: 'low',
    overlaps: {},
  },
];

describe('severity', () => {
  test.each(CASES)('$name', async ({ files, ours, theirs, level, overlaps }) => {
    const ground = groundAt(tempDir(), { 'a.txt': text(), ...files });
    const known = await trackerOf(ground.work);
    ours(ground);
    const commit = pushed(ground, 'theirs', theirs);
    const tracker = { ...known, current_head: ground.work.git('rev-parse', 'HEAD') };
    const before = pictureOf(ground.work);
    const { assessment, findings, unknown } = await detectIn(ground.work, tracker);
    expect(unknown).toBeNull();
    expect(findings).toContainEqual({
      type: 'upstream_change',
      old_head: known.upstream_head,
      new_head: commit,
      commits_behind: 1,
    });
    expect(assessment!.level).toBe(level);
    expect(Object.fromEntries(assessment!.files.map(({ path, why }) => [path, [...why]]))).toEqual(overlaps);
    expect(assessment!.commits).toMatchObject([{ id: commit, author: 'Ada', subject: 'theirs' }]);
    expect(pictureOf(ground.work)).toEqual(before);
  });

  test('says which lines, and which commits brought them', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': text() });
    const known = await trackerOf(ground.work);
    ground.work.put('a.txt', text({ 5: 'mine', 12: 'mine too' }));
    pushed(ground, 'elsewhere', { 'b.txt': 'b\n' });
    const commit = pushed(ground, 'the fifth line', { 'a.txt': text({ 5: 'theirs' }) });
    const { assessment } = await detectIn(ground.work, known);
    expect(assessment!.commits.map(({ subject }) => subject)).toEqual(['the fifth line', 'elsewhere']);
    const fifth = { from: 4, to: 5 };
    const twelfth = { from: 11, to: 12 };
    expect(assessment!.files).toMatchObject([
      {
        path: 'a.txt',
        commits: [{ id: commit }],
        hunks: {
          ours: [
            { before: fifth, after: fifth },
            { before: twelfth, after: twelfth },
          ],
          theirs: [{ before: fifth, after: fifth }],
          conflicts: [{ base: fifth, ours: fifth, theirs: fifth }],
        },
      },
    ]);
  });

  test('a file changed within the same instant and to the same length is seen', async () => {
    const ground = groundAt(tempDir(), { 'a.txt': 'aaaa\n' });
    const known = await trackerOf(ground.work);
    pushed(ground, 'theirs', { 'a.txt': 'bbbb\n' });
    ground.work.put('a.txt', 'cccc\n');
    ground.work.git('add', 'a.txt');
    ground.work.put('a.txt', 'dddd\n');
    expect((await detectIn(ground.work, known)).assessment!.level).toBe('high');
    ground.work.put('a.txt', 'bbbb\n');
    expect((await detectIn(ground.work, known)).assessment!.level).toBe('low');
  });
});
