/** Trees merged by git and by our own plan: both find the same conflicts, and without one the same tree. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { mergeByGit } from '../../../src/workspace/merging/by-git.ts';
import { mergeInProcess } from '../../../src/workspace/merging/in-process.ts';
import type { TreeMerge } from '../../../src/workspace/merging/parts.ts';
import { mergeTrees } from '../../../src/workspace/merging/tree-merge.ts';
import { unlessFull } from '../../support/full.ts';
import { tempDirs } from '../../support/temp.ts';
import { type Case, type Memory, makeCase, memory, type Thing, type Things } from './random-trees.ts';

const tempDir = tempDirs();
const PATH = process.env.PATH;
afterEach(() => {
  process.env.PATH = PATH;
});
/** Each takes git a few processes; `STORIES=2000` tries more. */
const CASES = Number(process.env.STORIES ?? unlessFull(20, 120));

test('git and our own plan answer alike', async () => {
  const seen = { clean: 0, conflicts: 0, samePaths: 0 };
  for (let seed = 0; seed < CASES; seed++) {
    const three = makeCase(seed);
    const world = memory();
    const trees = world.trees(three);
    const [byGit, own] = [await mergeByGit(world, trees), await mergeInProcess(world, trees)];
    expect(byGit, 'git 2.38 or newer has to be there for this test').not.toBeNull();
    const story = `case ${seed}: ${JSON.stringify([...three.base.keys(), '|', ...three.ours.keys(), '|', ...three.theirs.keys()])}`;
    expect(byGit!.conflicts.length > 0, story).toBe(own.conflicts.length > 0);
    if (own.conflicts.length === 0) {
      expect(said(world, byGit!), story).toEqual(said(world, own));
      seen.clean++;
    } else {
      seen.conflicts++;
      if (sameConflicts(byGit!, own)) seen.samePaths++;
    }
  }
  expect(Math.min(seen.clean, seen.conflicts)).toBeGreaterThan(CASES / 4);
  // A directory in the way of a file is one conflict to git, and one for each of them here.
  expect(seen.samePaths).toBeGreaterThan(0.9 * seen.conflicts);
}, 3_600_000);

function said(world: Memory, { changes }: TreeMerge): unknown {
  return changes.map(({ path, after }) => [path, world.thingOf(after)]);
}

function sameConflicts(a: TreeMerge, b: TreeMerge): boolean {
  const paths = ({ conflicts }: TreeMerge) => [...new Set(conflicts.map(({ path }) => path))].sort().join();
  return paths(a) === paths(b);
}

const LINES = Array.from({ length: 20 }, (_, line) => `line ${line}\n`);
const file = (text = LINES.join(''), mode = 0o644): Thing => ({ kind: 'file', mode, text });
const edited = (line: number, to: string, mode?: number): Thing =>
  file(LINES.map((text, at) => (at === line ? `${to}\n` : text)).join(''), mode);
const link = (target: string): Thing => ({ kind: 'symlink', target });
const things = (listing: Record<string, Thing>): Things => new Map(Object.entries(listing));

const CONFLICTS: Record<
  string,
  [base: Record<string, Thing>, ours: Record<string, Thing>, theirs: Record<string, Thing>]
> = {
  'text f': [{ f: file() }, { f: edited(3, 'ours') }, { f: edited(3, 'theirs') }],
  'add/add f': [{}, { f: file('a\n') }, { f: file('b\n') }],
  'modify/delete f': [{ f: file() }, {}, { f: edited(3, 'theirs') }],
  'rename/delete g': [{ f: file() }, { g: file() }, {}],
  'rename/rename g': [{ f: file() }, { g: file() }, { h: file() }],
  'directory/file f': [
    { x: file('x\n') },
    { x: file('x\n'), f: file('f\n') },
    { x: file('x\n'), 'f/in': file('g\n') },
  ],
  'kind f': [{ f: file() }, { f: link('there') }, { f: edited(3, 'theirs') }],
  'symlink f': [{ f: link('a') }, { f: link('b') }, { f: link('c') }],
  'mode f': [{ f: file() }, { f: file(undefined, 0o600) }, { f: file(undefined, 0o640) }],
};

test.for(Object.entries(CONFLICTS))('%s is a conflict to both', async ([conflict, [base, ours, theirs]]) => {
  const world = memory();
  const trees = world.trees({ base: things(base), ours: things(ours), theirs: things(theirs) });
  for (const merge of [await mergeByGit(world, trees), await mergeInProcess(world, trees)]) {
    expect(merge!.conflicts.map(({ kind, path }) => `${kind} ${path}`)).toContain(conflict);
    expect(merge!.changes).toEqual([]);
  }
});

/** A file moved and made private by one side, changed by the other. */
const MOVED: Case = {
  base: things({ 'old/f': file(), 'old/g': file('g\n') }),
  ours: things({ 'old/f': edited(3, 'ours'), 'old/g': file('g\n') }),
  theirs: things({ 'new/f': edited(15, 'theirs', 0o600), 'old/g': file('g\n', 0o755) }),
};

test('what one side moved, the other changed: both hold, with all modes', async () => {
  const text = LINES.map((line, at) => (at === 3 ? 'ours\n' : at === 15 ? 'theirs\n' : line)).join('');
  for (const way of [mergeByGit, mergeInProcess]) {
    const world = memory();
    const merge = (await way(world, world.trees(MOVED)))!;
    expect(merge.conflicts).toEqual([]);
    expect(merge.changes.map(({ path, after }) => [path, world.thingOf(after)])).toEqual([
      ['new', { kind: 'dir', mode: 0o755 }],
      ['new/f', { mode: '600', text }],
      ['old/f', null],
      ['old/g', { mode: '755', text: 'g\n' }],
    ]);
  }
});

test('without git, or with one that is too old, our own plan is used', async () => {
  const world = memory();
  const trees = world.trees(MOVED);
  const expected = said(world, await mergeInProcess(world, trees));
  const bin = tempDir();
  for (const script of [null, '#!/bin/sh\necho "git: unknown option" >&2\nexit 129\n']) {
    if (script) writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    process.env.PATH = bin;
    expect(await mergeByGit(world, trees)).toBeNull();
    expect(said(world, await mergeTrees(world, trees))).toEqual(expected);
  }
});

test("nothing of the user's settings or repository has a part in it", async () => {
  const home = tempDir();
  writeFileSync(
    join(home, '.gitconfig'),
    '[merge]\n\trenames = false\n\tdirectoryRenames = true\n[core]\n\tbare = nonsense\n',
  );
  const repository = join(home, 'repository');
  mkdirSync(repository);
  execFileSync('git', ['init', '-q', repository], { env: { PATH, HOME: tempDir() } });
  const before = process.env.HOME;
  process.env.HOME = home;
  process.env.GIT_DIR = join(repository, '.git');
  try {
    const world = memory();
    expect((await mergeByGit(world, world.trees(MOVED)))!.conflicts).toEqual([]);
  } finally {
    process.env.HOME = before;
    delete process.env.GIT_DIR;
  }
});
