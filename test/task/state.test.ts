import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptError, InvalidStateError, type VibeError } from '../../src/errors.ts';
import { decode, encode } from '../../src/storage/serialize.ts';
import { openState, parseState, sealState } from '../../src/task/state.ts';
import { anyState, STATUSES, stateWith } from './samples.ts';

describe('sealing', () => {
  it('is undone by opening, through storage and back', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const stored = decode(encode(sealState(state, encode)));
        expect(openState(stored, encode)).toEqual(decode(encode(state)));
      }),
    );
  });

  it('does not mind the order of keys', () => {
    const sealed = sealState(stateWith('in_progress'), encode);
    const reversed = Object.fromEntries(Object.entries(sealed).toReversed());
    expect(openState(reversed, encode)).toEqual(stateWith('in_progress'));
  });

  it('notices every change', () => {
    const sealed = sealState(stateWith('failed'), encode);
    const changes = [
      { task_name: 'another' },
      { updated_at: '2027-01-01T00:00:00.000Z' },
      { checksum: '0'.repeat(64) },
      { data: { ...sealed.data, retry_count: sealed.data.retry_count + 1 } },
    ];
    for (const change of changes) {
      expect(thrownBy(() => openState({ ...sealed, ...change }, encode))).toBeInstanceOf(CorruptError);
    }
  });
});

describe('a state that is not whole does not load', () => {
  it.each(STATUSES)('%s without any one of its fields', (status) => {
    const sealed = sealState(stateWith(status), encode);
    const fields = Object.keys(sealed.data).map((field) => `data.${field}`);
    expect(fields.length).toBeGreaterThan(1);
    for (const field of [...Object.keys(sealed), ...fields]) {
      const error = thrownBy(() => openState(without(sealed, field), encode));
      expect(error).toBeInstanceOf(InvalidStateError);
      expect((error as VibeError).data.field).toBe(field);
      expect((error as VibeError).message).toContain(field);
    }
  });

  it.each<[string, unknown, string]>([
    ['a field too many', { ...stateWith('queued'), owner: 'me' }, 'owner'],
    ['a field too many in the data', withData({ secret: 1 }), 'data.secret'],
    ['a time that is none', withData({ started_at: 'yesterday' }), 'data.started_at'],
    ['a negative count', withData({ iteration_count: -1 }), 'data.iteration_count'],
    ['another version', { ...stateWith('queued'), version: '2.0' }, 'version'],
    ['another status', { ...stateWith('queued'), status: 'done' }, 'status'],
    ['data of another status', { ...stateWith('queued'), status: 'cancelled' }, 'data.cancelled_at'],
    ['another task’s data', queuedWith({ task_id: 'other' }), 'data.task_id'],
    ['another time of creation', queuedWith({ created_at: '2020-01-01T00:00:00.000Z' }), 'data.created_at'],
    ['nothing', null, ''],
    ['text', 'state', ''],
  ])('%s', (_, value, field) => {
    const error = thrownBy(() => parseState(value));
    expect(error).toBeInstanceOf(InvalidStateError);
    expect((error as VibeError).data.field).toBe(field);
  });

  it('throws nothing else, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(thrownBy(() => openState(value, encode))).toBeInstanceOf(InvalidStateError);
      }),
    );
  });
});

function withData(change: object): unknown {
  const state = stateWith('in_progress');
  return { ...state, data: { ...state.data, ...change } };
}

function queuedWith(change: object): unknown {
  const state = stateWith('queued');
  return { ...state, data: { ...state.data, ...change } };
}

function without(value: object, field: string): unknown {
  const copy = structuredClone(value) as Record<string, Record<string, unknown>>;
  const [first, second] = field.split('.') as [string, string?];
  if (second === undefined) delete copy[first];
  else delete copy[first]![second];
  return copy;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
