/** Going on after a checkpoint, with the task's own code or with the steps that are left. */
import { unpackValue } from '../checkpoint/pack.ts';
import type { CheckpointRecord } from '../checkpoint/record.ts';
import { type BackAndOn, goBackAndOn } from './back-and-on.ts';
import { liveCheckpoints, requireCheckpoint } from './checkpoints.ts';
import { defineTask, type PipelineStep, pipeline, type TaskDefinition } from './definition.ts';
import { refuseFinal } from './going-back.ts';
import type { Head } from './head.ts';
import type { Run } from './host.ts';
import { liveEntries } from './journal.ts';
import { blobLoader } from './packing.ts';
import type { RecoveryOptions } from './recovery.ts';
import { assertTakeable } from './running.ts';
import { survey } from './survey.ts';
import { takeBack } from './take-back.ts';
import { requireTask } from './tasks.ts';

/** What was recorded after the checkpoint is taken back first, and the task's own changes to files since with it. */
export async function resumeFromCheckpoint<Context>(
  host: BackAndOn,
  id: string,
  remainingSteps: readonly PipelineStep<Context>[] | undefined,
  options: RecoveryOptions = {},
): Promise<Run> {
  const checkpoint = await requireCheckpoint(host.storage, id);
  const task = checkpoint.task_id;
  const { head, state } = await requireTask(host.storage, task);
  refuseFinal(state);
  assertTakeable(state, host.clock.now(), host.config);
  if (!remainingSteps) host.definitionFor(head, () => {}); // Refused before anything is taken back.
  const instead = remainingSteps && (await definitionOf(host, head, checkpoint, remainingSteps));
  return goBackAndOn(host, task, { ...options, ...(instead ? { instead } : {}) }, async (claim) => {
    const seen = await survey(host.storage, head, { task, seq: checkpoint.journal.seq });
    const newest = (await liveCheckpoints(host.storage, task)).at(-1);
    // Without a newer checkpoint the task's own code finds its way; steps from outside begin right after this one.
    const isNewest = newest?.sequence === checkpoint.sequence_number;
    if (isNewest && !(remainingSteps && seen.after.steps.length > 0)) return null;
    return takeBack(host, claim, { checkpoint: id, retry: state.status === 'failed' }, options);
  });
}

/** The steps get what the last one before the checkpoint gave; the task's input when there was none. */
async function definitionOf<Context>(
  { storage }: BackAndOn,
  head: Head,
  checkpoint: CheckpointRecord,
  steps: readonly PipelineStep<Context>[],
): Promise<TaskDefinition> {
  let stored = head.input;
  for await (const { entry } of liveEntries(storage, head, checkpoint.journal)) {
    if (entry.t === 'step' && entry.agent === '') stored = entry.result;
  }
  const context = (await unpackValue(stored, blobLoader(storage, head))) as Context;
  const run = pipeline(steps);
  const { env_requirements } = checkpoint.recovery_info;
  return defineTask<unknown>(head.definition.name, (task) => run(task, context), { env_requirements });
}
