/** What the parts of one clean-up share. */
import type { CleanupConfig } from '../config/types.ts';
import { OwnershipError, StaleWriteError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';

export interface Sweep {
  readonly storage: Storage;
  readonly settings: CleanupConfig;
  readonly now: Date;
  /** Say what would go, and change nothing. */
  readonly dry: boolean;
  /** Also look for blobs that nothing names, and compact what ended. */
  readonly thorough: boolean;
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

/** Does something to a task, or notes that it was taken up or changed meanwhile: the next clean-up sees it anew. */
export async function unlessTaken<T>(sweep: Sweep, task: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OwnershipError) sweep.skip(task, 'it runs: its owner thins its checkpoints');
    else if (error instanceof StaleWriteError) sweep.skip(task, 'it changed meanwhile');
    else throw error;
    return null;
  }
}
