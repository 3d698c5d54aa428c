/** Stopping a task that nobody runs, under a claim of one's own. */
import type { Storage } from '../../storage/contract.ts';
import { stateRecord } from '../../storage/state-records.ts';
import type { Clock } from '../../system/clock.ts';
import type { InProgressData, StateData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal, type TaskStatus } from '../../task/status.ts';
import { transition } from '../../task/transition.ts';
import type { Emit } from '../api/events.ts';
import type { DriftDesk } from '../git/desk.ts';
import { claimTask } from '../task/records/claim.ts';
import type { Head } from '../task/records/head.ts';
import { discard, receive } from '../task/records/inbox.ts';
import { dequeue, placeOf } from '../task/records/queue.ts';
import { requireTask } from '../task/tasks.ts';
import { queuedAgain } from '../task/transitions.ts';

export interface OfflineHost {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly drift: Pick<DriftDesk, 'ended'>;
}

export function pauseIdle(
  host: OfflineHost,
  id: string,
  reason: string,
  instructions: string | null,
): Promise<void> {
  return moveOffline(host, id, (state, now) => {
    const data = { ...pausedData(state, reason, now), resume_instructions: instructions };
    return [['paused', data, reason]];
  });
}

export async function cancelIdle(host: OfflineHost, id: string, reason: string): Promise<void> {
  const { state } = await requireTask(host.storage, id);
  await moveOffline(host, id, (state, now, head) => [
    ...onTheWay(state, head, reason, now),
    ['cancelled', { cancelled_at: now.toISOString(), cancel_reason: reason }, reason],
  ]);
  if (state.status === 'queued') await dequeue(host.storage, placeOf(state.data));
}

/** A run may end before it has seen a request to cancel its task: whoever is last to look cancels it then. */
export async function cancelIfAsked(host: OfflineHost, id: string): Promise<void> {
  for (const message of await receive(host.storage, id)) {
    if (message.kind !== 'cancel') continue;
    const { state } = await requireTask(host.storage, id);
    if (!isFinal(state.status)) await cancelIdle(host, id, message.reason ?? 'cancelled');
    await discard(host.storage, id, message);
  }
}

type Move = readonly [to: TaskStatus, data: StateData[TaskStatus], reason: string];

/** The status between this one and `cancelled`, where the table has no direct way. */
function onTheWay(state: TaskState, head: Head, reason: string, now: Date): readonly Move[] {
  if (state.status === 'in_progress') return [['paused', pausedData(state, reason, now), reason]];
  return state.status === 'failed' ? [['queued', queuedAgain(state, head.input), reason]] : [];
}

async function moveOffline(
  { storage, clock, emit, drift }: OfflineHost,
  id: string,
  moves: (state: TaskState, now: Date, head: Head) => readonly Move[],
): Promise<void> {
  const claim = await claimTask(storage, id);
  try {
    const { state, head } = await requireTask(storage, id);
    const now = clock.now();
    let next: TaskState = state;
    const entries = moves(state, now, head).map(([to, data, reason]) => {
      const from = next.status;
      next = transition(next, to, data as never, now);
      return { t: 'status', at: now.toISOString(), from, to, reason } as const;
    });
    const append = { after: await storage.position(id), entries };
    await storage.commit({ task: id, fence: claim.fence, records: [stateRecord(next)], append });
    for (const { from, to, reason } of entries) {
      emit({ type: 'task.status', task: id, task_name: state.task_name, from, to, reason });
    }
    await drift.ended(claim, next);
  } finally {
    await claim.release();
  }
}

function pausedData(state: TaskState, reason: string, now: Date): StateData['paused'] {
  const at = now.toISOString();
  const nothing: InProgressData = {
    current_agent: null,
    current_step: null,
    iteration_count: 0,
    started_at: at,
    last_activity_at: at,
    accumulated_context: null,
  };
  const snapshot = state.status === 'in_progress' ? state.data : nothing;
  return { paused_at: at, pause_reason: reason, resume_instructions: null, snapshot };
}
