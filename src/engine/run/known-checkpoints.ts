/** What a run knows of its task's checkpoints: from the store, or from the run before it. */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import { answering } from '../../errors.ts';
import type { TaskCheckpoint } from '../history/checkpoints.ts';
import type { Timed } from '../history/marks.ts';
import { isUnreadable } from '../task/damage.ts';
import type { Head } from '../task/records/head.ts';

/** `made_at`: what its time is told from, which is rarely asked for. `stays`: however many follow. */
export interface Listed {
  readonly sequence: number;
  readonly made_at: Timed;
  readonly key: string | null;
  readonly stays: boolean;
}

/** What is known of a task's checkpoints when it runs. */
export interface KnownCheckpoints {
  readonly listed: readonly Listed[];
  /** Records of checkpoints that are no longer listed: they go with the next one that is written. */
  readonly outdated: readonly string[];
  /** The highest number. */
  readonly newest: number;
  /** The files at the newest. */
  snapshot(): Promise<string | undefined>;
}

/** A turn of an agent stays in the list. */
export const STAYS: CheckpointTrigger = 'before_turn';

export function knownCheckpoints(existing: readonly TaskCheckpoint[], head: Head): KnownCheckpoints {
  const last = existing.at(-1);
  return {
    listed: existing.map(({ sequence, created_at, key, marked }) => {
      return { sequence, made_at: { at: created_at }, key, stays: marked?.moment.trigger === STAYS };
    }),
    outdated: [],
    newest: Math.max(last?.sequence ?? 0, head.last_checkpoint),
    snapshot: async () =>
      last?.marked
        ? last.marked.moment.snapshot
        : (await last?.read().catch(answering(isUnreadable, null)))?.snapshot,
  };
}
