/** Undoes the newest rollback, as long as nothing was recorded since and its data still exists. */

import { locatedRecords } from '../../checkpoint/located.ts';
import { answering, EngineError, VibeError } from '../../errors.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, RecordWrite, Storage } from '../../storage/contract.ts';
import { withoutSpans } from '../../storage/ranges.ts';
import type { TaskState } from '../../task/state.ts';
import type { Undo } from '../../workspace/restore/apply.ts';
import { undoing } from '../../workspace/restore/restore.ts';
import { contentsNoted, deciding, type FileChoices, withContents } from '../files/choices.ts';
import type { FilesBroughtForward, PutBack } from '../files/workspace-link.ts';
import { servicesAt, type TaskServices } from '../run/services.ts';
import { addRange } from '../task/cut.ts';
import { liveEntries } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import { CHECKPOINT } from '../task/records/checkpoints.ts';
import { type Head, headRecord, isDead, type Ranges } from '../task/records/head.ts';
import { taskIn } from '../task/records/kind.ts';
import {
  loadUnfinished,
  noteUnfinished,
  rollbackFinished,
  type Unfinished,
} from '../task/records/rollback-in-progress.ts';
import { loadRolledBack, type RolledBack } from '../task/records/rolled-back.ts';
import { requireTask } from '../task/tasks.ts';
import { asOnlyWriter, type RollbackServices } from './commit-rollback.ts';
import { onlyAsked } from './only-asked.ts';
import { refuseMoved } from './previewing.ts';
import type { Redone } from './rollback-results.ts';

export type { Redone };

/** The choices are about files that others changed since the rollback; default: as configured. */
export interface RedoOptions extends FileChoices {
  /** Where the journal ended when it was previewed: STALE_WRITE, and nothing done, if something was recorded since. */
  readonly expect?: number;
  /** Who asks for it. */
  readonly by?: string;
}

export async function redoRollback(
  services: RollbackServices,
  task: string,
  options: RedoOptions = {},
): Promise<Redone> {
  const known = await requireTask(services.storage, task);
  await refuseMoved(services.storage, task, options.expect);
  const unfinished = (await loadUnfinished(services.storage, task)) !== null;
  if (known.head.undone.length === 0 && !unfinished)
    throw nothingToRedo(task, phrase`nothing was rolled back`);
  return asOnlyWriter(
    services,
    task,
    async (claim, begun) => {
      if (begun?.verb === 'redo') return begun.result;
      await refuseMoved(services.storage, task, options.expect);
      return redo(services, claim, options);
    },
    options,
  );
}

/** The same for the owner of the task; `begun` if it was interrupted. */
export async function redo(
  services: RollbackServices,
  claim: Claim,
  options: RedoOptions,
  begun?: Unfinished,
): Promise<Redone> {
  const { storage, clock } = services;
  const { task } = claim;
  const { head, state: before } = await requireTask(storage, task);
  const { undone, kept } = await redoable(storage, head);
  const forward =
    undone.files === null
      ? null
      : await bringFilesForward(await servicesAt(services, head), claim, undone.files, options, begun);
  const { changed, files: _brought, ...notes } = forward ?? NO_FILES;
  const now = clock.now();
  const end = await storage.position(task);
  const updated = Math.max(now.getTime(), Date.parse(before.updated_at));
  const files_only = isFilesOnly(head, undone);
  const state = files_only
    ? before
    : ({ ...undone.state, updated_at: new Date(updated).toISOString() } as TaskState);
  const { files_undone: _, ...rest } = head;
  const after: Head = {
    ...rest,
    ...(undone.files_undone ? { files_undone: undone.files_undone } : {}),
    // What the rollback itself recorded is hidden with it: the journal reads as if it had not happened.
    dead: addRanges(undone.dead, withoutSpans([[undone.rollback, end.seq]], kept)),
    lineage: head.lineage.map((ancestor, i) => ({ ...ancestor, dead: undone.lineage[i]! })),
    undone: head.undone.slice(0, -1),
    retries: undone.retries ?? head.retries,
  };
  const last = head.undone.at(-1)!;
  const records: RecordWrite[] = [
    headRecord(after),
    stateRecord(state),
    ...undone.checkpoints.map(({ key, data }) => ({ category: 'tasks', key, data })),
    ...(undone.files === null ? [] : rollbackFinished(task)),
    ...new Set([last.key, undone.added, ...(await madeSince(storage, head, undone))])
      .values()
      .filter((key) => key !== null)
      .map((key) => ({ category: 'tasks', key, remove: true }) as const),
  ];
  const by = begun?.by ?? options.by;
  const entry = {
    t: 'redo',
    at: now.toISOString(),
    rollback: undone.rollback,
    ...(by === undefined ? {} : { by }),
    ...(changed ? { changed } : {}),
  };
  await storage.commit({ task, fence: claim.fence, records, append: { after: end, entries: [entry] } });
  services.emit({ type: 'redo', task, checkpoint: undone.checkpoint });
  const status = { from: before.status, to: state.status, reason: phrase`rollback undone` };
  if (status.from !== status.to)
    services.emit({ type: 'task.status', task, task_name: head.task_name, ...status });
  const more = (await canRedo(storage, after)) ? after.undone.length : 0;
  const position = end.seq + 1;
  return {
    task,
    checkpoint: undone.checkpoint,
    state,
    position,
    files_only,
    more,
    notes: forward ? notes : null,
  };
}

/** The records of checkpoints that go with what was recorded since the rollback. */
async function madeSince(storage: Storage, head: Head, { rollback }: RolledBack): Promise<string[]> {
  const keys: string[] = [];
  for (const { key, read } of await locatedRecords(storage, head.task_id, blobLoader(storage, head))) {
    const seq = await read().then(({ journal }) => journal.seq, answering(isDamage, 0));
    if (seq > rollback) keys.push(key);
  }
  return keys;
}

const isDamage = (error: unknown): boolean => error instanceof VibeError;

const NO_FILES: FilesBroughtForward = { files: [], left: [], displaced: [], review: [] };

async function bringFilesForward(
  { workspace, storage, config, prompter }: TaskServices,
  claim: Claim,
  undo: Undo,
  options: RedoOptions,
  begun: Unfinished | undefined,
): Promise<FilesBroughtForward> {
  const { task } = claim;
  if (!workspace) throw nothingToRedo(task, phrase`it changed files, and files are not captured here`);
  const given = await withContents(storage, options, begun?.answers);
  const { choices, answers } = deciding(config, given, { task, prompter }, begun?.answers);
  const { on_modified, on_deleted } = choices;
  const by = begun?.by ?? options.by;
  const begin: PutBack['begin'] = (before, decided) =>
    noteUnfinished(storage, claim, {
      checkpoint: null,
      only: null,
      ...(by === undefined ? {} : { by }),
      before,
      on_modified,
      on_deleted,
      answers: { ...answers, ...contentsNoted(decided) },
    });
  return workspace.redo(task, undoing(undo), { ...choices, begin });
}

/** Whether `redo` would not be refused at once. */
export async function canRedo(storage: Storage, head: Head): Promise<boolean> {
  if (head.undone.length === 0) return false;
  return redoable(storage, head).then(
    () => true,
    (error) => {
      if (error instanceof VibeError) return false;
      throw error;
    },
  );
}

/** Whether only files were undone, and the task has not run since. */
export function isFilesOnly({ files_undone }: Head, { at }: RolledBack): boolean {
  return files_undone?.at === at;
}

interface Redoable {
  readonly undone: RolledBack;
  /** Entries written since that stay: a task keeps its status if only its files are redone. */
  readonly kept: Ranges;
}

/** The newest rollback, if it can be undone; NOTHING_TO_REDO says why not. */
export async function redoable(storage: Storage, head: Head): Promise<Redoable> {
  const task = head.task_id;
  const last = head.undone.at(-1);
  if (!last) throw nothingToRedo(task, phrase`nothing was rolled back`);
  const undone = await loadRolledBack(storage, last.key);
  if (!undone) throw nothingToRedo(task, phrase`clean-up has removed what was rolled back`);
  const isOwn = undone.checkpoints.every(({ key }) => taskIn(CHECKPOINT, key) === task);
  if (!isOwn || undone.lineage.length !== head.lineage.length || undone.state.task_id !== task)
    throw nothingToRedo(task, phrase`what was rolled back does not belong to this task`);
  const kept: [number, number][] = [];
  const isAsked = head.origin?.kind === 'agent' ? onlyAsked() : () => false;
  for await (const { task: owner, seq, entry } of liveEntries(storage, head)) {
    if (owner !== task || seq <= undone.rollback) continue;
    if (entry.t === 'status' && seq > undone.last && isFilesOnly(head, undone)) {
      kept.push([seq, seq]);
      continue;
    }
    // A run that could not start has recorded no more than that it was recovered.
    const expected = seq > undone.last ? ['redo', 'recovery'] : ['retry', 'status'];
    const asked = seq > undone.last && isAsked(entry);
    if (!asked && !expected.includes(entry.t))
      throw nothingToRedo(task, phrase`something was recorded since (${entry.t})`);
  }
  let missing = countLive(undone.dead, last.from, last.to);
  if (missing > 0) {
    for await (const { seq } of storage.read(task, { from: last.from, to: last.to })) {
      if (!isDead(undone.dead, seq)) missing--;
    }
  }
  if (missing > 0) throw nothingToRedo(task, phrase`clean-up has removed entries that were rolled back`);
  return { undone, kept };
}

function addRanges(ranges: Head['dead'], more: Ranges): Head['dead'] {
  return more.reduce((all, [from, to]) => addRange(all, from, to), ranges);
}

function countLive(dead: RolledBack['dead'], from: number, to: number): number {
  return withoutSpans([[from, to]], dead).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function nothingToRedo(task: string, why: string): EngineError {
  return new EngineError('NOTHING_TO_REDO', phrase`There is nothing to redo for task ${task}: ${why}.`, {
    data: { task, why },
    hint: phrase`A rollback can be undone until the task continues, or clean-up removes what was rolled back.`,
  });
}
