/** The notice about commands that outlived the process of their task. */
import type { Call } from '../kit/verb.ts';

export function stillRunsLines(
  pids: readonly number[],
  { say, paint }: Pick<Call, 'say' | 'paint'>,
): string[] {
  if (pids.length === 0) return [];
  return [paint.warn(say('show.still_runs', { pids: pids.join(', '), kill: `kill ${pids.join(' ')}` }))];
}
