/** Recovery with results instead of exceptions: failures come back as `success: false`, and as events. */
import { parseCheckpointId } from '../../task/keys.ts';
import type { PipelineStep } from '../api/definition.ts';
import type { Emit } from '../api/events.ts';
import type { RecoveryOptions } from '../recovery/recover.ts';
import type { RollbackOptions, RollbackResult } from '../recovery/rollback.ts';
import type { RunOutcome } from '../run/services.ts';
import type { TaskHandle } from './handle.ts';
import type { RetryTaskOptions } from './retry.ts';

export type RecoveryResult<Success> =
  | ({ readonly success: true } & Success)
  | {
      readonly success: false;
      readonly error: unknown;
      /** In a sentence. */
      readonly reason: string;
    };

/** The status of the task after the new run: done, or paused by someone. */
type RecoveredTask = Extract<RunOutcome, { status: 'completed' | 'paused' }> & {
  readonly task: string;
};

interface RetryStepsOptions<Context> extends Omit<RetryTaskOptions, 'step'> {
  /** The code of an execution that no engine knows: its steps, or those from the one to try again on. */
  readonly steps?: readonly PipelineStep<Context>[];
}

export interface Recovery {
  /**
   * Resumes after the checkpoint's step, with the task's own code or with the steps given; resolves when the run has ended.
   */
  resumeFromCheckpoint<Context>(
    checkpoint: string,
    remainingSteps?: readonly PipelineStep<Context>[],
    options?: RecoveryOptions,
  ): Promise<RecoveryResult<RecoveredTask>>;
  /**
   * From the last success before the step, by its name or id (by its index where `steps` are given); as often as the
   * settings say by default. Resolves after the last attempt.
   */
  retryFromStep<Context>(
    task: string,
    step: string | number,
    options?: RetryStepsOptions<Context>,
  ): Promise<RecoveryResult<RecoveredTask>>;
  /** Back to the checkpoint: later ones, and the history that belongs to them, are removed from the lists. */
  rollbackToCheckpoint(
    checkpoint: string,
    options?: RollbackOptions,
  ): Promise<RecoveryResult<RollbackResult>>;
}

/** The operations it wraps. */
interface RecoveryVerbs {
  resumeFrom<Context>(
    checkpoint: string,
    steps: readonly PipelineStep<Context>[] | undefined,
    options: RecoveryOptions,
  ): Promise<TaskHandle>;
  retryFrom<Context>(
    task: string,
    step: string | number,
    options: RetryStepsOptions<Context>,
  ): Promise<TaskHandle>;
  rollback(checkpoint: string, options: RollbackOptions): Promise<RollbackResult>;
  readonly emit: Emit;
}

export function createRecovery(verbs: RecoveryVerbs): Recovery {
  const attempt = async <Success>(
    verb: 'resume' | 'retry' | 'rollback',
    task: string | null,
    run: () => Promise<Success>,
  ): Promise<RecoveryResult<Success>> => {
    try {
      return { success: true, ...(await run()) };
    } catch (error) {
      const failed = failure(error);
      verbs.emit({ type: 'recovery.failed', task, verb, error, reason: failed.reason });
      return failed;
    }
  };
  return {
    resumeFromCheckpoint: (checkpoint, steps, options = {}) =>
      attempt('resume', taskOf(checkpoint), async () =>
        ended(await verbs.resumeFrom(checkpoint, steps, options)),
      ),
    retryFromStep: (task, step, options = {}) =>
      attempt('retry', task, async () => ended(await verbs.retryFrom(task, step, options))),
    rollbackToCheckpoint: (checkpoint, options = {}) =>
      attempt('rollback', taskOf(checkpoint), () => verbs.rollback(checkpoint, options)),
  };
}

export function failure(error: unknown): Extract<RecoveryResult<unknown>, { success: false }> {
  const reason = error instanceof Error ? error.message : String(error);
  return { success: false, error, reason };
}

function taskOf(checkpoint: string): string | null {
  return parseCheckpointId(checkpoint)?.task ?? null;
}

async function ended({ id, outcome, result }: TaskHandle): Promise<RecoveredTask> {
  const end = await outcome;
  if (end.status === 'paused') return { ...end, task: id };
  return { status: 'completed', output: await result, task: id };
}
