/** Steps as lines: how each ended, what it took, and when that was. Pure. */

import type { TaskHistory } from '../../engine/history/history.ts';
import type { StepRecord } from '../../engine/history/history-steps.ts';
import { commandFailed } from '../../engine/task/command-step.ts';
import type { Paint } from '../format/paint.ts';
import { bar } from '../format/spark.ts';
import { type Cell, table } from '../format/table.ts';
import type { Amounts } from '../kit/amounts.ts';
import type { Say } from '../text/choose.ts';
import type { Translate } from '../text/translate.ts';
import { readable } from './readable.ts';

export interface StepStyle {
  readonly say: Say;
  readonly translate: Translate;
  readonly paint: Paint;
  readonly amounts: Amounts;
  readonly width: number | null;
  /** How many of the newest; null: all. */
  readonly most: number | null;
}

const COLUMNS = 24;

export function stepLines(
  { steps, start_time, total_duration }: Pick<TaskHistory, 'steps' | 'start_time' | 'total_duration'>,
  style: StepStyle,
): string[] {
  const { say, paint, amounts, most } = style;
  const shown = most === null ? steps : steps.slice(-most);
  const begin = Date.parse(start_time ?? steps[0]?.started_at ?? '');
  const whole = Math.max(total_duration, 1);
  const rows = shown.map((step): Cell[] => {
    const from = Math.min(1, Math.max(0, (Date.parse(step.started_at) - begin) / whole));
    const to = Math.min(1, from + step.duration_ms / whole);
    return [
      `  ${MARKS[outcomeOf(step)]}`,
      [nameOf(step), painterOf(step, paint)],
      [step.status === 'skipped' ? '' : amounts.duration(step.duration_ms), paint.dim],
      [bar(from, to, COLUMNS).padEnd(COLUMNS), painterOf(step, paint)],
      [noteOf(step, style), paint.dim],
    ];
  });
  const earlier = steps.length - shown.length;
  return [
    ...(earlier > 0 ? [paint.dim(`  ${say('show.earlier_steps', { count: earlier })}`)] : []),
    ...table(rows, style.width),
  ];
}

const MARKS: Readonly<Record<StepRecord['status'], string>> = {
  success: '✓',
  failed: '✗',
  pending: '…',
  skipped: '–',
};

function painterOf(step: StepRecord, paint: Paint) {
  return { success: paint.good, failed: paint.bad, pending: paint.warn, skipped: paint.dim }[outcomeOf(step)];
}

/** The step of a command that failed is done, but the command was not successful. */
function outcomeOf(step: StepRecord): StepRecord['status'] {
  return step.status === 'success' && commandFailed(step) ? 'failed' : step.status;
}

const STORED_APART = /^\d+ bytes in blob:\/\/\S+$/;

function nameOf({ agent, name }: StepRecord): string {
  return agent === null ? name : `${agent}/${name}`;
}

function noteOf({ attempts, status, result }: StepRecord, { say, translate }: StepStyle): string {
  const error = attempts.findLast(({ error }) => error !== null)?.error;
  const tries = attempts.length > 1 ? `${say('show.attempts', { count: attempts.length })} ` : '';
  const said = STORED_APART.test(result ?? '') ? translate(result!) : readable(result ?? '');
  // A failed call of an agent has no error of ours: what it answered says why.
  if (status === 'success' || !error) return tries + said;
  return tries + translate(error.message);
}
