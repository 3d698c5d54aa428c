import { describe, expect, it } from 'vitest';
import {
  type CheckpointEvent,
  decideCheckpoint,
  type TriggerInput,
  untilInterval,
} from '../../src/checkpoint/triggers.ts';
import { strictSchema } from '../../src/config/schema.ts';

const { triggers } = strictSchema.parse({}).checkpoints;
const MINUTE = 60_000;

const nothing: TriggerInput = {
  events: [],
  now: 0,
  context_bytes: 0,
  changed: false,
  last: { at: 0, context_bytes: 0 },
};

describe('triggers by event', () => {
  it.each([
    ['after_step', 'normal'],
    ['after_subagent', 'high'],
    ['before_shell_command', 'critical'],
    ['before_file_change', 'critical'],
    ['before_external_api', 'critical'],
    ['after_user_input', 'high'],
    ['after_file_change', 'normal'],
  ] as const)('%s calls for one, %s unless set otherwise, and off means off', (event, priority) => {
    const input = { ...nothing, events: [event] };
    expect(decideCheckpoint(triggers, input)).toEqual({ trigger: event, priority });
    expect(decideCheckpoint({ ...triggers, [event]: 'critical' }, input)).toEqual({
      trigger: event,
      priority: 'critical',
    });
    expect(decideCheckpoint({ ...triggers, [event]: 'off' }, input)).toBeNull();
  });

  it.each<CheckpointEvent>(['start', 'manual', 'pause', 'wait', 'end', 'rollback', 'fork'])(
    '%s always does',
    (event) => {
      expect(decideCheckpoint(triggers, { ...nothing, events: [event] })?.trigger).toBe(event);
    },
  );

  it('the most important of several decides, the first of equals', () => {
    const events: CheckpointEvent[] = ['after_step', 'after_subagent', 'after_user_input'];
    expect(decideCheckpoint(triggers, { ...nothing, events })).toEqual({
      trigger: 'after_subagent',
      priority: 'high',
    });
    const without = { ...triggers, after_subagent: 'off', after_user_input: 'off' } as const;
    expect(decideCheckpoint(without, { ...nothing, events })?.trigger).toBe('after_step');
  });

  it('nothing happened: none', () => {
    expect(decideCheckpoint(triggers, nothing)).toBeNull();
  });
});

describe('the trigger by time', () => {
  const later = (milliseconds: number, changed = true): TriggerInput => ({
    ...nothing,
    now: milliseconds,
    changed,
  });

  it('is due after five minutes, if something changed', () => {
    expect(decideCheckpoint(triggers, later(5 * MINUTE - 1))).toBeNull();
    expect(decideCheckpoint(triggers, later(5 * MINUTE))).toEqual({
      trigger: 'interval',
      priority: 'normal',
    });
    expect(decideCheckpoint(triggers, later(50 * MINUTE, false))).toBeNull();
  });

  it('counts from the last checkpoint', () => {
    const last = { at: 4 * MINUTE, context_bytes: 0 };
    expect(decideCheckpoint(triggers, { ...later(8 * MINUTE), last })).toBeNull();
    expect(decideCheckpoint(triggers, { ...later(9 * MINUTE), last })?.trigger).toBe('interval');
  });

  it('is a setting, and null turns it off', () => {
    expect(decideCheckpoint({ ...triggers, interval_minutes: 0.5 }, later(30_000))?.trigger).toBe('interval');
    expect(decideCheckpoint({ ...triggers, interval_minutes: null }, later(50 * MINUTE))).toBeNull();
  });

  it('says how long it will be, and is due when the clock was set back', () => {
    expect(untilInterval(triggers, 1_000, 61_000)).toBe(4 * MINUTE);
    expect(untilInterval(triggers, 1_000, 99 * MINUTE)).toBe(0);
    expect(untilInterval(triggers, 99 * MINUTE, 1_000)).toBe(0);
    expect(untilInterval({ ...triggers, interval_minutes: null }, 0, 0)).toBeNull();
  });
});

describe('the trigger by size', () => {
  const grown = (bytes: number): TriggerInput => ({
    ...nothing,
    context_bytes: 5_000 + bytes,
    last: { at: 0, context_bytes: 5_000 },
  });

  it('is due when the context grew by more than 10 KB', () => {
    expect(decideCheckpoint(triggers, grown(10 * 1024))).toBeNull();
    expect(decideCheckpoint(triggers, grown(10 * 1024 + 1))).toEqual({
      trigger: 'context_growth',
      priority: 'normal',
    });
  });

  it('is a setting, and null turns it off', () => {
    expect(decideCheckpoint({ ...triggers, context_growth_kb: 1 }, grown(1_025))?.trigger).toBe(
      'context_growth',
    );
    expect(decideCheckpoint({ ...triggers, context_growth_kb: null }, grown(1e9))).toBeNull();
  });

  it('gives way to an event of its own priority', () => {
    expect(decideCheckpoint(triggers, { ...grown(1e6), events: ['after_step'] })?.trigger).toBe('after_step');
  });
});
