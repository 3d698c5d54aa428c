import { OwnershipError } from '../../errors.ts';
import { isResumable } from '../../task/resumable.ts';
import type { TaskState } from '../../task/state.ts';
import { loadHead } from '../task/records/head.ts';
import { newMessage, receive, send } from '../task/records/inbox.ts';
import { requireTask, TRACKED } from '../task/tasks.ts';
import type { RunServices } from './runs.ts';
import { cancelIdle, cancelIfAsked, pauseIdle } from './stop-idle.ts';

/** Requests a pause; a running task stops at its next safe point. */
export async function pauseTask(
  services: RunServices,
  id: string,
  reason: string,
  instructions: string | null,
  by?: string,
): Promise<void> {
  const run = services.running.get(id);
  if (run) return run.pause(reason, instructions, by);
  if (await unlessOwned(services, id, () => pauseIdle(services, id, reason, instructions, by))) return;
  const message = { kind: 'pause', reason, instructions, by: by ?? null } as const;
  await send(services.storage, id, newMessage(message, services.clock.now()));
}

export async function cancelTask(
  services: RunServices,
  id: string,
  reason: string,
  by?: string,
): Promise<void> {
  const run = services.running.get(id);
  if (run) return run.cancel(reason, by);
  if (await unlessOwned(services, id, () => cancelIdle(services, id, reason, by))) return;
  const message = { kind: 'cancel', reason, by: by ?? null } as const;
  await send(services.storage, id, newMessage(message, services.clock.now()));
  if (!(await services.storage.owner(id))) await cancelIfAsked(services, id); // Its run ended in the same moment.
}

/** False if the task is owned, or is claimed at the same moment. */
async function unlessOwned({ storage }: RunServices, id: string, act: () => Promise<void>): Promise<boolean> {
  await requireTask(storage, id);
  if (await storage.owner(id)) return false;
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof OwnershipError) return false;
    throw error;
  }
}

/** Paused, failed and recoverable, waiting and answered or out of time, or in progress without a living runner. */
export async function isTaskResumable(
  { storage, clock, config }: Pick<RunServices, 'storage' | 'clock' | 'config'>,
  state: TaskState,
): Promise<boolean> {
  const id = state.task_id;
  const ownerAlive = (await storage.owner(id)) !== null;
  const answered = state.status === 'waiting' && (await receive(storage, id)).some(isAnswer);
  const failedDays = config.cleanup.failed_days;
  if (ownerAlive || !isResumable(state, { ownerAlive, answered, now: clock.now(), failedDays })) return false;
  const head = await loadHead(storage, id);
  return head !== null && head.definition.fingerprint !== TRACKED.fingerprint;
}

function isAnswer({ kind }: { readonly kind: string }): boolean {
  return kind === 'answer';
}
