/** Takes over what another task did to files: merged into the files of this one, whose own changes it counts as from then on. */
import { EngineError, InvalidInputError, OwnershipError, WorkspaceError } from '../../errors.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Position, Storage } from '../../storage/contract.ts';
import { userHere } from '../../system/user/user.ts';
import { isFinal } from '../../task/status.ts';
import type { Prompter } from '../api/prompter.ts';
import { contentsNoted, deciding, type FileChoices, withContents } from '../files/choices.ts';
import type { FilesBroughtForward, PutBack, WorkspaceLink } from '../files/workspace-link.ts';
import { listCheckpoints, tryCheckpoint } from '../history/checkpoints.ts';
import { knownCheckpoints } from '../run/known-checkpoints.ts';
import { servicesAt } from '../run/services.ts';
import { readMemory } from '../task/journal.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import type { Head } from '../task/records/head.ts';
import { noteUnfinished, rollbackFinished, type Unfinished } from '../task/records/rollback-in-progress.ts';
import { requireTask, type StoredTask } from '../task/tasks.ts';
import { asOnlyWriter, type RollbackServices } from './commit-rollback.ts';
import { idleCheckpoint } from './idle-checkpoint.ts';
import { chosenIn, refuseMoved } from './previewing.ts';
import { type PreviewOptions, refuseCutOff } from './rollback.ts';
import type { Taken, TakePreview } from './rollback-results.ts';
import { type TakenFrom, takenFrom } from './taken.ts';

/** The choices are about files that differ here; default: merged, and asked about where both changed the same lines. */
export interface TakeOptions extends FileChoices {
  /** Where the journal of the task ended when this was previewed: STALE_WRITE, and nothing done, if it has grown since. */
  readonly expect?: number;
  /** The same for the task whose changes are taken. */
  readonly expect_from?: number;
  /** Asked about files; default: the engine's. */
  readonly prompter?: Prompter;
  /** Who asks for it; default: the user of this machine. */
  readonly by?: string;
}

/** Needs no claim: both may be running. */
export async function previewTake(
  services: RollbackServices,
  from: string,
  task: string,
  options: PreviewOptions = {},
): Promise<TakePreview> {
  const { storage } = services;
  // First: a later write makes the preview outdated.
  const [{ seq: expect }, { seq: expect_from }] = [
    await storage.position(task),
    await storage.position(from),
  ];
  const { head } = await requireTask(storage, task);
  const { workspace } = await servicesAt(services, head);
  const { steps, place: _, ...known } = await whatToTake(services, from, head, workspace);
  const how = chosenIn(merging(services), options);
  const plan = await workspace!.previewRedo(task, steps, how);
  const files = plan.filter(({ action }) => action !== 'keep').map(({ path }) => path);
  return { task, from, files, plan, expect, expect_from, ...known };
}

/** NOTHING_TO_TAKE where it changed nothing, or all of it is there. Works in any status, but not while the task runs. */
export async function takeFiles(
  services: RollbackServices,
  from: string,
  task: string,
  options: TakeOptions = {},
): Promise<Taken> {
  const { storage } = services;
  const { head } = await requireTask(storage, task);
  await refuseMoved(storage, task, options.expect);
  await refuseMoved(storage, from, options.expect_from);
  await refuseRunning(services, task);
  // Refused before the claim, which leaves a trace.
  await whatToTake(services, from, head, (await servicesAt(services, head)).workspace);
  const asking = { ...services, prompter: options.prompter ?? services.prompter };
  return asOnlyWriter(
    asking,
    task,
    async (claim, finished) => {
      if (finished?.verb === 'take' && finished.result.from === from) return finished.result;
      await refuseMoved(storage, task, options.expect);
      await refuseMoved(storage, from, options.expect_from);
      return take(asking, claim, from, options);
    },
    options,
  );
}

/** The same for the owner of the task; `begun` if it was interrupted. */
export async function take(
  services: RollbackServices,
  claim: Claim,
  from: string,
  options: TakeOptions,
  begun?: Unfinished,
): Promise<Taken> {
  const { storage } = services;
  const { task, fence } = claim;
  const stored = await requireTask(storage, task);
  if (!begun) await refuseUnsettled(storage, stored);
  const { workspace, config, prompter } = await servicesAt(services, stored.head);
  const steps = begun?.take ?? (await whatToTake(services, from, stored.head, workspace)).steps;
  const given = await withContents(storage, options, begun?.answers);
  const { choices, answers } = deciding(
    merging({ config }).config,
    given,
    { task, prompter, taking: from },
    begun?.answers,
  );
  const by = begun?.by ?? options.by;
  const begin: PutBack['begin'] = (before, decided) =>
    noteUnfinished(storage, claim, {
      checkpoint: null,
      only: null,
      take: { from, to: steps.to, own: steps.own.map(({ from, to }) => ({ from, to })) },
      ...(by === undefined ? {} : { by }),
      before: begun?.before ?? before,
      on_modified: choices.on_modified,
      on_deleted: choices.on_deleted,
      answers: { ...answers, ...contentsNoted(decided) },
    });
  const since = begun ? { since: begun.before } : {};
  const { changed, files, ...notes } = await workspace!
    .redo(task, steps, { ...choices, ...since, begin })
    .catch((error) => {
      throw sayingWhat(error, from);
    });
  if (!changed) {
    if (begun) await storage.commit({ task, fence, records: rollbackFinished(task) });
    else if (notes.left.length === 0) throw nothingToTake(task, from, phrase`they are there already`);
    const { seq: position } = await storage.position(task);
    return { task, from, done: false, checkpoint: null, position, files: [], notes };
  }
  const { checkpoint, position } = await commitTake(services, claim, stored, { from, by, changed });
  services.emit({ type: 'take', task, from, checkpoint });
  return { task, from, done: true, checkpoint, position, files, notes };
}

interface Done {
  readonly from: string;
  readonly by: string | undefined;
  readonly changed: NonNullable<FilesBroughtForward['changed']>;
}

/** Its one commit: a checkpoint with the files as they were, and what changed them. */
async function commitTake(
  services: RollbackServices,
  { task, fence }: Claim,
  { head, state }: StoredTask,
  { from, by, changed }: Done,
): Promise<{ readonly checkpoint: string | null; readonly position: number }> {
  const { storage, clock } = services;
  const now = clock.now();
  const at = now.toISOString();
  const after = await storage.position(task);
  const isEmptied = (await loadCleaned(storage, task)).emptied_at !== null;
  const before = isEmptied ? null : await checkpointBefore(services, head, state, after, changed.from, now);
  if (before && before.blobs.length > 0) await storage.putBlobs(task, before.blobs);
  const entries = [...(before?.entries ?? []), { t: 'take', at, from, changed, by: by ?? userHere() }];
  const updated = Math.max(now.getTime(), Date.parse(state.updated_at));
  await storage.commit({
    task,
    fence,
    records: [
      // So that it is found among the tasks that were at work at that time.
      stateRecord({ ...state, updated_at: new Date(updated).toISOString() }),
      ...(before ? [before.record] : []),
      ...rollbackFinished(task),
    ],
    append: { after, entries },
  });
  return { checkpoint: before?.id ?? null, position: after.seq + entries.length };
}

async function checkpointBefore(
  { storage, config }: Pick<RollbackServices, 'storage' | 'config'>,
  head: Head,
  state: StoredTask['state'],
  after: Position,
  snapshot: string,
  now: Date,
): Promise<ReturnType<typeof idleCheckpoint>> {
  const all = await listCheckpoints(storage, head);
  const last = all.at(-1) && (await tryCheckpoint(all.at(-1)!));
  const requirements = last && 'record' in last ? last.record.recovery_info.env_requirements : {};
  const memory = await readMemory(storage, head);
  return idleCheckpoint(
    { head, state, memory, requirements },
    {
      after,
      entries: [{ t: 'checkpoint', at: now.toISOString() }],
      sequence: knownCheckpoints(all, head).newest + 1,
      trigger: 'before_file_change',
      now,
      snapshot,
    },
    config.checkpoints,
  );
}

/** What only one side changed is merged without asking: that is what was asked for. */
function merging<S extends Pick<RollbackServices, 'config'>>({
  config,
}: S): Pick<RollbackServices, 'config'> {
  return { config: { ...config, recovery: { ...config.recovery, on_modified: 'merge' } } };
}

async function whatToTake(
  { storage, project_dir }: RollbackServices,
  from: string,
  into: Head,
  workspace: WorkspaceLink | null,
): Promise<TakenFrom & { readonly steps: NonNullable<TakenFrom['steps']> }> {
  const task = into.task_id;
  if (from === task)
    throw new InvalidInputError('USAGE', phrase`A task cannot take its own changes.`, {
      data: { task },
      hint: phrase`Name two tasks: vibe-engine take <from> <into>`,
    });
  const { head } = await requireTask(storage, from);
  if (!workspace) throw nothingToTake(task, from, phrase`files are not captured here`);
  if ((await loadCleaned(storage, from)).emptied_at !== null)
    throw nothingToTake(task, from, phrase`clean-up has removed the snapshots of its files`);
  const found = await takenFrom(storage, head, into, project_dir);
  const { steps, place } = found;
  if (!steps) throw nothingToTake(task, from, phrase`it changed no files`);
  if (place === workspace.place)
    throw nothingToTake(task, from, phrase`both work in ${workspace.root}, where its changes are already`);
  return { ...found, steps };
}

function nothingToTake(task: string, from: string, why: string): EngineError {
  return new EngineError(
    'NOTHING_TO_TAKE',
    phrase`There is nothing to take from task ${from} into task ${task}: ${why}.`,
    {
      data: { task, from, why },
      hint: phrase`To see what each of them did: vibe-engine compare ${task} ${from}`,
    },
  );
}

/** An error that says what to do, before the claim fails with TASK_OWNED. */
async function refuseRunning({ storage, running }: RollbackServices, task: string): Promise<void> {
  const owner = await storage.owner(task);
  if (!owner && !running.get(task)) return refuseCutOff(storage, task);
  throw new OwnershipError('TASK_OWNED', phrase`Task ${task} is running: nothing can be taken into it yet.`, {
    data: { task, ...(owner ? { owner: owner.holder } : {}) },
    hint: phrase`Stop it first: vibe-engine pause ${task}. Then try again.`,
  });
}

/** When it continues, what an operation did that was cut off is told by comparing files: they must not change first. */
async function refuseUnsettled(storage: Storage, { head, state }: StoredTask): Promise<void> {
  const { task_id: task } = head;
  if (isFinal(state.status)) return;
  const names = [...(await readMemory(storage, head)).begun.values()].map(({ name }) => name);
  if (names.length === 0) return;
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`Task ${task} was cut off in the middle of ${names}: what that did to files is not settled yet.`,
    {
      data: { task, operations: names },
      hint: phrase`Nothing was changed. Resume the task or roll it back, then try again.`,
    },
  );
}

/** The same error, in the words of a take. */
function sayingWhat(error: unknown, from: string): unknown {
  if (!(error instanceof WorkspaceError && error.code === 'RESTORE_UNANSWERED')) return error;
  const [path = ''] = (error.data.files ?? []) as readonly string[];
  return new WorkspaceError(
    'RESTORE_UNANSWERED',
    phrase`What task ${from} did to ${path} does not fit what is there now, and nothing says which version to keep.`,
    {
      data: { ...error.data, from },
      cause: error,
      hint: phrase`Nothing was changed. For the whole file: --file ${path}=use_current keeps what is there, use_checkpoint takes the other. For each place: --hunk ${path}:1=yours, taken or both; --dry-run --path ${path} shows them. In a terminal you are asked.`,
    },
  );
}
