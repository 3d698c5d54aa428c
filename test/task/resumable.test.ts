import { describe, expect, it } from 'vitest';
import { isExpired, isResumable } from '../../src/task/resumable.ts';
import type { TaskState } from '../../src/task/state.ts';
import { dataOf, stateWith } from './samples.ts';

const NOW = new Date('2026-11-02T10:00:00.000Z');
const DAY = 24 * 60 * 60 * 1000;
const failed = (daysAgo: number, recoverable = true) =>
  stateWith('failed', {
    ...dataOf('failed'),
    failed_at: new Date(NOW.getTime() - daysAgo * DAY).toISOString(),
    recoverable,
  });

const waiting = (daysLeft: number | null) =>
  stateWith('waiting', {
    ...dataOf('waiting'),
    timeout_at: daysLeft === null ? null : new Date(NOW.getTime() + daysLeft * DAY).toISOString(),
  });

describe('resumable', () => {
  it.each<[string, TaskState, { ownerAlive: boolean; answered: boolean }, boolean]>([
    ['queued', stateWith('queued'), { ownerAlive: false, answered: true }, false],
    ['paused', stateWith('paused'), { ownerAlive: false, answered: false }, true],
    ['running', stateWith('in_progress'), { ownerAlive: true, answered: true }, false],
    ['left by a dead runner', stateWith('in_progress'), { ownerAlive: false, answered: false }, true],
    ['waiting', waiting(null), { ownerAlive: false, answered: false }, false],
    ['out of time', waiting(-1), { ownerAlive: false, answered: false }, true],
    ['not out of time yet', waiting(1), { ownerAlive: false, answered: false }, false],
    ['answered', stateWith('waiting'), { ownerAlive: false, answered: true }, true],
    ['failed', failed(1), { ownerAlive: false, answered: false }, true],
    ['failed for good', failed(1, false), { ownerAlive: false, answered: true }, false],
    ['failed 29.9 days ago', failed(29.9), { ownerAlive: false, answered: false }, true],
    ['failed 30 days ago', failed(30), { ownerAlive: false, answered: false }, false],
    ['completed', stateWith('completed'), { ownerAlive: false, answered: true }, false],
    ['cancelled', stateWith('cancelled'), { ownerAlive: false, answered: true }, false],
  ])('%s', (_, state, around, expected) => {
    expect(isResumable(state, { ...around, now: NOW })).toBe(expected);
  });

  it('the days are a setting', () => {
    const around = { ownerAlive: false, answered: false, now: NOW };
    expect(isResumable(failed(8), { ...around, failedDays: 7 })).toBe(false);
    expect(isResumable(failed(40), { ...around, failedDays: 60 })).toBe(true);
  });

  it('only failures expire', () => {
    expect(isExpired(failed(31, false), NOW)).toBe(true);
    expect(isExpired(stateWith('paused'), new Date(NOW.getTime() + 1_000 * DAY))).toBe(false);
  });
});
