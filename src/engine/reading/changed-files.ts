/** The files a task has changed, read from its journal and the snapshots it names; reads no file of the workspace. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { openTrees } from '../../workspace/snapshot/trees.ts';
import { sameEntry } from '../../workspace/tree/tree.ts';
import { filesIn } from '../files/changes.ts';
import { LOOK_BACK } from '../files/others.ts';
import { type OwnSpans, pointOf, spansAfter, spansOf, startOf } from '../files/own-changes.ts';
import { ownChanges } from '../files/own-steps.ts';

export interface ChangedFiles {
  readonly changed: readonly string[];
  /** Changed when nobody knows whether by the task or by others: it was cut off, or commands ran side by side. */
  readonly in_doubt: readonly string[];
  /** False if part of it is not known: an operation is in progress or was interrupted, or a snapshot is gone. */
  readonly complete: boolean;
}

/** Null if the task ran without a workspace. */
export async function changedFiles(storage: Storage, task: string): Promise<ChangedFiles | null> {
  return changedIn(storage, task, await spansOf(storage, task));
}

/** The same without the changes of the tasks that it was forked from: what an undo reverts. */
export async function changedByItself(storage: Storage, task: string): Promise<ChangedFiles | null> {
  return changedIn(storage, task, await spansAfter(storage, task, startOf(task)));
}

/** What it did after a checkpoint. */
export async function changedAfter(
  storage: Storage,
  checkpoint: CheckpointRecord,
): Promise<ChangedFiles | null> {
  const { task_id } = checkpoint;
  return changedIn(storage, task_id, await spansAfter(storage, task_id, pointOf(checkpoint)));
}

/** Whether it captured any from a checkpoint on. */
export async function knowsFiles(storage: Storage, checkpoint: CheckpointRecord): Promise<boolean> {
  if (checkpoint.snapshot !== undefined) return true;
  return (await spansAfter(storage, checkpoint.task_id, pointOf(checkpoint))).spans().length > 0;
}

async function changedIn(storage: Storage, task: string, reader: OwnSpans): Promise<ChangedFiles | null> {
  const isUnread = (error: unknown): boolean => error instanceof VibeError;
  if (reader.spans().length === 0 && reader.newest() === null) return null;
  const source = { storage, task, treeOf: openTrees(storage), most: LOOK_BACK };
  const { own, in_doubt, complete } = await ownChanges(source, reader, isUnread);
  const changes = [...own].map(([path, steps]) => ({
    path,
    before: steps[0]?.before ?? null,
    after: steps.at(-1)?.after ?? null,
  }));
  const changed = filesIn(changes.filter(({ before, after }) => !sameEntry(before, after))).sort();
  return { changed, in_doubt: in_doubt.filter((path) => !changed.includes(path)), complete };
}
