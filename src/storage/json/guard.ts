/** Whether the store may still write: one whose sync failed refuses to. A closed one has lost its claims. */
import { IoError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';

export interface Guard {
  /** Why its claims no longer count; null while it is open. */
  closedError(): StoreError | null;
  /** Throws where a sync has failed. */
  assertSound(): void;
  /** Runs something that writes. A sync that fails leaves unknown what is on the disk, so it is the last write. */
  write<T>(run: () => T): T;
  /** The same for an error that arrives later. */
  noteFailure(error: unknown): void;
  /** False when it was closed already. */
  close(): boolean;
}

/** After these fail the content of the disk is unknown, and a retry can report success wrongly. */
const UNKNOWN_AFTER = new Set(['fsync', 'fdatasync', 'truncate']);

export function createGuard(root: string): Guard {
  let closed = false;
  let poison: unknown;

  const closedError = (): StoreError | null => {
    if (!closed) return null;
    return new StoreError('STORE_CLOSED', phrase`The store in ${root} is closed.`, {
      data: { root },
      hint: phrase`Open it again, or close it later.`,
    });
  };
  const assertSound = (): void => {
    if (poison === undefined) return;
    throw new StoreError(
      'STORE_POISONED',
      phrase`The store in ${root} no longer writes: syncing to the disk failed.`,
      {
        data: { root },
        cause: poison,
        hint: phrase`Check the disk, then close the store and open it again: opening reads what the disk really has.`,
      },
    );
  };
  const noteFailure = (error: unknown): void => {
    if (error instanceof IoError && UNKNOWN_AFTER.has(error.data.op as string)) poison ??= error;
  };
  return {
    closedError,
    assertSound,
    write: (run) => {
      // Calls made before the store was closed still finish.
      assertSound();
      try {
        return run();
      } catch (error) {
        noteFailure(error);
        throw error;
      }
    },
    noteFailure,
    close: () => {
      const first = !closed;
      closed = true;
      return first;
    },
  };
}
