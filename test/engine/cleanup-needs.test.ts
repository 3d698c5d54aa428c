/** Which parts of which journals nothing needs: spans, shares and families, by themselves. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { families, type Journal, needlessSpans } from '../../src/engine/cleanup/needs.ts';
import { joinSpans, type Span, withoutSpans } from '../../src/storage/ranges.ts';

const span = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 8 }));
const spans = fc
  .array(span, { maxLength: 6 })
  .map((all) => all.map(([from, more]): Span => [from, from + more]));

function numbersIn(all: Iterable<Span>): number[] {
  const numbers = new Set<number>();
  for (const [from, to] of all) for (let n = from; n <= to; n++) numbers.add(n);
  return [...numbers].sort((a, b) => a - b);
}

describe('spans', () => {
  it('joined hold the same numbers, in order, with a gap between any two', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const joined = joinSpans(all);
        expect(numbersIn(joined)).toEqual(numbersIn(all));
        for (const [i, [from]] of joined.entries())
          if (i > 0) expect(from).toBeGreaterThan(joined[i - 1]![1] + 1);
      }),
    );
  });

  it('less others hold what only they had', () => {
    fc.assert(
      fc.property(spans, spans, (all, less) => {
        const taken = new Set(numbersIn(less));
        expect(numbersIn(withoutSpans(all, less))).toEqual(numbersIn(all).filter((n) => !taken.has(n)));
      }),
    );
  });
});

const task = (
  name: string,
  end: number,
  change: Partial<Journal['head'] & object> & { over?: boolean } = {},
): Journal => {
  const { over = false, ...head } = change;
  return { task: name, end, over, head: { lineage: [], dead: [], undone: [], ...head } };
};
const from = (name: string, to: number, dead: [number, number][] = []) => {
  return { task: name, to, dead, hash: '', checkpoint: '' };
};
const undone = [{ key: 'a/undone/1', from: 4, to: 6, at: '2026-11-20T12:00:00.000Z' }];
const needless = (...all: Journal[]) => Object.fromEntries(needlessSpans(all));

describe('of a journal nothing is needless', () => {
  it('while the task has not ended', () => {
    expect(needless(task('a', 9))).toEqual({ a: [] });
  });
  it('of what was rolled back, while that can be redone', () => {
    expect(needless(task('a', 9, { dead: [[4, 6]], undone }))).toEqual({ a: [] });
  });
  it('of what a fork needs, though the task is over or was rolled back since', () => {
    expect(needless(task('a', 9, { over: true }), task('b', 3, { lineage: [from('a', 9)] }))).toEqual({
      a: [],
      b: [],
    });
    expect(needless(task('a', 9, { dead: [[4, 6]] }), task('b', 3, { lineage: [from('a', 5)] }))).toEqual({
      a: [[6, 6]],
      b: [],
    });
  });
  it('of what a fork needs that is not there yet', () => {
    const all = [task('a', 9, { over: true })];
    expect(needlessSpans(all, [{ task: 'a', to: 4, dead: [[2, 2]] }])).toEqual(
      new Map([
        [
          'a',
          [
            [2, 2],
            [5, 9],
          ],
        ],
      ]),
    );
  });
});

describe('of a journal is needless', () => {
  it('all of it once the task is over', () => {
    expect(needless(task('a', 9, { over: true }))).toEqual({ a: [[1, 9]] });
  });
  it('what was rolled back for good', () => {
    expect(needless(task('a', 9, { dead: [[4, 6]] }))).toEqual({ a: [[4, 6]] });
  });
  it('what comes after the last fork from a task that is over, and what that fork itself rolled back', () => {
    const b = task('b', 3, { lineage: [from('a', 5, [[3, 5]])] });
    const a = [
      [3, 4],
      [6, 9],
    ];
    expect(needless(task('a', 9, { over: true }), b)).toEqual({ a, b: [] });
    expect(needless(task('a', 9, { over: true }), { ...b, head: { ...b.head!, undone } })).toEqual({
      a: [[6, 9]],
      b: [],
    });
  });
  it('a journal whose forks are over too', () => {
    expect(
      needless(task('a', 9, { over: true }), task('b', 3, { over: true, lineage: [from('a', 5)] })),
    ).toEqual({
      a: [[1, 9]],
      b: [[1, 3]],
    });
  });
});

it('tasks that share journals are one family, near and far', () => {
  const all = [
    task('a', 1),
    task('b', 1, { lineage: [from('a', 1)] }),
    task('c', 1, { lineage: [from('a', 1), from('b', 1)] }),
    task('d', 1, { lineage: [from('a', 1)] }),
    task('e', 1),
    task('f', 1, { lineage: [from('gone', 1)] }),
    task('g', 1, { lineage: [from('gone', 1)] }),
  ];
  const names = families(all).map((family) => family.map(({ task }) => task).sort());
  expect(names.sort()).toEqual([['a', 'b', 'c', 'd'], ['e'], ['f', 'g']]);
});
