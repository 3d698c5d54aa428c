/** The history that users are shown. */
import { isDeepStrictEqual } from 'node:util';
import type { TaskHistory } from '../../src/engine/history/history.ts';
import type { StepRecord } from '../../src/engine/history/history-steps.ts';
import type { Kept } from './judge.ts';
import { SKIPPED, STEPS } from './task.ts';

export function* judgeHistory(history: TaskHistory, journal: readonly Kept[]): Generator<string> {
  const recoveries = journal.filter(({ entry }) => entry.t === 'recovery').length;
  if (history.recovery_attempts !== recoveries)
    yield `the history counts ${history.recovery_attempts} recoveries, the journal ${recoveries}`;
  if (history.status !== 'success' || history.start_time === null || history.end_time === null)
    yield `the history says ${history.status}, from ${history.start_time} to ${history.end_time}`;
  const ids = history.steps.map(({ id }) => id).sort();
  const wanted = [...STEPS.map(({ id }) => id), SKIPPED].sort();
  if (!isDeepStrictEqual(ids, wanted)) yield `the history has the steps ${ids.join(' ')}`;
  const indexes = history.steps.map(({ index }) => index);
  if (new Set(indexes).size < indexes.length) yield `two steps have one index: ${indexes}`;
  for (const step of history.steps) yield* judgeStep(step);
}

function* judgeStep({ id, status, attempts }: StepRecord): Generator<string> {
  if (id === SKIPPED) {
    if (status !== 'skipped') yield `${id} is ${status} in the history`;
    return;
  }
  const expected = STEPS.find((step) => step.id === id)?.attempts ?? 0;
  const numbers = attempts.map(({ attempt, error }) => `${attempt}${error ? ' failed' : ''}`).join(', ');
  const wanted = Array.from({ length: expected }, (_, i) =>
    i + 1 < expected ? `${i + 1} failed` : `${i + 1}`,
  );
  if (status !== 'success' || numbers !== wanted.join(', '))
    yield `the history has ${id} as ${status} with the attempts ${numbers}`;
}
