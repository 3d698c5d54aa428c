/** What can be done next with a task, the likeliest first; nothing that would be refused. Pure. */

import type { TaskRow } from '../../engine/reading/row.ts';
import type { TaskView } from '../../engine/reading/view.ts';
import { isFinal } from '../../task/status.ts';

export function nextVerbs(
  { row, history, waits, checkpoints, about, can_undo, can_redo, unfinished }: TaskView,
  short: string,
): string[] {
  // A brief view has no more than their numbers.
  const numbers =
    checkpoints.length > 0
      ? checkpoints.map(({ sequence_number }) => sequence_number)
      : (about?.numbers ?? []);
  // A session is taken back by whole turns.
  const turn = checkpoints.slice(0, -1).findLast(({ trigger }) => trigger === 'before_turn');
  const before = (row.client === null ? undefined : turn?.sequence_number) ?? numbers.at(-2);
  const newest = numbers.at(-1);
  const asks = waits.some(({ answered, timed_out }) => !answered && !timed_out);
  const runs = row.holder !== null;
  const over = isFinal(row.status);
  const ended = hasEnded(row);
  const list = newest === undefined ? [] : [`checkpoints list ${short}`];
  const resuming = [
    ...(row.resumable || (row.status === 'waiting' && !runs) ? [`resume ${short}`] : []),
    ...(row.status === 'failed' && row.resumable ? [`retry ${short}`] : []),
  ];
  // Going back shows first what it would change, which a damaged journal does not tell until it is repaired.
  if (history === null) return [...resuming, 'doctor --repair', ...list];
  return [
    ...(unfinished !== null && unfinished !== 'resume' ? [`${unfinished} ${short}`] : []),
    ...(asks ? [`answer ${short} <value>`] : []),
    ...resuming,
    ...(runs && row.status !== 'paused' ? [`pause ${short}`] : []),
    ...(!over && !runs && before !== undefined ? [`rollback ${short}-${before}`] : []),
    ...(!runs && can_undo && unfinished !== 'undo' ? [`undo ${short}`] : []),
    ...(!runs && can_redo && unfinished !== 'redo' ? [`redo ${short}`] : []),
    ...(ended && newest !== undefined ? [`fork ${short}-${newest}`] : []),
    ...list,
  ];
}

/** Ended, or failed permanently: only a fork can continue it. */
export function hasEnded({ status, resumable }: Pick<TaskRow, 'status' | 'resumable'>): boolean {
  return isFinal(status) || (status === 'failed' && !resumable);
}
