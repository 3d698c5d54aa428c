import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { InvalidInputError } from '../../src/errors.ts';
import { assertTask } from '../../src/storage/keys.ts';
import { newId, newTaskId } from '../../src/system/ids.ts';
import { TASK_ID_PATTERN } from '../../src/task/keys.ts';

afterEach(() => vi.useRealTimers());

describe('newTaskId', () => {
  it('has the documented form, and stores take it', () => {
    const id = newTaskId();
    expect(id).toMatch(TASK_ID_PATTERN);
    expect(() => assertTask(id)).not.toThrow();
  });

  it('sorts by creation, also within one millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => newTaskId());
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    const instant = new Date('2026-11-02T10:00:00.000Z');
    const together = Array.from({ length: 100 }, () => newTaskId(instant));
    expect(together.toSorted()).toEqual(together);
    expect(new Set(together).size).toBe(together.length);
  });

  it('sorts as text exactly as the times do', () => {
    const time = fc.date({ min: new Date(0), max: new Date(2 ** 48 - 1), noInvalidDate: true });
    fc.assert(
      fc.property(time, time, (a, b) => {
        fc.pre(a.getTime() < b.getTime());
        expect(newTaskId(a) < newTaskId(b)).toBe(true);
      }),
    );
  });

  it('does not go back when the clock does', () => {
    vi.useFakeTimers({ now: Date.now() + 60_000 });
    const later = newTaskId();
    vi.setSystemTime(Date.now() - 30_000);
    expect(newTaskId() > later).toBe(true);
  });

  it('begins with its time', () => {
    expect(newTaskId(new Date(0)).slice(0, 11)).toBe('t0000000000');
    expect(newTaskId(new Date(1)).slice(0, 11)).toBe('t0000000001');
    expect(newTaskId(new Date(32)).slice(0, 11)).toBe('t0000000010');
  });
});

describe('newId', () => {
  it('takes a prefix', () => {
    expect(newId('lock')).toMatch(/^lock[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(newId('lock')).not.toBe(newId('lock'));
  });

  it.each(['', 'T', 'a/b', '../', 'x'.repeat(33)])('refuses the prefix %j', (prefix) => {
    expect(() => newId(prefix)).toThrow(InvalidInputError);
  });

  it('refuses times that do not fit', () => {
    expect(() => newId('t', new Date(Number.NaN))).toThrow(InvalidInputError);
    expect(() => newId('t', new Date(-1))).toThrow(InvalidInputError);
    expect(() => newId('t', new Date(2 ** 48))).toThrow(InvalidInputError);
  });
});
