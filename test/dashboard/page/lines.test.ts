/** What the page makes of timelines, conversations and entries, without a browser. */
import { describe, expect, test } from 'vitest';
import { beginningOf, briefOf, lineOf } from '../../../src/dashboard/page/lib/shown.ts';
import { nameOf, shapesOf } from '../../../src/dashboard/page/line/geometry.ts';
import { labelsOf } from '../../../src/dashboard/page/line/labels.ts';
import { storyOf } from '../../../src/dashboard/page/line/story.ts';
import type { Message, Timeline } from '../../../src/dashboard/page/shapes/types.ts';
import { firstChanged } from '../../../src/dashboard/page/state/changed.ts';
import { entryParts } from '../../../src/dashboard/page/state/entry.ts';
import { withEarlier, withNewest } from '../../../src/dashboard/page/state/said.ts';

describe('rows that may have changed', () => {
  const dead = (from_row: number, redone = false) => ({
    ...{ from_row, to_row: 9, after_seq: from_row, rollback_seq: 12, redone },
  });
  test('the first that was open, before or now', () => {
    expect(firstChanged(null, { open: 3, total: 5, dead: [] })).toBe(0);
    expect(firstChanged({ open: 7, total: 9, dead: [] }, { open: null, total: 12, dead: [] })).toBe(7);
    expect(firstChanged({ open: null, total: 9, dead: [] }, { open: null, total: 12, dead: [] })).toBe(9);
  });
  test('those that were rolled back, or brought back', () => {
    expect(firstChanged({ open: null, total: 9, dead: [] }, { open: null, total: 10, dead: [dead(2)] })).toBe(
      2,
    );
    const known = { open: null, total: 10, dead: [dead(2)] };
    expect(firstChanged(known, known)).toBe(10);
    expect(firstChanged(known, { open: null, total: 11, dead: [dead(2, true)] })).toBe(2);
  });
});

describe('a conversation, page by page', () => {
  const message = (index: number, seq = index * 2) => ({ index, seq }) as Message;
  const range = (from: number, to: number, shift = 0) =>
    Array.from({ length: to - from }, (_, at) => message(from + at, (from + at) * 2 + shift));
  test('earlier messages stay in front of the newest that they lead up to', () => {
    expect(withNewest(range(0, 60), range(20, 70))).toEqual(range(0, 70));
    expect(withEarlier(range(50, 60), range(0, 50))).toEqual(range(0, 60));
    expect(withEarlier(range(50, 60), range(0, 40))).toEqual(range(50, 60));
  });
  test('what was rolled back elsewhere goes', () => {
    expect(withNewest(range(0, 60), range(0, 10))).toEqual(range(0, 10));
    expect(withNewest(range(0, 60), range(20, 70, 500))).toEqual(range(20, 70, 500));
    expect(withNewest(range(0, 60), [])).toEqual([]);
  });
});

describe('an entry, as it is looked at', () => {
  test('a call has what it was given and what came out; nothing that we note for ourselves', () => {
    const tool = { tool: 'bash', input: { command: 'ls' }, bytes: 4 };
    const value = { id: '/bash#0', name: 'tool:bash', agent: '', ms: 4, tool, result: 'a.txt', mark: {} };
    expect(entryParts({ kind: 'step', value })).toEqual({
      input: { command: 'ls' },
      output: 'a.txt',
      error: null,
      rest: {},
    });
  });
  test('a failure has its message first; the rest stays visible', () => {
    const error = { message: 'no', stack: 'Error: no\n at x', name: 'Error' };
    expect(entryParts({ kind: 'failure', value: { id: 'a', error } }).error).toEqual({
      message: 'no',
      more: 'Error: no\n at x',
    });
    const answer = { id: '/wait#0', outcome: 'answered', value: 5, by: 'ann', message: 'm' };
    expect(entryParts({ kind: 'answer', value: answer }).rest).toEqual({
      outcome: 'answered',
      value: 5,
      by: 'ann',
    });
  });
});

test('a long text is begun, and says how much more there is', () => {
  expect(beginningOf('a\nb')).toEqual({ shown: 'a\nb', more: 0 });
  expect(beginningOf(Array.from({ length: 40 }, (_, at) => at).join('\n')).more).toBe(24);
  expect(beginningOf('x'.repeat(9_000)).more).toBe(1);
});

describe('the thread', () => {
  const minute = 60_000;
  const time = (at: number) => new Date(at).toISOString();
  const mark = (kind: 'wait' | 'answer', seq: number, at: number, id: string) => ({
    ...{ kind, seq, row: seq, at: time(at), id, text: null, task: null },
  });
  const timeline = (marks: Timeline['marks'], last: number) =>
    ({
      ...{ total: 900, rows: [], marks, gaps: [], dead: [], bins: [], lanes: [] },
      ...{ started_at: time(0), last_at: time(last), ended_at: null },
    }) as unknown as Timeline;

  test('a night of waiting is folded, and does not fill the line', () => {
    const waits = timeline([mark('wait', 5, 10 * minute, '/wait#0')], 10 * minute);
    const story = storyOf(waits, 600 * minute, true);
    const { folds, at } = shapesOf(story, 800);
    expect(folds.map(({ ms }) => ms)).toEqual([590 * minute]);
    expect(at(10 * minute)).toBeGreaterThan(700);
    expect(storyOf(waits, 11 * minute, true).gaps).toEqual([]);
  });

  test('labels lie within the line, and none over another', () => {
    const labels = [20, 40, 300, 395].map((at) => ({ at, text: '3 min' }));
    const shown = labelsOf(labels, 400);
    expect(shown.map(({ at }) => at)).toEqual([20, 300, 382.5]);
    expect(labelsOf([{ at: 395, text: '3 分鐘' }], 400)[0]!.at).toBeLessThan(382.5);
  });

  test('what goes is told by its entry where the clock is too coarse', () => {
    const ring = (seq: number, at: number, task: string | null = null) => ({
      ...{ kind: 'checkpoint' as const, seq, row: seq, at: time(at), id: `ckpt-${seq}`, text: null, task },
    });
    const rings = [ring(9, 0, 'parent'), ring(2, 10), ring(3, 10), ring(4, 10), ring(5, 20)];
    const told = storyOf(timeline(rings, 20), 20, false);
    const {
      marks,
      loops,
      ring: x,
    } = shapesOf(
      { ...told, dead: [{ from: 10, to: told.to, after: 3, before: Number.POSITIVE_INFINITY }] },
      800,
    );
    expect(marks.map(({ dead }) => dead)).toEqual([false, false, false, true, true]);
    expect(loops[0]!.from).toBe(x(3, 10));
    expect(x(3, 10)).toBe(marks[2]!.x);
    // The end of an entry is its time and how long it took, by two clocks.
    const early = storyOf(timeline([ring(3, 11), ring(4, 10), ring(5, 20)], 20), 20, false);
    const dead = [{ from: 11, to: 20, after: 3, before: Number.POSITIVE_INFINITY }];
    expect(shapesOf({ ...early, dead }, 800).marks.filter((one) => one.dead)).toMatchObject([
      { mark: { seq: 4 } },
      { mark: { seq: 5 } },
    ]);
  });

  test('marks of both journals of a fork, and two forks of one checkpoint, have names of their own', () => {
    const marks = [null, 'parent', 'other'].map((task) => ({
      ...{ kind: 'fork' as const, seq: 4, row: 4, at: 10, id: 'ckpt-4', text: null, task },
    }));
    expect(new Set(marks.map(nameOf)).size).toBe(3);
  });

  test('an answer is to its own question', () => {
    const marks = [mark('wait', 5, minute, 'a'), mark('wait', 6, 2 * minute, 'b')];
    const { answers } = shapesOf(
      storyOf(timeline([...marks, mark('answer', 7, 3 * minute, 'b')], 3 * minute), 4 * minute, true),
      800,
    );
    expect(answers.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('a text in one line', () => {
  test.each([
    ['{"passed":41,"failed":0}', 'passed: 41, failed: 0'],
    ['{"command":"npm test"}', 'npm test'],
    ['{"cut off":', '{"cut off":'],
    ['plain', 'plain'],
  ])('%s is %s', (text, brief) => {
    expect(briefOf(text)).toBe(brief);
  });

  test('is not cut in the middle of a path', () => {
    expect(lineOf('Uncommitted: src/one.ts, src/two.ts', 30)).toBe('Uncommitted: src/one.ts…');
    expect(lineOf('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});
