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
  /** What the clock says: what is written down has this time. */
  readonly at: Date;
  /** Say what would go, and change nothing. */
  readonly dry: boolean;
  /** Also look for blobs that nothing names, and compact what ended. */
  readonly thorough: boolean;
  /** Tasks whose journals were found damaged: nothing of them goes until they are repaired. */
  readonly damaged: Set<string>;
  /** Notes that a task, or what is no task's, was left as it is; the first reason counts. */
  skip(task: string | null, why: string): void;
  /** Lets whatever else the process does go on. */
  breathe(): Promise<void>;
  /** Whether to end after the task at hand. */
  stopping(): boolean;
}

const HOUR = 60 * 60 * 1000;

/** Whether what was removed then can go for good. */
export function graceIsOver({ settings, now }: Pick<Sweep, 'settings' | 'now'>, since: string): boolean {
  return now.getTime() - Date.parse(since) >= settings.grace_hours * HOUR;
}

/**
 * Removes what is no task, or not any more, if that is still so while nobody else can make it one: whoever makes a task
 * claims it before there is anything of it to be seen. Whether it is gone.
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

/** Does something to a task, or notes that it was taken up, changed meanwhile or is damaged: the next clean-up sees it anew. */
export async function unlessTaken<T>(sweep: Sweep, task: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OwnershipError) sweep.skip(task, phrase`it runs: its owner thins its checkpoints`);
    else if (error instanceof StaleWriteError) sweep.skip(task, phrase`it changed meanwhile`);
    else if (error instanceof CorruptError) noteDamage(sweep, task, error);
    else throw error;
    return null;
  }
}

/** The damage counts, whatever else was noted of the task. */
export function noteDamage({ damaged, skip }: Sweep, task: string, { message }: Error): void {
  damaged.add(task);
  skip(task, phrase`it is damaged: ${message}`);
}
