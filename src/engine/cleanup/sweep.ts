/** What the parts of one clean-up share. */
import type { CleanupConfig } from '../../config/types.ts';
import { CorruptError, OwnershipError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';

export interface Sweep {
  readonly storage: Storage;
  readonly settings: CleanupConfig;
  /** Up to when ages are counted. */
  readonly now: Date;
  /** What the clock says: the time in records. */
  readonly at: Date;
  /** Report what would be removed, and change nothing. */
  readonly dry: boolean;
  /** Also look for unreferenced blobs, and compact what ended. */
  readonly thorough: boolean;
  /** Tasks whose journals were found damaged: nothing of them is removed until they are repaired. */
  readonly damaged: Set<string>;
  /** Notes that a task, or data outside tasks, was skipped; the first reason counts. */
  skip(task: string | null, why: string): void;
  /** Lets other work of the process continue. */
  breathe(): Promise<void>;
  /** Whether to stop after the current task. */
  stopping(): boolean;
}

const HOUR = 60 * 60 * 1000;

/** Whether data removed at that time can be freed now. */
export function graceIsOver({ settings, now }: Pick<Sweep, 'settings' | 'now'>, since: string): boolean {
  return now.getTime() - Date.parse(since) >= settings.grace_hours * HOUR;
}

/**
 * Removes data that belongs to no task (any more), if that is still so under a claim: a task is claimed before anything of
 * it becomes visible. Returns whether it is gone.
 */
export async function removeBare(
  sweep: Sweep,
  task: string,
  isBare: () => Promise<boolean>,
): Promise<boolean> {
  const { storage } = sweep;
  const removed = await unlessTaken(sweep, task, async () => {
    const { fence, release } = await storage.claim(task);
    try {
      if (!(await isBare())) return false;
      await storage.removeTask(task, { fence });
      return true;
    } finally {
      await release();
    }
  });
  return removed ?? false;
}

/** Does something to a task, or notes that it was claimed, has changed or is damaged: the next clean-up checks it again. */
export async function unlessTaken<T>(sweep: Sweep, task: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OwnershipError)
      sweep.skip(task, phrase`it is running: its owner removes old checkpoints`);
    else if (error instanceof StaleWriteError) sweep.skip(task, phrase`it changed in the meantime`);
    else if (error instanceof CorruptError) noteDamage(sweep, task, error);
    else throw error;
    return null;
  }
}

/** Damage overrides other notes about the task. */
export function noteDamage({ damaged, skip }: Sweep, task: string, { message }: Error): void {
  damaged.add(task);
  skip(task, phrase`it is damaged: ${message}`);
}
