/** Retries a task: after a failure, or from the last success before a step; several times if requested. */

import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import { sleepFor } from '../../system/time-limit.ts';
import type { RetryOptions } from '../api/context.ts';
import { spansAfter } from '../files/own-changes.ts';
import { refuseFinal } from '../recovery/commit-rollback.ts';
import type { RecoveryOptions, TakenBack } from '../recovery/recover.ts';
import { type PreviewOptions, previewBack } from '../recovery/rollback.ts';
import type { BackPreview } from '../recovery/rollback-results.ts';
import { delayBefore } from '../run/attempts.ts';
import type { Run, RunOutcome } from '../run/services.ts';
import type { Cut } from '../task/cut.ts';
import { isUnreadable } from '../task/damage.ts';
import type { Head } from '../task/records/head.ts';
import { failedStep, findStep } from '../task/step-search.ts';
import { requireTask } from '../task/tasks.ts';
import { resumeOrRollBack } from './resume.ts';
import { rollBackAndRun } from './rollback-and-run.ts';
import type { RunServices } from './runs.ts';
import { takeBack } from './take-back.ts';
import { assertTakeable } from './takeable.ts';

export interface RetryTaskOptions extends RecoveryOptions, Partial<RetryOptions> {
  /** Goes back to the last success before this step, by its id or name. Default: what failed is run again. */
  readonly step?: string;
  /** Ends the waiting between attempts. */
  readonly signal?: AbortSignal;
}

/** Resolves when the first attempt is running; the outcome is that of the last one. */
export async function retryTask(
  services: RunServices,
  task: string,
  options: RetryTaskOptions = {},
): Promise<Pick<Run, 'task' | 'outcome'>> {
  const first =
    options.step === undefined
      ? await again(services, task, options)
      : await fromStep(services, task, options.step, options);
  return { task, outcome: attempts(services, first, options) };
}

async function again(services: RunServices, task: string, options: RetryTaskOptions): Promise<Run> {
  const { state } = await requireTask(services.storage, task);
  if (state.status === 'failed') return resumeTask(services, task, options);
  refuseFinal(state);
  throw new EngineError(
    'NOT_RESUMABLE',
    phrase`Task "${state.task_name}" (${task}) has not failed: it is ${state.status}.`,
    {
      data: { task, status: state.status },
      hint: phrase`Resume it, or say from which step to try again.`,
    },
  );
}

/** Resumes where it was. Changes to files of a failed step are undone first: otherwise they would be made twice. */
export async function resumeTask(
  services: RunServices,
  task: string,
  options: RecoveryOptions,
): Promise<Run> {
  const step = await toTakeBack(services, task).catch(unlessDamaged);
  return step === null ? resumeOrRollBack(services, task, options) : fromStep(services, task, step, options);
}

/** The step that failed, if it is to run again and has changed files. */
async function toTakeBack(services: RunServices, task: string): Promise<string | null> {
  const { head, state } = await requireTask(services.storage, task);
  const step = state.status === 'failed' ? await failedStep(services.storage, head) : null;
  // An agent that continues its conversation treats a failure as an answer, and does not run the step again.
  if (!step || services.registry.definitionFor(head, () => {}).continues) return null;
  return (await changedFiles(services, head, step.cut)) ? step.id : null;
}

/** Damaged data is put aside when the task is resumed. */
function unlessDamaged(error: unknown): null {
  if (isUnreadable(error)) return null;
  throw error;
}

/** Each further attempt keeps what succeeded in the one before. */
export async function attempts(
  services: RunServices,
  first: Run,
  options: RetryTaskOptions,
  takeUp: () => Promise<Run> = () => again(services, first.task, options),
): Promise<RunOutcome> {
  const retry = { ...configured(services), ...options };
  let outcome = await first.outcome;
  try {
    for (let attempt = 1; attempt < retry.attempts && outcome.status === 'failed'; attempt++) {
      const { error } = outcome;
      if (!isRecoverable(error) || !(await retry.when(error, attempt))) break;
      await sleepFor(delayBefore(attempt + 1, retry), options.signal);
      outcome = await (await takeUp()).outcome;
    }
  } catch (error) {
    return { status: 'stopped', error };
  }
  return outcome;
}

async function fromStep(
  services: RunServices,
  task: string,
  step: string,
  options: RetryTaskOptions,
): Promise<Run> {
  const { head, state } = await requireTask(services.storage, task);
  refuseFinal(state);
  assertTakeable(state, services.clock.now(), services.config);
  services.registry.definitionFor(head, () => {}); // Refuses to run before anything is rolled back.
  return rollBackAndRun(services, task, options, (claim) => backToStep(services, claim, step, options));
}

/** What going back to before this step would undo. */
export async function previewRetry(
  services: RunServices,
  task: string,
  step: string,
  options?: PreviewOptions,
): Promise<BackPreview> {
  const { head } = await requireTask(services.storage, task);
  const { cut, id } = await findStep(services.storage, head, step);
  return previewBack(services, task, { cut, reason: id }, undefined, options);
}

/** Null if the task was not rolled back. */
async function backToStep(
  services: RunServices,
  claim: Claim,
  step: string,
  options: RecoveryOptions,
): Promise<TakenBack | null> {
  const { head, state } = await requireTask(services.storage, claim.task);
  const found = await findStep(services.storage, head, step);
  // The task failed there: nothing was recorded after it, so only its changes to files are undone.
  if (state.status === 'failed' && found.failedLast && !(await changedFiles(services, head, found.cut)))
    return null;
  const reason = phrase`rolled back to before ${found.id}`;
  return takeBack(services, claim, { cut: found.cut, reason, retry: state.status === 'failed' }, options);
}

async function changedFiles(
  { workingDirectories, storage }: RunServices,
  head: Head,
  cut: Cut,
): Promise<boolean> {
  const task = head.task_id;
  // An interrupted step is reported as such, with the files it found first.
  if ((await spansAfter(storage, task, cut)).spans().every(({ doubtful }) => doubtful)) return false;
  const { workspace } = await workingDirectories.of(head);
  const plan = (await workspace?.previewRollback(task, cut)) ?? [];
  return plan.some(({ action }) => action !== 'keep');
}

function configured({ config: { recovery } }: RunServices): RetryOptions {
  const { first_delay_seconds, factor, max_delay_seconds } = recovery.retry;
  return {
    attempts: 1,
    first_delay_ms: first_delay_seconds * 1000,
    factor,
    max_delay_ms: max_delay_seconds * 1000,
    jitter: 0.5,
    when: () => true,
  };
}

function isRecoverable(error: unknown): boolean {
  return (error as { recoverable?: unknown } | null)?.recoverable !== false;
}
