/** What can be done with a task now, and why not the rest: for a page with buttons. Pure. */

import type { TaskView } from '../../engine/reading/view.ts';
import { checkpointId } from '../../task/keys.ts';
import { isFinal } from '../../task/status.ts';
import type { Say } from '../text/choose.ts';
import { hasEnded } from './next-verbs.ts';

interface Action {
  readonly verb: string;
  readonly args: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly allowed: boolean;
  readonly why_not: string | null;
}

type Reason =
  | 'running'
  | 'not_running'
  | 'ended'
  | 'not_failed'
  | 'not_resumable'
  | 'nothing_asked'
  | 'no_checkpoint'
  | 'no_files'
  | 'nothing_undone'
  | 'damaged';

/** The ids are whole, so that they mean the same later. */
export function actionsOf(view: TaskView, say: Say): Action[] {
  const { row, waits, can_undo, can_redo, about, history, checkpoints } = view;
  const task = row.id;
  const runs = row.holder !== null;
  const over = isFinal(row.status);
  const numbers = about?.numbers ?? checkpoints.map(({ sequence_number }) => sequence_number);
  const point = (at: number): string => checkpointId(task, numbers.at(at) ?? numbers[0] ?? 0);
  const open = waits.find(({ answered, timed_out }) => !answered && !timed_out);
  const goes = row.resumable || (row.status === 'waiting' && !runs);
  const resume = runs ? 'running' : hasEnded(row) ? 'ended' : goes ? null : 'not_resumable';
  const damaged = history === null ? 'damaged' : null;
  const back = over ? 'ended' : runs ? 'running' : numbers.length === 0 ? 'no_checkpoint' : damaged;
  const action = (
    verb: string,
    reason: Reason | null,
    args: Action['args'],
    options: Action['options'] = {},
  ): Action => ({
    verb,
    args,
    options,
    allowed: reason === null,
    why_not: reason === null ? null : say(`action.no.${reason}`),
  });
  return [
    action('answer', over ? 'ended' : open ? null : 'nothing_asked', { task }, open ? { wait: open.id } : {}),
    action('resume', resume, { task }),
    action('retry', row.status === 'failed' ? resume : 'not_failed', { task }),
    action('pause', over ? 'ended' : runs ? null : 'not_running', { task }),
    action('cancel', over ? 'ended' : null, { task }),
    action('rollback', back, { checkpoint: point(-2) }),
    action('undo', runs ? 'running' : can_undo ? damaged : 'no_files', { task }),
    action('redo', runs ? 'running' : can_redo ? null : 'nothing_undone', { task }),
    action('fork', numbers.length === 0 ? 'no_checkpoint' : null, { checkpoint: point(-1) }),
  ];
}
