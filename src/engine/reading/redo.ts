/** What a redo of a task would do, without doing it. */
import type { Storage } from '../../storage/contract.ts';
import { canRedo } from '../recovery/redo.ts';
import { loadHead } from '../task/records/head.ts';
import { loadUnfinished } from '../task/records/rollback-in-progress.ts';
import { loadRolledBack } from '../task/records/rolled-back.ts';

export interface RedoView {
  /** A rollback was interrupted: it is finished first. */
  readonly unfinished: boolean;
  readonly possible: boolean;
  /** Files were restored, or were about to be. */
  readonly files: boolean;
  /** When its changes to files were undone without changing the task. */
  readonly files_undone_at: string | null;
}

export async function readRedoable(storage: Storage, task: string): Promise<RedoView> {
  const unfinished = (await loadUnfinished(storage, task)) !== null;
  const head = await loadHead(storage, task);
  const last = head?.undone.at(-1);
  const undone = last ? await loadRolledBack(storage, last.key) : null;
  return {
    unfinished,
    possible: head !== null && (await canRedo(storage, head)),
    files: unfinished || (undone?.files ?? null) !== null,
    files_undone_at: head?.files_undone?.at ?? null,
  };
}
