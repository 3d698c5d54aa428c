/** What can be done with a task from where it stands, the likeliest first. Pure. */
import { isFinal } from '../../task/status.ts';
import type { TaskView } from './task-view.ts';

export function nextVerbs({ row, waits, checkpoints, can_redo }: TaskView, short: string): string[] {
  const before = checkpoints.at(-2)?.sequence_number;
  const newest = checkpoints.at(-1)?.sequence_number;
  const asks = waits.some(({ answered }) => !answered);
  const runs = row.holder !== null;
  const over = isFinal(row.status);
  return [
    ...(asks ? [`answer ${short} <value>`] : []),
    ...(row.resumable ? [`resume ${short}`] : []),
    ...(row.status === 'failed' ? [`retry ${short}`] : []),
    ...(runs && row.status !== 'paused' ? [`pause ${short}`] : []),
    ...(!over && !runs && before !== undefined ? [`rollback ${short}-${before}`] : []),
    ...(!over && !runs && can_redo ? [`redo ${short}`] : []),
    ...(over && newest !== undefined ? [`fork ${short}-${newest}`] : []),
    ...(newest === undefined ? [] : [`checkpoints list ${short}`]),
  ];
}
