/** Whether a task can be resumed in its current state. */
import type { Config } from '../../config/types.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isExpired } from '../../task/resumable.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';

const FOR_WORKERS: ReadonlySet<TaskStatus> = new Set(['queued', 'in_progress', 'waiting']);

export function assertTakeable(state: TaskState, now: Date, config: Config, by_worker = false): void {
  const { task_id, task_name, status } = state;
  const refuse = (why: string, hint: string): never => {
    throw new EngineError(
      'NOT_RESUMABLE',
      phrase`Task "${task_name}" (${task_id}) cannot be resumed: ${why}.`,
      {
        data: { task: task_id, status },
        hint,
      },
    );
  };
  if (by_worker && !FOR_WORKERS.has(status)) refuse(phrase`it is ${status}`, phrase`Resume it by its id.`);
  if (isFinal(status)) refuse(phrase`it is ${status}`, phrase`Fork it from one of its checkpoints.`);
  if (state.status === 'failed') {
    if (isExpired(state, now, config.cleanup.failed_days))
      refuse(phrase`it failed too long ago`, phrase`Start it again; its history is kept.`);
    if (!state.data.recoverable)
      refuse(
        phrase`its failure is marked as not recoverable`,
        phrase`Fork it from a checkpoint before the failure.`,
      );
  }
}

export function notTakenUp(task: string): EngineError {
  return new EngineError('RUN_STOPPED', phrase`Task ${task} was not claimed: this engine is stopping.`, {
    data: { task },
    hint: phrase`Resume it in another engine.`,
  });
}
