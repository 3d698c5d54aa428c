/** `task.commit`: checks for drift, then commits the task's own files; recorded, and done once, like any step. */
import type { Committed } from '../../drift/commit.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { CommitOptions, StepContext } from '../api/context.ts';
import { insideStep, type RunContext, throughSafePoint } from './run-context.ts';
import { runStep } from './steps.ts';

export async function commitWork(
  active: RunContext,
  agent: string,
  message: string,
  { timeout_ms }: CommitOptions,
): Promise<Committed | null> {
  checkMessage(message);
  refuseInsideStep();
  let paused = false;
  const look = async () => {
    paused = !(await active.drift.beforeCommit());
    return paused ? 'paused' : 'continue';
  };
  // Recorded: a task that was paused here has been asked about it when it was resumed.
  await runStep(active, { name: 'drift before commit', agent, fn: look, options: {} });
  if (paused) await throughSafePoint(active, async () => {}); // The safe point is closed: nothing comes after it in this run.
  const commit = async (step: StepContext) => {
    const checkpoint = await active.checkpointNow({ commit: message });
    return active.drift.commit({ message, checkpoint, step, timeout_ms });
  };
  return (
    (await runStep(active, { name: 'commit', agent, fn: commit, options: { dangerous: 'shell_command' } })) ??
    null
  );
}

/** It may have to pause the task, which is impossible while a step is in progress. */
function refuseInsideStep(): void {
  const step = insideStep.getStore()?.step;
  if (step === undefined) return;
  throw new InvalidInputError('USAGE', phrase`A task cannot commit inside a step (${step}).`, {
    data: { step },
    hint: phrase`Commit between steps.`,
  });
}

function checkMessage(message: unknown): void {
  if (typeof message === 'string' && message.trim() !== '') return;
  throw new InvalidInputError('USAGE', phrase`A commit needs a message.`, {
    data: { message },
    hint: phrase`Say in a sentence what the task has done.`,
  });
}
