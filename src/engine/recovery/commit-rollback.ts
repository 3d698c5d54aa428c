/** The one commit of a rollback, with everything needed to undo it. Rollback and retry from a step end here. */

import type { Located } from '../../checkpoint/located.ts';
import { CorruptError, EngineError, OwnershipError } from '../../errors.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, RecordWrite, Storage } from '../../storage/contract.ts';
import { userHere } from '../../system/user/user.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal } from '../../task/status.ts';
import type { Undo } from '../../workspace/restore/apply.ts';
import type { Prompter } from '../api/prompter.ts';
import type { FileChoices } from '../files/choices.ts';
import type { Survey } from '../history/survey.ts';
import type { EngineServices } from '../run/services.ts';
import { type Cut, cutAfter } from '../task/cut.ts';
import type { Entry, EntryOf } from '../task/entries.ts';
import { claimTask } from '../task/records/claim.ts';
import { type Head, headRecord } from '../task/records/head.ts';
import { type RolledBack, rolledBackKey, rolledBackRecord } from '../task/records/rolled-back.ts';
import type { StoredTask } from '../task/tasks.ts';
import { announce, type Moved } from '../task/transitions.ts';
import { idleCheckpoint } from './idle-checkpoint.ts';
import type { Finished } from './rollback-results.ts';

export interface RollbackServices extends EngineServices {
  readonly running: {
    get(task: string): unknown;
    finishRollback(claim: Claim, prompter?: Prompter, choices?: FileChoices): Promise<Finished | null>;
  };
}

interface RollbackTarget {
  /** The task as it is. */
  readonly from: StoredTask;
  readonly cut: Cut;
  readonly seen: Pick<Survey, 'kept' | 'settled' | 'failedLast'>;
  /** Its state afterwards. */
  readonly moved: Moved;
  readonly checkpoint: string | null;
  /** The checkpoints to remove. */
  readonly later: readonly Located[];
  /** When none is left, one is made, with these requirements. */
  readonly requirements?: Readonly<Record<string, string>> | undefined;
  /** What the workspace needs to undo its part, and where its files are. */
  readonly files: Undo | null;
  readonly place?: string;
  /** A snapshot of the files, if more was done to them. */
  readonly snapshot?: string;
  /** The target, if only files were restored; the task stays. */
  readonly filesTo?: Cut;
  /** Who asked for it; default: the user of this machine. */
  readonly by?: string | undefined;
  /** The files match the task: no undo of files alone is pending any more. */
  readonly as_recorded?: boolean;
  /** It is a retry after a failure. */
  readonly retry?: boolean;
  /** Records to remove with it. */
  readonly dropping?: readonly RecordWrite[];
}

export async function commitRollback(
  services: RollbackServices,
  claim: Claim,
  back: RollbackTarget,
): Promise<void> {
  const { storage, clock } = services;
  const { cut, seen, moved, checkpoint, later } = back;
  const { head, state } = back.from;
  const task = head.task_id;
  const at = clock.now().toISOString();
  const end = await storage.position(task);
  const rollback = end.seq + 1;
  const by = back.by ?? userHere();
  const from = cut.task === task ? cut.seq + 1 : 1;
  const entries: Entry[] = [
    {
      t: 'rollback',
      at,
      checkpoint,
      to: from - 1,
      settled: [...seen.settled],
      ...snapshotAfter(back),
      ...filesAlone(back),
      by,
    },
    // The last failure there should run again, not be replayed.
    ...(seen.failedLast ? [{ t: 'retry', at } as const] : []),
    ...moved.entries,
  ];
  const { files_undone, ...rest } = head;
  const after: Head = {
    ...rest,
    ...(back.as_recorded || !files_undone ? {} : { files_undone }),
    ...cutAfter(head, cut, end.seq),
    undone: [...head.undone, { key: rolledBackKey(task, rollback), from, to: end.seq, at }],
    last_checkpoint: Math.max(head.last_checkpoint, ...later.map(({ sequence }) => sequence)),
    retries: head.retries + (back.retry ? 1 : 0),
    ...(back.filesTo ? { files_undone: { at, by, checkpoint } } : {}),
  };
  const added =
    back.requirements &&
    idleCheckpoint(
      { head: after, state: moved.state, memory: seen.kept, requirements: back.requirements },
      { after: end, entries, sequence: after.last_checkpoint + 1, trigger: 'rollback', now: clock.now() },
      services.config.checkpoints,
    );
  if (added && added.blobs.length > 0) await storage.putBlobs(task, added.blobs);
  const keys = later.flatMap(({ key }) => key ?? []);
  const undone: RolledBack = {
    at,
    checkpoint,
    rollback,
    last: end.seq + entries.length,
    dead: head.dead,
    lineage: head.lineage.map(({ dead }) => dead),
    state,
    checkpoints: await readable(storage, keys),
    added: added?.record.key ?? null,
    files: back.files,
    ...(back.retry ? { retries: head.retries } : {}),
    ...(head.files_undone ? { files_undone: head.files_undone } : {}),
  };
  const removals = keys.map((key): RecordWrite => ({ category: 'tasks', key, remove: true }));
  await storage.commit({
    task,
    fence: claim.fence,
    records: [
      headRecord(after),
      stateRecord(moved.state),
      rolledBackRecord(task, undone),
      ...removals,
      ...(back.dropping ?? []),
      ...(added ? [added.record] : []),
    ],
    append: { after: end, entries: added?.entries ?? entries },
  });
  services.emit({ type: 'rollback', task, checkpoint });
  announce(services.emit, head, moved.entries);
}

/** How the files are now, and what was changed in them. */
function snapshotAfter({
  files,
  place,
  snapshot,
}: RollbackTarget): Pick<EntryOf<'rollback'>, 'snapshot' | 'changed'> {
  const now = snapshot ?? files?.after;
  return {
    ...(now === undefined ? {} : { snapshot: now }),
    ...(files && files.before !== files.after
      ? { changed: { from: files.before, to: files.after, place } }
      : {}),
  };
}

/** If only files were restored: to which entry, and how they were before. */
function filesAlone({ files, filesTo }: RollbackTarget): Pick<EntryOf<'rollback'>, 'files'> {
  if (!filesTo || !files) return {};
  return { files: { before: files.before, task: filesTo.task, seq: filesTo.seq } };
}

type Claiming = Pick<RollbackServices, 'storage' | 'running' | 'prompter'>;

/** Runs `change` as the task's only writer; it gets what was finished first, to which the choices apply, too. */
export async function asOnlyWriter<T>(
  services: Claiming,
  task: string,
  change: (claim: Claim, finished: Finished | null) => Promise<T>,
  choices?: FileChoices,
): Promise<T> {
  const { claim, finished } = await claimIdle(services, task, choices);
  try {
    return await change(claim, finished);
  } finally {
    await claim.release();
  }
}

/** TASK_OWNED if it is running, here or elsewhere. */
export async function claimIdle(
  { storage, running, prompter }: Claiming,
  task: string,
  choices?: FileChoices,
): Promise<{ readonly claim: Claim; readonly finished: Finished | null }> {
  if (!running.get(task)) {
    const claim = await claimTask(storage, task);
    try {
      return { claim, finished: await running.finishRollback(claim, prompter, choices) };
    } catch (error) {
      await claim.release();
      throw error;
    }
  }
  throw new OwnershipError('TASK_OWNED', phrase`Task ${task} is running in this process.`, {
    data: { task },
    hint: phrase`Pause it, then try again.`,
  });
}

export function refuseFinal({ task_id, task_name, status }: TaskState): void {
  if (!isFinal(status)) return;
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`Task "${task_name}" (${task_id}) is ${status}: it can neither be resumed nor rolled back.`,
    {
      data: { task: task_id, status },
      hint: phrase`Fork it from a checkpoint: that creates a new task which continues from there. Its changes to files can still be undone: vibe-engine undo ${task_id}, or rollback with --only files.`,
    },
  );
}

/** An unreadable record is removed as well; nothing of it can be restored. */
async function readable(storage: Storage, keys: readonly string[]): Promise<RolledBack['checkpoints']> {
  const found: RolledBack['checkpoints'] = [];
  for (const key of keys) {
    try {
      found.push({ key, data: await storage.load('tasks', key) });
    } catch (error) {
      if (!(error instanceof CorruptError)) throw error;
    }
  }
  return found;
}
