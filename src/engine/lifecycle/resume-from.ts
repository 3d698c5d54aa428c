/** Resumes after a checkpoint, with the task's own code or with the steps that are left. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { unpackValue } from '../../checkpoint/values/pack.ts';
import { unpackCheckpoint } from '../../checkpoint/values/stored.ts';
import {
  defineTask,
  type PipelineStep,
  pipeline,
  type RestoredStep,
  type TaskDefinition,
} from '../api/definition.ts';
import { liveCheckpoints, requireCheckpoint } from '../history/checkpoints.ts';
import { survey } from '../history/survey.ts';
import { refuseFinal } from '../recovery/commit-rollback.ts';
import { adopt, contextOfManual, restoreManual } from '../recovery/manual-checkpoints.ts';
import type { RecoveryOptions } from '../recovery/recover.ts';
import type { Run } from '../run/services.ts';
import { liveEntries } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { requireTask } from '../task/tasks.ts';
import { rollBackAndRun } from './rollback-and-run.ts';
import type { RunServices } from './runs.ts';
import { takeBack } from './take-back.ts';
import { assertTakeable } from './takeable.ts';

/** First undoes what was recorded after the checkpoint, with the task's own changes to files since. */
export async function resumeFromCheckpoint<Context>(
  services: RunServices,
  id: string,
  remainingSteps: readonly PipelineStep<Context>[] | undefined,
  options: RecoveryOptions = {},
): Promise<Run> {
  const checkpoint = await requireCheckpoint(services.storage, id);
  const task = checkpoint.task_id;
  await adopt(services, task);
  const { head, state } = await requireTask(services.storage, task);
  refuseFinal(state);
  assertTakeable(state, services.clock.now(), services.config);
  if (!remainingSteps) services.registry.definitionFor(head, () => {}); // Refuses before anything is undone.
  const instead = remainingSteps && (await definitionOf(services, head, checkpoint, remainingSteps));
  return rollBackAndRun(services, task, { ...options, ...(instead ? { instead } : {}) }, async (claim) => {
    const seen = await survey(services.storage, head, { task, seq: checkpoint.journal.seq });
    const newest = (await liveCheckpoints(services.storage, task)).at(-1);
    // Without a newer checkpoint the task's own code replays to here; given steps start right after this one.
    const isNewest = newest?.sequence === checkpoint.sequence_number;
    const stays = isNewest && !(remainingSteps && seen.after.steps.length > 0);
    const retry = state.status === 'failed';
    const taken = stays ? null : await takeBack(services, claim, { checkpoint: id, retry }, options);
    if (remainingSteps) await restoreManual(services, claim, checkpoint);
    return taken;
  });
}

/** The steps get the result of the last one before the checkpoint; the task's input when there was none. */
async function definitionOf<Context>(
  { storage }: RunServices,
  head: Head,
  checkpoint: CheckpointRecord,
  steps: readonly PipelineStep<Context>[],
): Promise<TaskDefinition> {
  const { id, task_id, step_name, step_index, recovery_info } = checkpoint;
  const load = blobLoader(storage, head);
  const { step_state, step_context, step_variables } = await unpackCheckpoint(checkpoint, load);
  const restored: RestoredStep = {
    checkpoint: id,
    step_name,
    step_index,
    state: step_state,
    context: step_context,
    variables: step_variables,
  };
  const given = await unpackValue(await contextOfManual(storage, head, checkpoint), load);
  return defineTask<unknown>(
    head.definition.name,
    async (task) => {
      // When it runs, only what comes before the steps is recorded.
      const { head: now } = await requireTask(storage, task_id);
      let stored = head.input;
      for await (const { entry } of liveEntries(storage, now)) {
        if (entry.t === 'step' && entry.agent === '') stored = entry.result;
      }
      const context = given ?? (await unpackValue(stored, load));
      return pipeline(steps, restored)(task, context as Context);
    },
    { env_requirements: recovery_info.env_requirements },
  );
}
