/** Back to a checkpoint: what came after it leaves the lists, and stays in the store until clean-up takes it. */
import { type CheckpointRecord, checkpointId } from '../checkpoint/record.ts';
import { InvalidInputError } from '../errors.ts';
import type { Claim } from '../storage/contract.ts';
import { type CheckpointPlace, liveCheckpoints, requireCheckpoint } from './checkpoints.ts';
import type { Cut } from './cut.ts';
import { deciding, type FileChoices } from './files/choices.ts';
import { finished, noteUnfinished, type Unfinished } from './files/unfinished.ts';
import { type GoingBack, goBack, owned, refuseFinal } from './going-back.ts';
import { toPaused } from './moves.ts';
import type { Prompter } from './prompter.ts';
import { type After, type Survey, survey } from './survey.ts';
import { type NewTask, requireTask } from './tasks.ts';
import type { FileNotes, FilesRolledBack, PlannedFile } from './workspace-link.ts';

/** The choices are about files that others changed too; as configured unless told. */
export interface RollbackOptions extends FileChoices {
  /** Only the task's state, or only its files; both unless told. */
  readonly only?: 'state' | 'files';
  /** Says what would go, and changes nothing. */
  readonly dry_run?: boolean;
  /** Asked about files; the engine's unless told. */
  readonly prompter?: Prompter;
}

export interface RollbackPreview extends After {
  readonly task: string;
  readonly checkpoint: string;
  /** The checkpoints that leave the list, oldest first. */
  readonly checkpoints: readonly string[];
  /** The files that are put back; null when that is not asked for, or nothing is known of files. */
  readonly files: readonly string[] | null;
  /** Every file, and what would become of it; null as above, and when it is done. */
  readonly plan: readonly PlannedFile[] | null;
}

export interface RollbackResult extends RollbackPreview {
  /** False after a dry run. */
  readonly done: boolean;
  /** What is to be said of single files. */
  readonly notes: FileNotes;
}

/** What a rollback would take out. Needs no claim: the task may be running. */
export async function previewRollback(
  host: GoingBack,
  id: string,
  { only }: RollbackOptions = {},
): Promise<RollbackPreview> {
  const plan = await planOf(host, id, only);
  const { task_id } = plan.checkpoint;
  const known =
    only === 'state' ? null : ((await host.workspace.previewRollback?.(task_id, plan.checkpoint)) ?? null);
  const changing = known?.filter(({ action }) => action !== 'keep').map(({ path }) => path) ?? null;
  return { ...whatGoes(plan, changing), plan: known };
}

export async function rollbackToCheckpoint(
  host: GoingBack,
  id: string,
  options: RollbackOptions = {},
): Promise<RollbackResult> {
  if (options.dry_run) return { ...(await previewRollback(host, id, options)), done: false, notes: NO_NOTES };
  // Refused before the claim, which leaves a trace, and again under it.
  const { task_id } = await requireCheckpoint(host.storage, id);
  refuseFinal((await requireTask(host.storage, task_id)).state);
  const asking = { ...host, prompter: options.prompter ?? host.prompter };
  return owned(asking, task_id, (claim) => rollBack(asking, claim, id, options));
}

/** The same for whoever owns the task. */
export async function rollBack(
  host: GoingBack,
  claim: Claim,
  id: string,
  options: RollbackOptions,
  begun?: Unfinished,
): Promise<RollbackResult> {
  const { only } = options;
  const plan = await planOf(host, id, only);
  const { from, seen, checkpoint } = plan;
  if (seen.damage) throw seen.damage;
  // Files first: whatever stops them leaves the task as it was.
  const files = only === 'state' ? null : await putFilesBack(host, claim, checkpoint, options, begun);
  const moved =
    only === 'files'
      ? { state: from.state, entries: [] }
      : toPaused(from.state, seen.kept, from.head.input, `rolled back to ${id}`, host.clock.now());
  const dropping = files ? [finished(checkpoint.task_id)] : [];
  await goBack(host, claim, { ...plan, moved, checkpoint: id, files: files?.undo ?? null, dropping });
  return { ...whatGoes(plan, files?.files ?? null), done: true, notes: files?.notes ?? NO_NOTES };
}

const NO_NOTES: FileNotes = { left: [], displaced: [], review: [] };

interface Plan {
  readonly from: NewTask;
  readonly checkpoint: CheckpointRecord;
  readonly cut: Cut;
  readonly seen: Survey;
  readonly later: readonly CheckpointPlace[];
}

async function planOf({ storage }: GoingBack, id: string, only: RollbackOptions['only']): Promise<Plan> {
  const checkpoint = await requireCheckpoint(storage, id);
  const task = checkpoint.task_id;
  const from = await requireTask(storage, task);
  refuseFinal(from.state);
  if (only === 'files') {
    const cut = { task, seq: (await storage.position(task)).seq };
    const seen = { ...(await survey(storage, from.head, cut)), failedLast: false };
    return { from, checkpoint, cut, seen, later: [] };
  }
  const cut = { task, seq: checkpoint.journal.seq };
  const seen = await survey(storage, from.head, cut);
  const places = await liveCheckpoints(storage, task);
  return {
    from,
    checkpoint,
    cut,
    seen,
    later: places.filter((place) => place.sequence > checkpoint.sequence_number),
  };
}

function whatGoes({ checkpoint, seen, later }: Plan, files: readonly string[] | null): RollbackPreview {
  const { id, task_id: task } = checkpoint;
  const checkpoints = later.map(({ sequence }) => checkpointId(task, sequence));
  return { task, checkpoint: id, ...seen.after, checkpoints, files, plan: null };
}

async function putFilesBack(
  { workspace, storage, config, prompter }: GoingBack,
  claim: Claim,
  checkpoint: CheckpointRecord,
  options: RollbackOptions,
  begun: Unfinished | undefined,
): Promise<FilesRolledBack | null> {
  const { task_id: task, id } = checkpoint;
  const user = { task, prompter: options.prompter ?? prompter };
  const { choices, answers } = deciding(config, options, user, begun?.answers);
  const only = options.only === 'files' ? 'files' : null;
  const { on_modified, on_deleted } = choices;
  const begin = (before: string): Promise<void> =>
    noteUnfinished(storage, claim, {
      ...{ checkpoint: id, only, on_modified, on_deleted, answers },
      before: begun?.before ?? before,
    });
  if (workspace.rollback) {
    const since = begun ? { since: begun.before } : {};
    return workspace.rollback(task, checkpoint, { ...choices, ...since, begin });
  }
  if (only !== 'files') return null;
  throw new InvalidInputError('USAGE', 'There are no files to put back: nothing is known of files here.', {
    data: { checkpoint: checkpoint.id },
    hint: 'Open the engine with a workspace, or leave `only` out.',
  });
}
