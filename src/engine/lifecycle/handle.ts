/** The handle of a run, for the caller that started or resumed the task. */
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Run, RunOutcome } from '../run/services.ts';

export interface TaskHandle<Output = unknown> {
  readonly id: string;
  /** How this run ended. */
  readonly outcome: Promise<RunOutcome>;
  /** The task's output; rejects when this run ended in any other way. */
  readonly result: Promise<Output>;
}

export function handleOf(run: Pick<Run, 'task' | 'outcome'>): TaskHandle<never> {
  const result = run.outcome.then((outcome) => resultOf(run.task, outcome) as never);
  result.catch(() => {}); // The error is for callers that use `result`; nobody has to.
  return { id: run.task, outcome: run.outcome, result };
}

function resultOf(task: string, outcome: RunOutcome): unknown {
  if (outcome.status === 'completed') return outcome.output;
  if (outcome.status === 'failed') throw outcome.error;
  const reason = outcome.status === 'stopped' ? String(outcome.error) : outcome.reason;
  throw new EngineError(
    'RUN_STOPPED',
    phrase`Task ${task} did not finish: it was ${outcome.status} (${reason}).`,
    {
      data: { task, status: outcome.status },
      cause: outcome.status === 'stopped' ? outcome.error : undefined,
      hint:
        outcome.status === 'cancelled'
          ? phrase`Start it again if you still want it.`
          : phrase`Resume it to continue.`,
    },
  );
}
