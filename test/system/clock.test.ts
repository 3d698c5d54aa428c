import { expect, it } from 'vitest';
import { isoNow, systemClock } from '../../src/system/clock.ts';
import { manualClock } from '../support/manual-clock.ts';

it('stands still until it is told otherwise', () => {
  const clock = manualClock(new Date('2026-01-01T00:00:00.000Z'));
  clock.now().setFullYear(1999);
  expect(isoNow(clock)).toBe('2026-01-01T00:00:00.000Z');
  clock.advance(1_500);
  expect(isoNow(clock)).toBe('2026-01-01T00:00:01.500Z');
  clock.set(new Date(0));
  expect(isoNow(clock)).toBe('1970-01-01T00:00:00.000Z');
});

it('is otherwise the machine’s', () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now >= before && now <= Date.now()).toBe(true);
});
