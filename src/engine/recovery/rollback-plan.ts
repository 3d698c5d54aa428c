/** Where a task goes back to, and what that removes. Reads only. */
import { type CheckpointRecord, checkpointId } from '../../checkpoint/record/record.ts';
import { phrase } from '../../phrase.ts';
import type { Position, Storage } from '../../storage/contract.ts';
import { collectFiles, type FileEntries, pointOf } from '../files/own-changes.ts';
import type { Cut, Point } from '../task/cut.ts';
import {
  type CheckpointPlace,
  liveCheckpoints,
  requireCheckpoint,
  tryCheckpoint,
} from '../task/records/checkpoints.ts';
import type { Head } from '../task/records/head.ts';
import { type Survey, survey } from '../task/survey.ts';
import { type NewTask, requireTask } from '../task/tasks.ts';
import { refuseFinal } from './commit-rollback.ts';
import type { BackPreview } from './rollback-results.ts';

/** A checkpoint, or an entry of the journal; `reason` says in a few words why, `retry` that it counts as one. */
export type Destination =
  | { readonly checkpoint: string; readonly retry?: boolean }
  | { readonly cut: Cut; readonly reason: string; readonly retry?: boolean };

export interface Plan extends Split {
  readonly from: NewTask;
  /** Where the files go. */
  readonly point: Point;
  /** The last entry of the journal that stays: all of them if only files go back. */
  readonly cut: Cut;
  readonly seen: Survey;
  /** Where the journal ended. */
  readonly end: Position;
  /** What the journal says about files. */
  readonly files: FileEntries;
  /** What it goes back to, if it is one. */
  readonly checkpoint: string | null;
  readonly reason: string;
}

export async function planOf(
  storage: Storage,
  task: string,
  to: Destination,
  only?: 'state' | 'files',
): Promise<Plan> {
  const record = 'checkpoint' in to ? await requireCheckpoint(storage, to.checkpoint) : null;
  const point: Point = record ? pointOf(record) : (to as { cut: Cut }).cut;
  const reason = 'reason' in to ? to.reason : phrase`rolled back to ${to.checkpoint}`;
  const end = await storage.position(task); // First: a later write makes the plan outdated.
  const from = await requireTask(storage, task);
  const files: FileEntries[number][] = [];
  if (only === 'files') {
    const cut = { task, seq: end.seq };
    const seen = { ...(await survey(storage, from.head, cut, [collectFiles(files)])), failedLast: false };
    const checkpoint = record?.id ?? null;
    return { from, point, cut, seen, files, end, later: [], reference: record, checkpoint, reason };
  }
  refuseFinal(from.state);
  const cut = { task: point.task, seq: point.seq };
  const seen = await survey(storage, from.head, cut, [collectFiles(files)]);
  const split = record ? await splitAt(storage, record) : await splitAfter(storage, from.head, cut);
  return { from, point, cut, seen, files, end, ...split, checkpoint: split.kept?.id ?? null, reason };
}

export function whatGoes(
  { from, checkpoint, seen, later }: Plan,
  files: readonly string[] | null,
): BackPreview {
  const task = from.head.task_id;
  const checkpoints = later.map(({ sequence }) => checkpointId(task, sequence));
  return { task, checkpoint, ...seen.after, checkpoints, files, plan: null };
}

interface Split {
  /** The checkpoints to remove. */
  readonly later: readonly CheckpointPlace[];
  /** The newest that stays, else the newest that is removed: for the task's requirements. */
  readonly reference: CheckpointRecord | null;
  /** When none is left, one is made, with these requirements. */
  readonly requirements?: Readonly<Record<string, string>> | undefined;
}

type Kept = Split & { readonly kept: CheckpointRecord | null };

async function splitAt(storage: Storage, kept: CheckpointRecord): Promise<Kept> {
  const places = await liveCheckpoints(storage, kept.task_id);
  const later = places.filter(({ sequence }) => sequence > kept.sequence_number);
  return { later, kept, reference: kept };
}

/** Those made after the cut are removed, and damaged ones whose position is not known. */
async function splitAfter(storage: Storage, head: Head, cut: Cut): Promise<Kept> {
  const later: CheckpointPlace[] = [];
  let newestGone: CheckpointRecord | null = null;
  for (const place of (await liveCheckpoints(storage, head.task_id)).toReversed()) {
    const found = await tryCheckpoint(storage, head.task_id, place);
    const record = 'record' in found ? found.record : null;
    if (record && cut.task === head.task_id && record.journal.seq <= cut.seq)
      return { kept: record, reference: record, later };
    newestGone ??= record;
    later.unshift(place);
  }
  const requirements = newestGone?.recovery_info.env_requirements ?? {};
  return { kept: null, reference: newestGone, later, requirements };
}
