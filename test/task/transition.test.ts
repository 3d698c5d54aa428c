import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IllegalTransitionError, InvalidStateError, VibeError } from '../../src/errors.ts';
import type { StateData } from '../../src/task/data.ts';
import { parseState, type TaskState } from '../../src/task/state.ts';
import { STATE_TRANSITIONS, type TaskStatus } from '../../src/task/status.ts';
import { queueTask, transition, updateData } from '../../src/task/transition.ts';
import { anyData, anyState, dataOf, STATUSES, stateWith, TASK_ID } from './samples.ts';

const NOW = new Date('2026-11-02T11:00:00.000Z');
const move = (state: TaskState, to: TaskStatus, data: unknown = dataOf(to), now = NOW) =>
  transition(state, to, data as StateData[typeof to], now);
const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

describe('the table', () => {
  it('is the one that was decided', () => {
    expect(STATE_TRANSITIONS).toEqual({
      queued: ['in_progress', 'cancelled'],
      in_progress: ['paused', 'waiting', 'completed', 'failed'],
      paused: ['in_progress', 'cancelled'],
      waiting: ['in_progress', 'cancelled', 'failed'],
      completed: [],
      failed: ['queued'],
      cancelled: [],
    });
  });

  it('cannot be changed at run time', () => {
    expect(Object.isFrozen(STATE_TRANSITIONS)).toBe(true);
    expect(Object.values(STATE_TRANSITIONS).every(Object.isFrozen)).toBe(true);
  });
});

describe('transition', () => {
  it.each(pairs.filter(([from, to]) => STATE_TRANSITIONS[from].includes(to)))('%s to %s', (from, to) => {
    const before = stateWith(from);
    const copy = structuredClone(before);
    const after = move(before, to);
    expect(after).toEqual({ ...before, status: to, data: dataOf(to), updated_at: NOW.toISOString() });
    expect(before).toEqual(copy);
  });

  it.each(pairs.filter(([from, to]) => !STATE_TRANSITIONS[from].includes(to)))('not %s to %s', (from, to) => {
    const error = thrownBy(() => move(stateWith(from), to));
    expect(error).toBeInstanceOf(IllegalTransitionError);
    expect(error).toMatchObject({
      data: { task_id: TASK_ID, status: from, asked: to, allowed: STATE_TRANSITIONS[from] },
    });
    for (const part of ['Fix the date test', TASK_ID, from, ...STATE_TRANSITIONS[from]]) {
      expect((error as VibeError).message).toContain(part);
    }
  });

  it('refuses a status that does not exist', () => {
    expect(thrownBy(() => move(stateWith('queued'), 'done' as TaskStatus, {}))).toBeInstanceOf(
      IllegalTransitionError,
    );
  });

  it('refuses data of another status, naming the field', () => {
    const error = thrownBy(() => move(stateWith('queued'), 'in_progress', dataOf('waiting')));
    expect(error).toBeInstanceOf(InvalidStateError);
    expect((error as VibeError).data.field).toMatch(/^data\./);
  });

  it('says how to get there by another way', () => {
    const hint = (from: TaskStatus, to: TaskStatus) =>
      (thrownBy(() => move(stateWith(from), to)) as VibeError).hint;
    expect(hint('in_progress', 'cancelled')).toMatch(/Pause .* then cancel/);
    expect(hint('failed', 'in_progress')).toMatch(/queued/);
    expect(hint('completed', 'in_progress')).toMatch(/Fork/);
  });

  it('never takes updated_at back, even when the clock goes back', () => {
    const state = stateWith('queued');
    expect(move(state, 'in_progress', undefined, new Date(0)).updated_at).toBe(state.updated_at);
  });

  it('reaches no state outside the table, whatever is asked of it', () => {
    const event = fc.record({
      to: fc.constantFrom<string>(...STATUSES, 'done', '__proto__', 'toString'),
      data: fc.oneof(
        { weight: 6, arbitrary: anyState.map(({ data }) => data) },
        { weight: 1, arbitrary: fc.anything() },
      ),
      fitting: fc.boolean(),
      later: fc.integer({ min: -1_000, max: 1_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state: TaskState = queueTask({ task_id: TASK_ID, task_name: 'n', input_request: 'x' }, NOW);
        let now = NOW.getTime();
        for (const { to, data, fitting, later } of events) {
          now += later;
          const before: TaskState = state;
          const status = STATUSES.find((known) => known === to);
          const given: unknown = fitting && status ? fitted(dataOf(status), before) : data;
          try {
            state = transition(before, to as TaskStatus, given as StateData[TaskStatus], new Date(now));
          } catch (error) {
            expect(error).toBeInstanceOf(VibeError);
            continue;
          }
          expect(STATE_TRANSITIONS[before.status]).toContain(state.status);
          expect(parseState(state)).toEqual(state);
          expect([state.task_id, state.task_name, state.created_at]).toEqual([
            TASK_ID,
            'n',
            NOW.toISOString(),
          ]);
          expect(state.updated_at >= before.updated_at).toBe(true);
        }
      }),
    );
  });

  /** Queued data repeats the state's own id and time. */
  const fitted = (data: StateData[TaskStatus], { task_id, created_at }: TaskState) =>
    'priority' in data ? { ...data, task_id, created_at } : data;

  it('keeps whatever data fits', () => {
    fc.assert(
      fc.property(anyData.in_progress, anyData.paused, (running, paused) => {
        const started = transition(stateWith('queued'), 'in_progress', running, NOW);
        expect(transition(started, 'paused', paused, NOW).data).toEqual(paused);
      }),
    );
  });
});

describe('queueTask', () => {
  it('makes the first state', () => {
    const task = { task_id: TASK_ID, task_name: 'Name', input_request: { text: 'do it' } };
    expect(queueTask(task, NOW)).toEqual({
      version: '1.0',
      task_id: TASK_ID,
      task_name: 'Name',
      status: 'queued',
      created_at: NOW.toISOString(),
      updated_at: NOW.toISOString(),
      data: {
        task_id: TASK_ID,
        created_at: NOW.toISOString(),
        priority: 'normal',
        estimated_complexity: null,
        input_request: { text: 'do it' },
      },
    });
  });

  it('needs a name', () => {
    const task = { task_id: TASK_ID, task_name: '', input_request: null };
    expect(thrownBy(() => queueTask(task, NOW))).toMatchObject({ data: { field: 'task_name' } });
  });
});

describe('updateData', () => {
  it('changes what is given and leaves the rest', () => {
    const state = stateWith('in_progress');
    const next = updateData(state, { current_step: 'verify' }, NOW);
    expect(next).toEqual({
      ...state,
      updated_at: NOW.toISOString(),
      data: { ...state.data, current_step: 'verify' },
    });
  });

  it('refuses what does not fit, and any change of a final state', () => {
    const wrong = { iteration_count: -1 };
    expect(thrownBy(() => updateData(stateWith('in_progress'), wrong, NOW))).toMatchObject({
      code: 'INVALID_STATE',
      data: { field: 'data.iteration_count' },
    });
    expect(thrownBy(() => updateData(stateWith('completed'), { final_output: 2 }, NOW))).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
    });
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
