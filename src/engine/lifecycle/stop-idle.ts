/** Stops a task that is not running, under a claim of its own. */

import { stateRecord } from '../../persistence/state-records.ts';
import type { InProgressData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import type { EngineServices } from '../run/services.ts';
import { claimTask } from '../task/records/claim.ts';
import { discard, receive } from '../task/records/inbox.ts';
import { dequeue, queueKey } from '../task/records/queue.ts';
import { requireTask } from '../task/tasks.ts';
import { announce, moveAlong, pausedData, queuedAgain, wayTo } from '../task/transitions.ts';

export function pauseIdle(
  services: EngineServices,
  id: string,
  reason: string,
  instructions: string | null,
  asked_by?: string,
): Promise<void> {
  return moveIdle(services, id, () => ['paused'], reason, { instructions, asked_by });
}

export async function cancelIdle(
  services: EngineServices,
  id: string,
  reason: string,
  asked_by?: string,
): Promise<void> {
  const { state } = await requireTask(services.storage, id);
  // Twice is refused, as for every status that is final.
  const wayOf = ({ status }: Pick<TaskState, 'status'>) =>
    status === 'cancelled' ? [status] : wayTo(status, 'cancelled');
  await moveIdle(services, id, wayOf, reason, { asked_by });
  if (state.status === 'queued') await dequeue(services.storage, queueKey(state.data));
}

/** A run may end before it has seen a request to cancel its task: the last process to check cancels it then. */
export async function cancelIfAsked(services: EngineServices, id: string): Promise<void> {
  for (const message of await receive(services.storage, id)) {
    if (message.kind !== 'cancel') continue;
    const { state } = await requireTask(services.storage, id);
    if (!isFinal(state.status)) {
      await cancelIdle(services, id, message.reason ?? 'cancelled', message.by ?? undefined);
    }
    await discard(services.storage, id, message);
  }
}

async function moveIdle(
  { storage, clock, emit, workingDirectories }: EngineServices,
  id: string,
  wayOf: (state: TaskState) => readonly TaskStatus[],
  reason: string,
  { instructions = null, asked_by }: { instructions?: string | null; asked_by?: string | undefined },
): Promise<void> {
  const claim = await claimTask(storage, id);
  try {
    const { state, head } = await requireTask(storage, id);
    const now = clock.now();
    const at = now.toISOString();
    const data = {
      queued: queuedAgain(state, head.input),
      // Only what is in progress is paused.
      paused: pausedData(state.data as InProgressData, reason, at, { instructions }),
      cancelled: { cancelled_at: at, cancel_reason: reason },
    };
    const moved = moveAlong(state, wayOf(state), {
      data: (to) => data[to as keyof typeof data],
      reason: () => reason,
      now,
    });
    const entries = moved.entries.map((entry) => ({ ...entry, ...(asked_by && { asked_by }) }));
    const append = { after: await storage.position(id), entries };
    await storage.commit({ task: id, fence: claim.fence, records: [stateRecord(moved.state)], append });
    announce(emit, state, moved.entries);
    await (await workingDirectories.of(head)).drift.ended(claim, moved.state);
  } finally {
    await claim.release();
  }
}
