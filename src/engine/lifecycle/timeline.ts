/** The operations that take a task to another point of its history, or create a new one from there. */
import { parseCheckpointId } from '../../task/keys.ts';
import type { FileChoices } from '../files/choices.ts';
import { asOnlyWriter } from '../recovery/commit-rollback.ts';
import { dropFork, type Forked, type ForkOptions, forkTask } from '../recovery/fork.ts';
import { adoptFor, previewManual } from '../recovery/manual-checkpoints.ts';
import { mendAndNotify } from '../recovery/mend.ts';
import type { RecoveryOptions } from '../recovery/recover.ts';
import { type Redone, type RedoOptions, redoRollback } from '../recovery/redo.ts';
import { previewRedo } from '../recovery/redo-preview.ts';
import {
  NO_NOTES,
  type PreviewOptions,
  previewRollback,
  type RollbackOptions,
  type RollbackPreview,
  type RollbackResult,
  rollbackToCheckpoint,
} from '../recovery/rollback.ts';
import type { BackPreview, Finished, RedoPreview, Taken, TakePreview } from '../recovery/rollback-results.ts';
import { previewTake, type TakeOptions, takeFiles } from '../recovery/take.ts';
import {
  previewUndo,
  type UndoPreview,
  type UndoResult,
  type UndoTaskOptions,
  undoTask,
} from '../recovery/undo.ts';
import { createRecovery, type Recovery } from './execution-recovery.ts';
import { handleOf, type TaskHandle } from './handle.ts';
import { resumeFromCheckpoint } from './resume-from.ts';
import { previewRetry, type RetryTaskOptions, retryTask } from './retry.ts';
import { retrySteps } from './retry-steps.ts';
import type { RunServices } from './runs.ts';

export interface Timeline {
  /** Back to a checkpoint; the task is paused there. For a task that has ended, only its files. */
  rollback(checkpoint: string, options?: RollbackOptions): Promise<RollbackResult>;
  /** What a rollback would remove. */
  previewRollback(
    checkpoint: string,
    options?: PreviewOptions & Pick<RollbackOptions, 'only'>,
  ): Promise<RollbackPreview>;
  /** Undoes all changes of the task itself to files, in any status; its state stays. `redo` brings them back. */
  undo(id: string, options?: UndoTaskOptions): Promise<UndoResult>;
  /** What an undo would restore. */
  previewUndo(id: string, options?: PreviewOptions): Promise<UndoPreview>;
  /** Undoes the newest rollback or undo; NOTHING_TO_REDO once the task has continued, or clean-up has removed it. */
  redo(id: string, options?: RedoOptions): Promise<Redone>;
  /** What a redo would bring back; NOTHING_TO_REDO as above. */
  previewRedo(id: string, options?: PreviewOptions): Promise<RedoPreview>;
  /**
   * Does once more what task `from` itself did to files, where this one works: merged with what is there, as a change of its
   * own. Going back to the checkpoint that is made first takes it back. NOTHING_TO_TAKE if all of it is there.
   */
  take(from: string, into: string, options?: TakeOptions): Promise<Taken>;
  /** What a take would change. */
  previewTake(from: string, into: string, options?: PreviewOptions): Promise<TakePreview>;
  /** Finishes a rollback, undo, redo or take that a process ended in the middle of; null if there is none. */
  finish(id: string, choices?: FileChoices): Promise<Finished | null>;
  /** A new task from a checkpoint of any task. It is paused, unless it should start now. */
  fork(
    checkpoint: string,
    options?: ForkOptions & StartOptions,
  ): Promise<Forked & { readonly run: TaskHandle | null }>;
  /** Runs what failed again, or everything from a step on; default: once. The outcome is that of the last attempt. */
  retry(id: string, options?: RetryTaskOptions): Promise<TaskHandle>;
  /** What a retry from this step would undo first. */
  previewRetry(id: string, step: string, options?: PreviewOptions): Promise<BackPreview>;
  /** Resumes after a checkpoint; what was recorded after it is undone first. */
  resumeFrom(checkpoint: string, options?: RecoveryOptions): Promise<TaskHandle>;
  /** The same, with results instead of errors. */
  readonly recovery: Recovery;
}

export interface StartOptions extends RecoveryOptions {
  readonly start?: boolean;
}

export function createTimeline(services: RunServices): Timeline {
  const mended = mendAndNotify(services);
  const ofTask = <T>(checkpoint: string, work: () => Promise<T>): Promise<T> => {
    const task = parseCheckpointId(checkpoint)?.task;
    return task === undefined ? work() : mended(task, work);
  };
  const rollback: Timeline['rollback'] = (checkpoint, options) =>
    ofTask(checkpoint, async () => {
      const trial = options?.dry_run ? await previewManual(services.storage, checkpoint) : null;
      if (trial) return { ...trial, done: false, notes: NO_NOTES };
      if (!options?.dry_run) await adoptFor(services, checkpoint);
      return rollbackToCheckpoint(services, checkpoint, options);
    });
  const { max_attempts } = services.config.recovery.retry;
  return {
    rollback,
    previewRollback: async (checkpoint, options) =>
      (await previewManual(services.storage, checkpoint)) ?? previewRollback(services, checkpoint, options),
    undo: (id, options) => mended(id, () => undoTask(services, id, options)),
    previewUndo: (id, options) => previewUndo(services, id, options),
    redo: (id, options) => mended(id, () => redoRollback(services, id, options)),
    previewRedo: (id, options) => previewRedo(services, id, options),
    take: (from, into, options) => mended(into, () => takeFiles(services, from, into, options)),
    previewTake: (from, into, options) => previewTake(services, from, into, options),
    finish: (id, choices) =>
      mended(id, () => asOnlyWriter(services, id, async (_, finished) => finished, choices)),
    fork: async (checkpoint, { start = false, ...options } = {}) => {
      const forked = await ofTask(checkpoint, () => forkTask(services, checkpoint, options));
      if (!start) return { ...forked, run: null };
      try {
        return { ...forked, run: handleOf(await services.running.takeUp(forked.id, options)) };
      } catch (error) {
        await dropFork(services.storage, forked);
        throw error;
      }
    },
    retry: async (id, options) => handleOf(await mended(id, () => retryTask(services, id, options))),
    previewRetry: (id, step, options) => previewRetry(services, id, step, options),
    resumeFrom: async (checkpoint, options) =>
      handleOf(
        await ofTask(checkpoint, () => resumeFromCheckpoint(services, checkpoint, undefined, options)),
      ),
    recovery: createRecovery({
      rollback,
      emit: services.emit,
      resumeFrom: async (checkpoint, steps, options) =>
        handleOf(await ofTask(checkpoint, () => resumeFromCheckpoint(services, checkpoint, steps, options))),
      retryFrom: async (id, step, { steps, ...options }) => {
        const given = { attempts: max_attempts, ...options };
        const again = (): ReturnType<typeof retryTask> =>
          steps
            ? retrySteps(services, id, step, steps, given)
            : retryTask(services, id, { ...given, step: String(step) });
        return handleOf(await mended(id, again));
      },
    }),
  };
}
