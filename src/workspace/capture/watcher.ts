/** What a system that tells of changes to files has to say, and to whom. */
import type { Dirty } from './dirty.ts';

/** How one kind of system tells. */
export interface Watcher {
  entering(path: string): void;
  /** Told of what changed, before that is looked at. */
  replaced(changed: Dirty): void;
  /** False where it cannot watch. Once it is done, all that happens is told. */
  restart(directories: Iterable<string>): Promise<boolean>;
  /** Whether all that happened until now has been told. */
  caughtUp(): Promise<boolean>;
  close(): void;
}

export interface WatchListener {
  /** A name in a directory; null where the system does not say which. */
  note(directory: string, kind: 'rename' | 'change', name: string | null): void;
  /** Something may have been missed. */
  distrust(): void;
  /** There are no watches left to be had. */
  giveUp(): void;
}
