import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TreeEntry } from '../../src/merge/entry.ts';
import type { RenameOptions } from '../../src/merge/renames.ts';
import { textSimilarity } from '../../src/merge/similarity.ts';
import { type Decision, planTreeMerge } from '../../src/merge/tree.ts';

const file = (hash: string, mode = 0o644): TreeEntry => ({ kind: 'file', mode, hash });
const link = (target: string): TreeEntry => ({ kind: 'symlink', target });
const dir = (mode = 0o755): TreeEntry => ({ kind: 'dir', mode });

type Listing = Readonly<Record<string, TreeEntry>>;
const plan = (base: Listing, ours: Listing, theirs: Listing, options?: RenameOptions) =>
  planTreeMerge({ base: toMap(base), ours: toMap(ours), theirs: toMap(theirs) }, options);
const toMap = (listing: Listing) => new Map(Object.entries(listing));

/** Each decision in a line. */
const said = (decisions: readonly Decision[]) =>
  decisions.map(({ path, result, conflict }) => {
    const what = result.do === 'take' ? `take ${result.side}` : result.do;
    return `${path}: ${what}${conflict ? `, ${conflict}` : ''}`;
  });

describe('one path', () => {
  const [a, b, c] = [file('a'), file('b'), file('c')];

  test.each<[string, Listing, Listing, Listing, string[]]>([
    ['unchanged', { f: a }, { f: a }, { f: a }, []],
    ['changed by ours', { f: a }, { f: b }, { f: a }, ['f: take ours']],
    ['changed by theirs', { f: a }, { f: a }, { f: b }, ['f: take theirs']],
    ['changed by both alike', { f: a }, { f: b }, { f: b }, ['f: take ours']],
    ['changed by both', { f: a }, { f: b }, { f: c }, ['f: merge']],
    ['added by one', {}, {}, { f: a }, ['f: take theirs']],
    ['added by both alike', {}, { f: a }, { f: a }, ['f: take ours']],
    ['added by both', {}, { f: a }, { f: b }, ['f: merge, add/add']],
    ['deleted by one', { f: a }, {}, { f: a }, ['f: remove']],
    ['deleted by both', { f: a }, {}, {}, ['f: remove']],
    ['changed and deleted', { f: a }, { f: b }, {}, ['f: take ours, modify/delete']],
    ['deleted and changed', { f: a }, {}, { f: b }, ['f: take theirs, modify/delete']],
    [
      'a link retargeted by both',
      { f: link('x') },
      { f: link('y') },
      { f: link('z') },
      ['f: take ours, symlink'],
    ],
    ['links added by both', {}, { f: link('y') }, { f: link('z') }, ['f: take ours, add/add']],
    ['a link in the place of a changed file', { f: a }, { f: link('x') }, { f: b }, ['f: take ours, kind']],
    ['a link in the place of a file', { f: a }, { f: link('x') }, { f: a }, ['f: take ours']],
    ['an empty directory added', {}, { d: dir() }, {}, ['d: take ours']],
    ['an empty directory removed', { d: dir() }, {}, { d: dir() }, ['d: remove']],
    [
      'a directory against a file',
      {},
      { f: a },
      { f: dir() },
      ['f: take ours, directory/file', 'f: take theirs, directory/file'],
    ],
    ['a directory in the place of a file', { f: a }, { f: dir() }, { f: a }, ['f: remove', 'f: take ours']],
  ])('%s', (_, base, ours, theirs, expected) => {
    expect(said(plan(base, ours, theirs))).toEqual(expected);
  });
});

describe('modes', () => {
  test('and content are merged apart', () => {
    const [decision] = plan({ f: file('a') }, { f: file('a', 0o755) }, { f: file('b') });
    expect(decision!.result).toEqual({ do: 'take', side: 'theirs', entry: file('b', 0o755) });
    const [both] = plan({ f: file('a') }, { f: file('b') }, { f: file('c', 0o600) });
    expect(both!.result).toEqual({ do: 'merge', mode: 0o600 });
  });

  test('that both sides changed are a conflict', () => {
    const [decision] = plan({ f: file('a') }, { f: file('a', 0o755) }, { f: file('a', 0o600) });
    expect(decision).toMatchObject({ conflict: 'mode', result: { entry: file('a', 0o755) } });
    expect(plan({ d: dir() }, { d: dir(0o700) }, { d: dir(0o750) })).toMatchObject([{ conflict: 'mode' }]);
  });
});

describe('directories and files', () => {
  test('at one path are a conflict of both', () => {
    expect(said(plan({}, { p: file('a') }, { 'p/q/r': file('b') }))).toEqual([
      'p: take ours, directory/file',
      'p/q/r: take theirs, directory/file',
    ]);
  });

  test('a directory that became a file is taken when the other side left it alone', () => {
    expect(said(plan({ 'p/q': file('a') }, { p: file('a') }, { 'p/q': file('a') }))).toEqual([
      'p: take ours',
      'p/q: remove',
    ]);
  });

  test('a directory that became a file is a conflict when the other side changed something in it', () => {
    expect(said(plan({ 'p/q': file('a') }, { p: file('c') }, { 'p/q': file('b') }))).toEqual([
      'p: take ours, directory/file',
      'p/q: take theirs, modify/delete',
    ]);
  });

  test('a removed directory stays when the other side put something in it', () => {
    const base = { d: dir(), e: dir() };
    expect(said(plan(base, {}, { ...base, 'd/new': file('a') }))).toEqual([
      'd: take theirs',
      'd/new: take theirs',
      'e: remove',
    ]);
  });
});

describe('renames', () => {
  const alike: RenameOptions = { similarity: (before, after) => (before[0] === after[0] ? 0.8 : 0.2) };

  test('carry the other side’s change along', () => {
    const decisions = plan({ old: file('a') }, { new: file('a') }, { old: file('b') });
    expect(said(decisions)).toEqual(['new: take theirs', 'old: remove']);
    expect(decisions[0]!.from).toEqual({ base: 'old', ours: 'new', theirs: 'old' });
  });

  test('of changed files are found by similarity', () => {
    const base = { f1: file('a'), g1: file('b') };
    const ours = { f2: file('a2'), g2: file('b2') };
    const theirs = { f1: file('a3'), g1: file('b') };
    expect(said(plan(base, ours, theirs, alike))).toEqual([
      'f1: remove',
      'f2: merge',
      'g1: remove',
      'g2: take ours',
    ]);
    expect(said(plan(base, ours, theirs))).toContain('f1: take theirs, modify/delete');
  });

  test('into the place of a directory are found, and so are those of links', () => {
    const base = { old: file('a'), 'd/x': file('x'), d: dir(), link: link('there') };
    const ours = { d: file('a'), moved: link('there') };
    const theirs = { ...base, old: file('b'), link: link('elsewhere') };
    expect(said(plan(base, ours, theirs))).toEqual([
      'd: take theirs',
      'd: remove',
      'd/x: remove',
      'link: remove',
      'moved: take theirs',
      'old: remove',
    ]);
  });

  test('of what the other side made something else of are a conflict', () => {
    expect(said(plan({ old: file('a') }, { new: file('a') }, { old: link('x') }))).toEqual([
      'new: take theirs, kind',
      'old: remove',
    ]);
  });

  test('to one place by both are one', () => {
    expect(said(plan({ f1: file('a') }, { f2: file('b') }, { f2: file('c') }, alike))).toEqual([
      'f1: remove',
      'f2: merge',
    ]);
  });

  test('to two places are a conflict at both', () => {
    const decisions = plan({ old: file('a') }, { x: file('b') }, { y: file('a') }, { similarity: () => 1 });
    expect(said(decisions)).toEqual([
      'old: remove',
      'x: take ours, rename/rename',
      'y: take ours, rename/rename',
    ]);
    for (const { from } of decisions.slice(1)) expect(from).toEqual({ base: 'old', ours: 'x', theirs: 'y' });
  });

  test('of what the other side deleted are a conflict', () => {
    expect(said(plan({ old: file('a') }, {}, { new: file('a') }))).toEqual([
      'new: take theirs, rename/delete',
      'old: remove',
    ]);
  });

  test('to a path the other side gave to something else are a conflict', () => {
    const decisions = plan({ old: file('a') }, { new: file('a') }, { old: file('b'), new: file('c') });
    expect(said(decisions)).toEqual([
      'new: take theirs, add/add',
      'new: take theirs, add/add',
      'old: remove',
    ]);
  });

  test('among several equal files go by name, and else are none', () => {
    const empty = file('empty');
    const base = { 'a/index.ts': empty, 'a/other.ts': empty };
    const theirs = { 'a/index.ts': file('x'), 'a/other.ts': file('y') };
    expect(said(plan(base, { 'b/index.ts': empty, 'b/other.ts': empty }, theirs))).toEqual([
      'a/index.ts: remove',
      'a/other.ts: remove',
      'b/index.ts: take theirs',
      'b/other.ts: take theirs',
    ]);
    expect(said(plan(base, { 'b/one.ts': empty, 'b/two.ts': empty }, theirs))).toEqual([
      'a/index.ts: take theirs, modify/delete',
      'a/other.ts: take theirs, modify/delete',
      'b/one.ts: take ours',
      'b/two.ts: take ours',
    ]);
  });
});

describe('any trees', () => {
  const entry = fc.oneof(
    fc
      .record({ hash: fc.constantFrom('1', '2', '3'), mode: fc.constantFrom(0o644, 0o755) })
      .map(({ hash, mode }) => file(hash, mode)),
    fc.constantFrom(link('1'), link('2')),
  );
  const listing = fc
    .dictionary(fc.constantFrom('a', 'b/c', 'b/d', 'e', 'f/g', 'h'), entry, { noNullPrototype: true })
    .map((entries): Listing => entries);

  test('with one side changed, or both alike, become that side, without a conflict', () => {
    fc.assert(
      fc.property(listing, listing, (base, changed) => {
        for (const [ours, theirs] of [
          [base, changed],
          [changed, base],
          [changed, changed],
        ] as const) {
          const decisions = plan(base, ours, theirs);
          expect(decisions.filter(({ conflict }) => conflict)).toEqual([]);
          const result = toMap(base);
          for (const { path, result: outcome } of decisions) {
            if (outcome.do === 'take') result.set(path, outcome.entry);
            else result.delete(path);
          }
          expect(Object.fromEntries(result)).toEqual(changed);
        }
      }),
    );
  });

  test('are judged alike when the sides are swapped', () => {
    const conflicts = (decisions: readonly Decision[]) =>
      decisions.flatMap(({ from, conflict }) =>
        conflict ? [`${conflict} ${from.base} ${from.ours} ${from.theirs}`] : [],
      );
    const swapped = (decisions: readonly Decision[]) =>
      decisions.map(({ from, ...rest }) => {
        const { base, ours, theirs } = from;
        return {
          ...rest,
          from: { ...(base && { base }), ...(theirs && { ours: theirs }), ...(ours && { theirs: ours }) },
        };
      });
    fc.assert(
      fc.property(listing, listing, listing, (base, ours, theirs) => {
        expect(conflicts(swapped(plan(base, theirs, ours))).sort()).toEqual(
          conflicts(plan(base, ours, theirs)).sort(),
        );
      }),
    );
  });
});

describe('textSimilarity', () => {
  const similarity = (a: string, b: string) => textSimilarity(Buffer.from(a), Buffer.from(b));

  test('is the shared part of the larger', () => {
    expect(similarity('one\ntwo\n', 'one\ntwo\n')).toBe(1);
    expect(similarity('one\ntwo\n', 'two\nnew\n')).toBe(0.5);
    expect(similarity('one\n', 'one\none\n')).toBe(0.5);
    expect(similarity('one\n', 'two\n')).toBe(0);
    expect(similarity('', '')).toBe(1);
    expect(similarity('', 'a\n')).toBe(0);
  });
});
