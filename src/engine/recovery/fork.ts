/** A new task from any checkpoint of another. Everything up to there is shared; from there on they are independent. */
import { resolve } from 'node:path';
import { PersistenceManager } from '../../persistence/manager.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import { START } from '../../storage/chain.ts';
import type { Storage } from '../../storage/contract.ts';
import { newTaskId } from '../../system/ids.ts';
import { requireCheckpoint } from '../history/checkpoints.ts';
import { survey } from '../history/survey.ts';
import type { EngineServices } from '../run/services.ts';
import { clipRanges } from '../task/cut.ts';
import type { Entry } from '../task/entries.ts';
import { HISTORY } from '../task/records/copies.ts';
import { dropForkRecords, forkRecords } from '../task/records/forks.ts';
import { type Head, headRecord } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { newTask, requireTask } from '../task/tasks.ts';
import { announce, toPaused } from '../task/transitions.ts';
import { idleCheckpoint } from './idle-checkpoint.ts';

export interface ForkOptions {
  /** Its name; default: that of the task it comes from. */
  readonly task_name?: string;
  /**
   * Its working directory, relative to that of the task it comes from; default: the same. With a workspace, the files of the
   * checkpoint are written there: into an empty directory, or a new worktree.
   */
  readonly working_dir?: string;
  /** Who asks for it. */
  readonly by?: string;
}

export interface Forked {
  readonly id: string;
  readonly parent: string;
  /** Its first checkpoint. */
  readonly checkpoint: string;
}

/** It is paused until it is resumed. The task it comes from may be running, or have ended; it is not changed. */
export async function forkTask(
  services: Pick<EngineServices, 'storage' | 'config' | 'clock' | 'emit' | 'workingDirectories'>,
  checkpointId: string,
  options: ForkOptions = {},
): Promise<Forked> {
  const { storage, clock } = services;
  const checkpoint = await requireCheckpoint(storage, checkpointId);
  const { head: parent } = await requireTask(storage, checkpoint.task_id);
  const { seq: to, hash } = checkpoint.journal;
  const now = clock.now();
  const id = newTaskId(now);
  const lineage: Head['lineage'] = [
    ...parent.lineage,
    { task: parent.task_id, to, hash, dead: clipRanges(parent.dead, to), checkpoint: checkpointId },
  ];
  const claim = await storage.claim(id);
  try {
    // Before anything else: from here on clean-up keeps what is shared, unless it was faster.
    await storage.commit({
      task: null,
      records: forkRecords({ task_id: id, lineage }, now.toISOString(), checkpoint.snapshot),
    });
    await requireCheckpoint(storage, checkpointId);
    const { kept, settled, failedLast } = await survey(storage, parent, { task: parent.task_id, seq: to });
    kept.seq = 0; // Its own journal is empty.
    const { task_name = parent.task_name, by } = options;
    const askedBy = by === undefined ? {} : { by };
    const working_dir = resolve(parent.working_dir, options.working_dir ?? '');
    const elsewhere = working_dir !== parent.working_dir;
    const { snapshot: files } = checkpoint;
    const snapshot =
      elsewhere && files !== undefined
        ? await services.workingDirectories.fork(parent, files, working_dir)
        : files;
    const told_where = elsewhere || (parent.told_where ?? false);
    const where = { task_name, working_dir, told_where };
    const made = newTask(id, parent.definition, parent.input, where, now);
    const { origin } = parent;
    const head = { ...made.head, lineage, ...(origin === undefined ? {} : { origin }) };
    const at = now.toISOString();
    const moved = toPaused(made.state, kept, parent.input, phrase`forked from ${checkpointId}`, now);
    const entries: Entry[] = [
      { t: 'status', at, from: null, to: 'queued', reason: null },
      { t: 'fork', at, checkpoint: checkpointId, settled: [...settled], ...askedBy },
      ...(failedLast ? [{ t: 'retry', at } as const] : []),
      ...moved.entries,
    ];
    const requirements = checkpoint.recovery_info.env_requirements;
    const first = idleCheckpoint(
      { head, state: moved.state, memory: kept, requirements },
      {
        after: START,
        entries,
        sequence: 1,
        trigger: 'fork',
        now,
        metadata: { forked_from: checkpointId },
        snapshot,
      },
      services.config.checkpoints,
    );
    if (first.blobs.length > 0) await storage.putBlobs(id, first.blobs);
    const records = [headRecord(head), stateRecord(moved.state), first.record, first.listed];
    await storage.commit({
      task: id,
      fence: claim.fence,
      records: records.map((record) => ({ ...record, expect: 0 })),
      append: { after: START, entries: first.entries },
    });
    services.emit({ type: 'fork', task: id, parent: parent.task_id, checkpoint: checkpointId });
    services.emit({ type: 'task.status', task: id, task_name, from: null, to: 'queued', reason: null });
    announce(services.emit, head, moved.entries);
    return { id, parent: parent.task_id, checkpoint: first.id };
  } catch (error) {
    await dropForkRecords(storage, { task_id: id, lineage });
    throw error;
  } finally {
    await claim.release();
  }
}

/** Removes a fork that could not be started. */
export async function dropFork(storage: Storage, { id }: Forked): Promise<void> {
  const { head } = await requireTask(storage, id);
  await storage.removeTask(id);
  await storage.delete(HISTORY.category, keyOf(HISTORY, id));
  await new PersistenceManager(storage).conversations.delete(id);
  await dropForkRecords(storage, head);
}
