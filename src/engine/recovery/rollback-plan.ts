/** Where a task goes back to, and what that removes. Reads only. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { phrase } from '../../phrase.ts';
import type { Position, Storage } from '../../storage/contract.ts';
import { checkpointId, parseCheckpointId } from '../../task/keys.ts';
import { collectFiles, type FileEntries, pointOf } from '../files/own-changes.ts';
import {
  checkpointOfMark,
  isRemoved,
  listCheckpoints,
  requireCheckpoint,
  type TaskCheckpoint,
  tryCheckpoint,
} from '../history/checkpoints.ts';
import { type CutAt, type Survey, survey } from '../history/survey.ts';
import type { Cut, Point } from '../task/cut.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import type { Head } from '../task/records/head.ts';
import { requireTask, type StoredTask } from '../task/tasks.ts';
import { refuseFinal } from './commit-rollback.ts';
import type { BackPreview } from './rollback-results.ts';

/** A checkpoint, or an entry of the journal; `reason` says in a few words why, `retry` that it counts as one. */
export type Destination =
  | { readonly checkpoint: string; readonly retry?: boolean }
  | { readonly cut: Cut; readonly reason: string; readonly retry?: boolean };

export interface Plan extends Split {
  readonly from: StoredTask;
  /** Where the files go. */
  readonly point: Point;
  /** The last entry of the journal that stays: all of them if only files go back. */
  readonly cut: Cut;
  readonly seen: Survey;
  /** Where the journal ended. */
  readonly end: Position;
  /** What the journal says about files. */
  readonly files: FileEntries;
  /** The numbers of checkpoints that go as well, and are not in the list. */
  readonly unlisted: readonly number[];
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
  const reason = 'reason' in to ? to.reason : phrase`rolled back to ${to.checkpoint}`;
  const end = await storage.position(task); // First: a later write makes the plan outdated.
  const from = await requireTask(storage, task);
  const { head } = from;
  const wanted = 'checkpoint' in to ? parseCheckpointId(to.checkpoint)?.sequence : undefined;
  const everything = { task, seq: end.seq };
  const read = async (cut: CutAt) => {
    const files: FileEntries[number][] = [];
    return { files, seen: await survey(storage, head, cut, [collectFiles(files)], wanted) };
  };
  let { files, seen } = await read(only === 'files' || wanted === undefined ? everything : { mark: wanted });
  const record = 'checkpoint' in to ? await recordIn(storage, head, seen, to.checkpoint) : null;
  const point: Point = record ? pointOf(record) : (to as { cut: Cut }).cut;
  if (only === 'files') {
    const checkpoint = record?.id ?? null;
    const cut = everything;
    const unchanged = { ...seen, failedLast: false };
    return {
      from,
      point,
      cut,
      seen: unchanged,
      files,
      end,
      later: [],
      unlisted: [],
      reference: record,
      checkpoint,
      reason,
    };
  }
  refuseFinal(from.state);
  const cut = { task: point.task, seq: point.seq };
  // Without a mark at it, the journal was not read around it.
  if (!seen.marks.found()) ({ files, seen } = await read(cut));
  const all = await listCheckpoints(storage, head, seen.marks);
  const split = record ? splitAt(all, record) : await splitAfter(all, head, cut);
  const cleaned = await loadCleaned(storage, task);
  const later = new Set(split.later.map(({ sequence }) => sequence));
  const unlisted = seen.marked_after.filter((one) => !later.has(one) && !isRemoved(cleaned, one));
  const checkpoint = split.kept?.id ?? null;
  return { from, point, cut, seen, files, end, ...split, unlisted, checkpoint, reason };
}

/** A checkpoint of the journal that was read, or one with a record alone. */
async function recordIn(storage: Storage, head: Head, seen: Survey, id: string): Promise<CheckpointRecord> {
  const marked = seen.marks.found();
  const place = marked && (await checkpointOfMark(storage, head, marked));
  return place ? place.read() : requireCheckpoint(storage, id);
}

export function whatGoes(
  { from, checkpoint, seen, later, unlisted, end }: Plan,
  files: readonly string[] | null,
): BackPreview {
  const task = from.head.task_id;
  const checkpoints = [...later.map(({ sequence }) => sequence), ...unlisted]
    .sort((a, b) => a - b)
    .map((sequence) => checkpointId(task, sequence));
  const nothing = { plan: null, conversation: null };
  return { task, checkpoint, ...seen.after, checkpoints, files, expect: end.seq, ...nothing };
}

interface Split {
  /** The checkpoints to remove. */
  readonly later: readonly TaskCheckpoint[];
  /** The newest that stays, else the newest that is removed: for the task's requirements. */
  readonly reference: CheckpointRecord | null;
  /** When none is left, one is made, with these requirements. */
  readonly requirements?: Readonly<Record<string, string>> | undefined;
}

type SplitCheckpoints = Split & { readonly kept: CheckpointRecord | null };

function splitAt(all: readonly TaskCheckpoint[], kept: CheckpointRecord): SplitCheckpoints {
  const later = all.filter(({ sequence }) => sequence > kept.sequence_number);
  return { later, kept, reference: kept };
}

/** Those made after the cut are removed, and damaged ones whose position is not known. */
async function splitAfter(all: readonly TaskCheckpoint[], head: Head, cut: Cut): Promise<SplitCheckpoints> {
  const later: TaskCheckpoint[] = [];
  let newestGone: CheckpointRecord | null = null;
  for (const place of all.toReversed()) {
    const found = await tryCheckpoint(place);
    const record = 'record' in found ? found.record : null;
    if (record && cut.task === head.task_id && record.journal.seq <= cut.seq)
      return { kept: record, reference: record, later };
    newestGone ??= record;
    later.unshift(place);
  }
  const requirements = newestGone?.recovery_info.env_requirements ?? {};
  return { kept: null, reference: newestGone, later, requirements };
}
