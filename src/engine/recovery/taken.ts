/** What a task itself did to files since it parted from another, as snapshots: undoing them the other way round does it again. */
import { answering, VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import type { OwnChange } from '../../workspace/restore/plan.ts';
import type { Steps } from '../../workspace/restore/restore.ts';
import { saveTree } from '../../workspace/snapshot/amend.ts';
import { openReader, type Reader } from '../../workspace/snapshot/reader.ts';
import { openTrees } from '../../workspace/snapshot/trees.ts';
import type { TreeEntry } from '../../workspace/tree/tree.ts';
import { isLostFile } from '../files/lost.ts';
import { firstSnapshot, spansAfter } from '../files/own-changes.ts';
import { ownChanges } from '../files/own-steps.ts';
import { requireCheckpoint } from '../history/checkpoints.ts';
import type { Point } from '../task/cut.ts';
import type { Head } from '../task/records/head.ts';
import { unlessWithheld } from '../task/records/withheld.ts';

export interface TakenFrom {
  /** `to` has what it left of each file, `own` leads from there back to what it found. Null where it changed none. */
  readonly steps: Steps | null;
  /** Where its files are; null where that is not known. */
  readonly place: string | null;
  /** Files that it or others changed: none of them is taken. */
  readonly in_doubt: readonly string[];
  /** Not taken, because their content is lost. */
  readonly lost: readonly string[];
  /** False if part of what it changed is not known: an operation is in progress or was cut off. */
  readonly complete: boolean;
}

/** As `compare` tells it. It may be running; `dir` is the project, for tasks without a directory of their own. */
export async function takenFrom(storage: Storage, from: Head, into: Head, dir: string): Promise<TakenFrom> {
  const point = (await partedAt(storage, from, into)) ?? { task: from.task_id, seq: 0 };
  const { task_id: task } = from;
  const spans = await spansAfter(storage, task, point);
  const { own, in_doubt, complete } = await ownChanges({ storage, task, treeOf: openTrees(storage) }, spans);
  // It reads objects only; it does not use holds.
  const repository = await openRepository(from.told_where ? from.working_dir : dir, 'none');
  try {
    const known = new Map<string, readonly OwnChange[]>();
    const lost: string[] = [];
    for (const [path, steps] of [...own].filter(([, { length }]) => length > 0)) {
      const stored = await unlessWithheld(storage, task, () =>
        inStore(storage, openReader(storage, repository), path, steps),
      );
      if (stored) known.set(path, stored);
      else lost.push(path);
    }
    const steps = known.size === 0 ? null : await stepsOf(storage, known);
    return { steps, place: spans.place, in_doubt, lost, complete };
  } finally {
    repository?.close();
  }
}

/** The same with its content in the store, where any directory finds it; null where some of it is lost. */
async function inStore(
  storage: Storage,
  reader: Reader,
  path: string,
  steps: readonly OwnChange[],
): Promise<OwnChange[] | null> {
  const stored = async (entry: TreeEntry | null): Promise<TreeEntry | null> => {
    if (entry?.kind !== 'file') return entry;
    const [bytes] = await reader.contents([{ path, entry }]);
    const { git, ...rest } = entry;
    if (git !== undefined) await storage.putBlobs(null, [{ kind: 'file', bytes: bytes! }]);
    return rest;
  };
  try {
    const found: OwnChange[] = [];
    for (const { before, after } of steps)
      found.push({ before: await stored(before), after: await stored(after) });
    return found;
  } catch (error) {
    if (isLostFile(error)) return null;
    throw error;
  }
}

/** Each change of a file is a span of its own: others changed it in between. Most files have one. */
async function stepsOf(storage: Storage, files: ReadonlyMap<string, readonly OwnChange[]>): Promise<Steps> {
  const most = Math.max(...[...files.values()].map(({ length }) => length));
  const own: { from: string; to: string }[] = [];
  for (let at = 0; at < most; at++) {
    const now = [...files].map(([path, steps]) => [path, steps[at] ?? doneAlready(steps)] as const);
    const side = (name: keyof OwnChange) =>
      saveTree(storage, new Map(now.map(([path, change]) => [path, change[name]])));
    own.unshift({ from: await side('after'), to: await side('before') });
  }
  return { to: own[0]!.from, own };
}

function doneAlready(steps: readonly OwnChange[]): OwnChange {
  const { after } = steps.at(-1)!;
  return { before: after, after };
}

interface Parted extends Point {
  readonly checkpoint: string | null;
}

/** The last entry that both have, and the checkpoint there. */
export async function partedAt(storage: Storage, a: Head, b: Head): Promise<Parted | null> {
  const chain = ({ lineage, task_id }: Head) => [
    ...lineage.map(({ task, to, checkpoint }) => ({ task, seq: to, checkpoint })),
    { task: task_id, seq: Number.POSITIVE_INFINITY, checkpoint: null },
  ];
  const [left, right] = [chain(a), chain(b)];
  let found: Omit<Parted, 'snapshot'> | null = null;
  for (const [at, one] of left.entries()) {
    const other = right[at];
    if (other?.task !== one.task) break;
    found = one.seq <= other.seq ? one : other;
  }
  if (!found) return null;
  const isGone = (error: unknown): boolean => error instanceof VibeError;
  const record =
    found.checkpoint === null
      ? null
      : await requireCheckpoint(storage, found.checkpoint).catch(answering(isGone, null));
  const snapshot = record?.snapshot ?? (await firstSnapshot(storage, found.task)) ?? undefined;
  return { ...found, snapshot };
}
