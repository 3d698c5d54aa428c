/** Recovery as results: whatever goes wrong comes back as `success: false`, and is heard of as an event. */
import { parseCheckpointId } from '../checkpoint/record.ts';
import type { PipelineStep } from './definition.ts';
import type { Emit } from './events.ts';
import type { TaskHandle } from './handle.ts';
import type { RunOutcome } from './host.ts';
import type { RecoveryOptions } from './recovery.ts';
import type { RetryTaskOptions } from './retry.ts';
import type { RollbackOptions, RollbackResult } from './rollback.ts';

export type RecoveryResult<Success> =
  | ({ readonly success: true } & Success)
  | {
      readonly success: false;
      readonly error: unknown;
      /** In a sentence. */
      readonly reason: string;
    };

/** How the task stands after it has been run again: done, or paused by someone meanwhile. */
export type RecoveredTask = Extract<RunOutcome, { status: 'completed' | 'paused' }> & {
  readonly task: string;
};

/** What it is a front of. */
export interface RecoveryVerbs {
  resumeFrom<Context>(
    checkpoint: string,
    steps: readonly PipelineStep<Context>[] | undefined,
    options: RecoveryOptions,
  ): Promise<TaskHandle>;
  retryFrom(task: string, step: string, options: RetryTaskOptions): Promise<TaskHandle>;
  rollback(checkpoint: string, options: RollbackOptions): Promise<RollbackResult>;
  readonly emit: Emit;
}

export class ExecutionRecovery {
  readonly #verbs: RecoveryVerbs;

  constructor(verbs: RecoveryVerbs) {
    this.#verbs = verbs;
  }

  /** Goes on after the checkpoint's step, with the task's own code or with the steps given; answers when the run has ended. */
  resumeFromCheckpoint<Context>(
    checkpoint: string,
    remainingSteps?: readonly PipelineStep<Context>[],
    options: RecoveryOptions = {},
  ): Promise<RecoveryResult<RecoveredTask>> {
    const task = taskOf(checkpoint);
    return this.#attempt('resume', task, async () =>
      ended(await this.#verbs.resumeFrom(checkpoint, remainingSteps, options)),
    );
  }

  /** From the last success before the step, by its name or id, as often as the settings say unless told; answers after the last attempt. */
  retryFromStep(
    task: string,
    step: string,
    options: Omit<RetryTaskOptions, 'step'> = {},
  ): Promise<RecoveryResult<RecoveredTask>> {
    return this.#attempt('retry', task, async () => ended(await this.#verbs.retryFrom(task, step, options)));
  }

  /** Back to the checkpoint: later ones, and the history that belongs to them, leave the lists. */
  rollbackToCheckpoint(
    checkpoint: string,
    options: RollbackOptions = {},
  ): Promise<RecoveryResult<RollbackResult>> {
    return this.#attempt('rollback', taskOf(checkpoint), () => this.#verbs.rollback(checkpoint, options));
  }

  async #attempt<Success>(
    verb: 'resume' | 'retry' | 'rollback',
    task: string | null,
    run: () => Promise<Success>,
  ): Promise<RecoveryResult<Success>> {
    try {
      return { success: true, ...(await run()) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#verbs.emit({ type: 'recovery.failed', task, verb, error, reason });
      return { success: false, error, reason };
    }
  }
}

function taskOf(checkpoint: string): string | null {
  return parseCheckpointId(checkpoint)?.task ?? null;
}

async function ended({ id, outcome, result }: TaskHandle): Promise<RecoveredTask> {
  const end = await outcome;
  if (end.status === 'paused') return { ...end, task: id };
  return { status: 'completed', output: await result, task: id };
}
