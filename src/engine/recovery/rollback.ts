/** Goes back to a checkpoint: what came after it is removed from the lists, and stays in the store until clean-up. */

import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { samePosition } from '../../storage/chain.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { undoing } from '../../workspace/restore/restore.ts';
import type { Prompter } from '../api/prompter.ts';
import { contentsNoted, deciding, type FileChoices, withContents } from '../files/choices.ts';
import type {
  FileNotes,
  FilesRolledBack,
  Previewing,
  PutBack,
  WorkspaceLink,
} from '../files/workspace-link.ts';
import { requireCheckpoint, taskOfCheckpoint } from '../history/checkpoints.ts';
import { servicesAt, type TaskServices } from '../run/services.ts';
import { refuseStillRunning } from '../run/still-running.ts';
import { readMemory } from '../task/journal.ts';
import { noteUnfinished, rollbackFinished, type Unfinished } from '../task/records/rollback-in-progress.ts';
import { requireTask } from '../task/tasks.ts';
import { toPaused } from '../task/transitions.ts';
import { asOnlyWriter, commitRollback, type RollbackServices } from './commit-rollback.ts';
import { assertUnmoved, chosenIn, conversationCut, refuseMoved } from './previewing.ts';
import { type Destination, type Plan, planOf, whatGoes } from './rollback-plan.ts';
import type { BackPreview, BackResult } from './rollback-results.ts';

/** The choices are about files that others changed too; default: as configured. */
export interface RollbackOptions extends FileChoices {
  /** Only the task's state, or only its files; default: both. */
  readonly only?: 'state' | 'files';
  /** Reports what would be removed, and changes nothing. */
  readonly dry_run?: boolean;
  /** Where the journal ended when it was previewed: STALE_WRITE, and nothing done, if something was recorded since. */
  readonly expect?: number;
  /** Asked about files; default: the engine's. */
  readonly prompter?: Prompter;
  /** Who asks for it; default: the user of this machine. */
  readonly by?: string;
}

/** What is chosen in advance; and whether the contents of the files are shown. */
export interface PreviewOptions extends FileChoices, Pick<Previewing, 'details' | 'context'> {}

export interface RollbackPreview extends BackPreview {
  readonly checkpoint: string;
}

export interface RollbackResult extends BackResult {
  readonly checkpoint: string;
}

/** What a rollback would remove. Needs no claim: the task may be running. */
export async function previewRollback(
  services: RollbackServices,
  id: string,
  { only, ...options }: PreviewOptions & Pick<RollbackOptions, 'only'> = {},
): Promise<RollbackPreview> {
  const task = taskOfCheckpoint(id);
  return { ...(await previewBack(services, task, { checkpoint: id }, only, options)), checkpoint: id };
}

/** The same for any point of the journal. */
export async function previewBack(
  services: RollbackServices,
  task: string,
  to: Destination,
  only: RollbackOptions['only'],
  options: PreviewOptions = {},
): Promise<BackPreview> {
  const { storage } = services;
  const plan = await planOf(storage, task, to, only);
  const { head } = plan.from;
  const here = only === 'state' ? null : await servicesAt(services, head);
  const how = { ...chosenIn(services, options), known: plan.files };
  const known = (await here?.workspace?.previewRollback(task, plan.point, how)) ?? null;
  const changing = known?.filter(({ action }) => action !== 'keep').map(({ path }) => path) ?? null;
  const conversation = only === 'files' ? null : await conversationCut(storage, head, plan.cut);
  return { ...whatGoes(plan, changing), plan: known, conversation };
}

export async function rollbackToCheckpoint(
  services: RollbackServices,
  id: string,
  options: RollbackOptions = {},
): Promise<RollbackResult> {
  if (options.dry_run)
    return { ...(await previewRollback(services, id, options)), done: false, notes: NO_NOTES };
  await refuseMoved(services.storage, taskOfCheckpoint(id), options.expect);
  // Refused before the claim, which leaves a trace, and again under it.
  const task_id = taskOfCheckpoint(id);
  const idle = !services.running.get(task_id) && !(await services.storage.owner(task_id));
  if (!idle) await requireCheckpoint(services.storage, id);
  const planned = idle
    ? await planOf(services.storage, task_id, { checkpoint: id }, options.only)
    : undefined;
  if (planned) await refuseIfRunning(services.storage, planned);
  const asking = { ...services, prompter: options.prompter ?? services.prompter };
  const change = (claim: Claim): Promise<BackResult> =>
    rollBack(asking, claim, { checkpoint: id }, options, { planned });
  return { ...(await asOnlyWriter(asking, task_id, change, options)), checkpoint: id };
}

/** For a task that is not running: a command that outlived its process would overwrite what is restored. */
export async function refuseCutOff(storage: Storage, task: string): Promise<void> {
  const { head, state } = await requireTask(storage, task);
  if (state.status === 'completed') return;
  await refuseStillRunning(storage, head, await readMemory(storage, head));
}

async function refuseIfRunning(storage: Storage, { from, seen }: Plan): Promise<void> {
  if (from.state.status !== 'completed') await refuseStillRunning(storage, from.head, seen.all);
}

/** Whether the task is as it was when the plan was made. */
async function isCurrent(storage: Storage, { from, end }: Plan): Promise<boolean> {
  const { head, state } = await requireTask(storage, from.head.task_id);
  const same = encode(head) === encode(from.head) && encode(state) === encode(from.state);
  return same && samePosition(await storage.position(head.task_id), end);
}

interface OwnersRollback extends RollbackOptions {
  /** The files then match the journal, even if none had to be changed: no undo of files alone is pending any more. */
  readonly as_recorded?: boolean;
  /**
   * Called when the files are restored, before the task is rolled back, for other changes to files. Returns a snapshot after
   * it.
   */
  readonly also?: (files: FilesRolledBack | null) => Promise<string | undefined>;
  /** All of its files or none: it runs again from there, and changes that stayed would be made twice. */
  readonly whole?: boolean;
}

/**
 * The same for the owner of the task, and to any point of its journal. `begun` if it was interrupted; `planned` before it
 * was claimed.
 */
export async function rollBack(
  services: RollbackServices,
  claim: Claim,
  to: Destination,
  options: OwnersRollback,
  { begun, planned }: { readonly begun?: Unfinished; readonly planned?: Plan | undefined } = {},
): Promise<BackResult> {
  const { only } = options;
  const plan =
    planned && (await isCurrent(services.storage, planned))
      ? planned
      : await planOf(services.storage, claim.task, to, only);
  const { from, seen, checkpoint, reason } = plan;
  if (seen.damage) throw seen.damage;
  assertUnmoved(claim.task, plan.end.seq, options.expect);
  // Files first: if they fail, the task stays as it was.
  const here = only === 'state' ? null : await servicesAt(services, from.head);
  const files = here && (await putFilesBack(here, claim, plan, to, options, begun));
  if (only === 'files' ? files && allStayed(files) : changesNothing(plan, files, options)) {
    const { task, fence } = claim;
    await services.storage.commit({ task, fence, records: rollbackFinished(task) });
    return { ...whatGoes(plan, []), done: false, notes: files?.notes ?? NO_NOTES };
  }
  const snapshot = await alsoOrForward(here?.workspace ?? null, services.storage, claim, files, options);
  const moved =
    only === 'files'
      ? { state: from.state, entries: [] }
      : toPaused(from.state, seen.kept, from.head.input, reason, services.clock.now());
  await commitRollback(services, claim, {
    ...plan,
    moved,
    checkpoint,
    files: files?.undo ?? null,
    ...(files?.place === undefined ? {} : { place: files.place }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(only === 'files' ? { filesTo: plan.point } : {}),
    by: begun?.by ?? options.by,
    retry: to.retry === true,
    as_recorded: options.as_recorded ?? only === undefined,
    dropping: files ? rollbackFinished(claim.task) : [],
  });
  return { ...whatGoes(plan, files?.files ?? null), done: true, notes: files?.notes ?? NO_NOTES };
}

/** Every file that was to be put back was left as it is: there is nothing to record, nor to redo. */
function allStayed({ undo, notes }: FilesRolledBack): boolean {
  return undo.before === undo.after && notes !== undefined && notes.left.length > 0;
}

const LIFECYCLE: ReadonlySet<string> = new Set(['status', 'recovery', 'rollback', 'redo', 'checkpoint']);

/** It is there already: it stopped, and nothing was recorded since. */
function changesNothing(
  { from, seen, later, unlisted }: Plan,
  files: FilesRolledBack | null,
  { also, only }: OwnersRollback,
): boolean {
  const kinds = Object.keys(seen.after.entries).filter((kind) => kind !== 'retry' || !seen.failedLast);
  return (
    also === undefined &&
    from.state.status === 'paused' &&
    (only === 'state' || from.head.files_undone === undefined) &&
    kinds.every((kind) => LIFECYCLE.has(kind)) &&
    later.length + unlisted.length === 0 &&
    (files === null || files.undo.before === files.undo.after)
  );
}

export const NO_NOTES: FileNotes = { left: [], displaced: [], review: [] };

/** A failure leaves everything as it was; if that is not possible either, the next owner of the task finishes it. */
async function alsoOrForward(
  workspace: WorkspaceLink | null,
  storage: Storage,
  { task, fence }: Claim,
  files: FilesRolledBack | null,
  { also, on_modified, on_deleted }: OwnersRollback,
): Promise<string | undefined> {
  try {
    return await also?.(files);
  } catch (error) {
    if (files && workspace) {
      const choices = {
        on_modified: on_modified ?? 'use_current',
        on_deleted: on_deleted ?? 'skip',
      } as const;
      const forward = async (): Promise<void> => {
        await workspace.redo(task, undoing(files.undo), choices);
        await storage.commit({ task, fence, records: rollbackFinished(task) });
      };
      await forward().catch(() => {}); // The next owner finishes it.
    }
    throw error;
  }
}

async function putFilesBack(
  { workspace, storage, config, prompter }: TaskServices,
  claim: Claim,
  { point, checkpoint, files }: Plan,
  to: Destination,
  options: OwnersRollback,
  begun: Unfinished | undefined,
): Promise<FilesRolledBack | null> {
  const { task } = claim;
  const user = { task, prompter: options.prompter ?? prompter, going_back: true };
  const given = await withContents(storage, options, begun?.answers);
  const { choices, answers } = deciding(config, given, user, begun?.answers);
  const only = options.only === 'files' ? 'files' : null;
  const { on_modified, on_deleted } = choices;
  const by = begun?.by ?? options.by;
  const begin: PutBack['begin'] = (before, decided) =>
    noteUnfinished(storage, claim, {
      checkpoint: 'checkpoint' in to ? to.checkpoint : null,
      ...('cut' in to ? { cut: { task: to.cut.task, seq: to.cut.seq }, reason: to.reason } : {}),
      ...(by === undefined ? {} : { by }),
      only,
      on_modified,
      on_deleted,
      answers: { ...answers, ...contentsNoted(decided) },
      before: begun?.before ?? before,
    });
  if (workspace) {
    const since = begun ? { since: begun.before } : {};
    const whole = options.whole ?? false;
    return workspace.rollback(task, point, { ...choices, ...since, whole, begin }, files);
  }
  if (only !== 'files') return null;
  throw new InvalidInputError('USAGE', phrase`There are no files to restore: files are not captured here.`, {
    data: { task, checkpoint },
    hint: phrase`Run it where the files of the project are known, or leave --only out.`,
  });
}
