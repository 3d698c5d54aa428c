import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DueInput, dueTriggers, nextDaily } from '../../src/checkpoint/cleanup/due.ts';
import { strictSchema } from '../../src/config/schema.ts';

const settings = strictSchema.parse({}).cleanup;
const MB = 1024 * 1024;
const at = (text: string) => new Date(text);

/** A store opened yesterday afternoon, cleaned after 03:00 today, and nothing since. */
const quiet: DueInput = {
  now: at('2026-11-20T12:00:00'),
  last_run_at: at('2026-11-20T03:00:01'),
  opened_at: at('2026-11-19T15:00:00'),
  starting: false,
  completed: false,
  disk_used_percent: 50,
  store_bytes: 10 * MB,
};
const due = (change: Partial<DueInput>, set: Partial<typeof settings> = {}) =>
  dueTriggers({ ...settings, ...set }, { ...quiet, ...change });

describe('clean-up is due', () => {
  it('not without a reason', () => {
    expect(due({})).toEqual([]);
  });

  it('when a task completed', () => {
    expect(due({ completed: true })).toEqual(['completion']);
    expect(due({ completed: true }, { on_completion: false })).toEqual([]);
  });

  it('when the disk is fuller than 80 %', () => {
    expect(due({ disk_used_percent: 80 })).toEqual([]);
    expect(due({ disk_used_percent: 80.1 })).toEqual(['disk']);
    expect(due({ disk_used_percent: 80.1 }, { disk_usage_percent: 90 })).toEqual([]);
    expect(due({ disk_used_percent: 100 }, { disk_usage_percent: null })).toEqual([]);
    expect(due({ disk_used_percent: null })).toEqual([]);
  });

  it('when the store is over its quota', () => {
    expect(due({}, { quota_mb: 10 })).toEqual([]);
    expect(due({ store_bytes: 10 * MB + 1 }, { quota_mb: 10 })).toEqual(['quota']);
    expect(due({ store_bytes: 10_000 * MB })).toEqual([]);
  });

  it('daily at 03:00, once', () => {
    const night = { last_run_at: at('2026-11-19T20:00:00') };
    expect(due({ ...night, now: at('2026-11-20T02:59:59') })).toEqual([]);
    expect(due({ ...night, now: at('2026-11-20T03:00:00') })).toEqual(['daily']);
    expect(due({ last_run_at: at('2026-11-20T03:00:00'), now: at('2026-11-20T03:00:05') })).toEqual([]);
    expect(due({ last_run_at: at('2026-11-20T03:00:00'), now: at('2026-11-21T03:00:00') })).toEqual([
      'daily',
    ]);
    expect(due({ ...night, now: at('2026-11-20T03:00:00') }, { daily_at: null })).toEqual([]);
    expect(due({ ...night, now: at('2026-11-20T22:30:00') }, { daily_at: '22:30' })).toEqual(['daily']);
  });

  it('still daily when the process slept through 03:00', () => {
    expect(due({ last_run_at: at('2026-11-19T20:00:00'), now: at('2026-11-20T08:30:00') })).toEqual([
      'daily',
    ]);
  });

  const opening = { starting: true, opened_at: quiet.now };

  it('at start-up when 03:00 was missed', () => {
    expect(due({ ...opening, last_run_at: at('2026-11-19T03:00:01') })).toEqual(['start']);
    expect(due({ ...opening, last_run_at: null })).toEqual(['start']);
    expect(due(opening)).toEqual([]);
    expect(
      due({ ...opening, last_run_at: at('2026-11-19T03:00:01') }, { on_start_if_missed: false }),
    ).toEqual([]);
  });

  it('at start-up when the clean-up after a completion was cut off', () => {
    expect(due({ ...opening, completed: true })).toEqual(['start']);
    expect(due({ ...opening, completed: true }, { on_completion: false })).toEqual([]);
  });

  it('not later in the day for a 03:00 that passed before the store was opened', () => {
    expect(due({ opened_at: at('2026-11-20T09:00:00'), last_run_at: null })).toEqual([]);
  });
});

describe('the next daily clean-up', () => {
  it('is today or tomorrow', () => {
    expect(nextDaily(settings, at('2026-11-20T02:00:00'))).toEqual(at('2026-11-20T03:00:00'));
    expect(nextDaily(settings, at('2026-11-20T03:00:00'))).toEqual(at('2026-11-21T03:00:00'));
    expect(nextDaily({ daily_at: null }, quiet.now)).toBeNull();
  });

  describe('where summer time begins at two', () => {
    const zone = process.env.TZ;
    beforeAll(() => {
      process.env.TZ = 'Europe/Berlin';
    });
    afterAll(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });

    it('is by the local clock, and every day has one', () => {
      expect(nextDaily(settings, at('2026-03-28T03:00:00+01:00'))).toEqual(at('2026-03-29T03:00:00+02:00'));
      const missing = { daily_at: '02:30' };
      expect(nextDaily(missing, at('2026-03-28T02:30:00+01:00'))).toEqual(at('2026-03-29T03:30:00+02:00'));
    });
  });
});
