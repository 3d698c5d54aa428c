/** Retries steps of an execution whose code the caller supplies: from the last success before one of them. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { PipelineStep } from '../api/definition.ts';
import { checkpointRecords } from '../recovery/manual-checkpoints.ts';
import type { Run } from '../run/services.ts';
import { resumeFromCheckpoint } from './resume-from.ts';
import { attempts, type RetryTaskOptions } from './retry.ts';
import type { RunServices } from './runs.ts';

/** `step` by its name or its index. Of the steps given, those from the one of that name on are run; else all. */
export async function retrySteps<Context>(
  services: RunServices,
  task: string,
  step: string | number,
  steps: readonly PipelineStep<Context>[],
  options: RetryTaskOptions,
): Promise<Pick<Run, 'task' | 'outcome'>> {
  const before = await lastSuccessBefore(services, task, step);
  const from = steps.findIndex(({ name }) => name === step);
  const remaining = steps.slice(Math.max(from, 0));
  const first = await resumeFromCheckpoint(services, before.id, remaining, options);
  return { task, outcome: attempts(services, first, options, again) };

  /** What succeeded in the attempt before is not done again. */
  async function again(): Promise<Run> {
    const newest = (await successes(services, task)).at(-1) ?? before;
    const done =
      newest.id === before.id ? -1 : remaining.findLastIndex(({ name }) => name === newest.step_name);
    return resumeFromCheckpoint(services, newest.id, remaining.slice(done + 1), options);
  }
}

async function lastSuccessBefore(
  services: RunServices,
  task: string,
  step: string | number,
): Promise<CheckpointRecord> {
  const all = await checkpointRecords(services.storage, task);
  const named = all.findLast(({ step_name }) => step_name === step)?.step_index ?? Number.POSITIVE_INFINITY;
  const index = typeof step === 'number' ? step : named;
  const found = (await successes(services, task)).findLast(({ step_index }) => step_index < index);
  if (found) return found;
  throw new EngineError('CHECKPOINT_NOT_FOUND', phrase`No step succeeded before step ${step} of ${task}.`, {
    data: { task, step },
    hint: phrase`List its checkpoints; to run all its steps, start it again.`,
  });
}

async function successes({ storage }: RunServices, task: string): Promise<CheckpointRecord[]> {
  const all = await checkpointRecords(storage, task);
  return all
    .filter(({ step_status, step_name }) => step_status === 'success' && step_name !== null)
    .sort((a, b) => a.step_index - b.step_index || a.sequence_number - b.sequence_number);
}
