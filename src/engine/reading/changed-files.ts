/** The files a task has changed, read from its journal and the snapshots it names; reads no file of the workspace. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { diffTrees } from '../../workspace/tree/diff.ts';
import { sameEntry, type Tree, type TreeEntry } from '../../workspace/tree/tree.ts';
import { filesIn } from '../files/changes.ts';
import { pointOf, spansAfter, spansOf, startOf } from '../files/own-changes.ts';
import type { SpanReader } from '../files/spans.ts';

export interface ChangedFiles {
  readonly changed: readonly string[];
  /** False if part of it is not known: an operation is in progress or was interrupted, or a snapshot is gone. */
  readonly complete: boolean;
}

/**
 * Null if the task ran without a workspace. For an unfinished operation, what was `captured` in the middle of it counts: the
 * snapshot of the newest checkpoint.
 */
export async function changedFiles(
  storage: Storage,
  task: string,
  captured?: string,
): Promise<ChangedFiles | null> {
  return changedIn(storage, await spansOf(storage, task), captured);
}

/** The same without the changes of the tasks that it was forked from: what an undo reverts. */
export async function changedByItself(
  storage: Storage,
  task: string,
  captured?: string,
): Promise<ChangedFiles | null> {
  return changedIn(storage, await spansAfter(storage, task, startOf(task)), captured);
}

/** What it did after a checkpoint. */
export async function changedAfter(
  storage: Storage,
  checkpoint: CheckpointRecord,
): Promise<ChangedFiles | null> {
  return changedIn(storage, await spansAfter(storage, checkpoint.task_id, pointOf(checkpoint)), undefined);
}

/** Whether it captured any from a checkpoint on. */
export async function knowsFiles(storage: Storage, checkpoint: CheckpointRecord): Promise<boolean> {
  if (checkpoint.snapshot !== undefined) return true;
  return (await spansAfter(storage, checkpoint.task_id, pointOf(checkpoint))).spans().length > 0;
}

async function changedIn(
  storage: Storage,
  reader: SpanReader,
  captured: string | undefined,
): Promise<ChangedFiles | null> {
  const spans = reader.spans();
  if (spans.length === 0) return reader.newest() === null ? null : { changed: [], complete: true };
  const trees = new Map<string, Promise<Tree>>();
  const treeOf = (id: string): Promise<Tree> => {
    const known = trees.get(id) ?? loadSnapshot(storage, id).then(({ tree }) => tree);
    trees.set(id, known);
    return known;
  };
  const sides = new Map<string, { before: TreeEntry | null; after: TreeEntry | null }>();
  let complete = true;
  for (const { from, to, paths } of spans) {
    const until = to ?? captured;
    if (to === null) complete = false;
    if (until === undefined) continue;
    try {
      for (const { path, before, after } of diffTrees(await treeOf(from), await treeOf(until))) {
        if (paths && !paths.includes(path)) continue;
        sides.set(path, { before: sides.has(path) ? sides.get(path)!.before : before, after });
      }
    } catch (error) {
      if (!(error instanceof VibeError)) throw error;
      complete = false;
    }
  }
  const changes = [...sides].map(([path, side]) => ({ path, ...side }));
  return {
    changed: filesIn(changes.filter(({ before, after }) => !sameEntry(before, after))).sort(),
    complete,
  };
}
