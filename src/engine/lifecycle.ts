/** Stopping and answering tasks, whoever runs them: here, in another process, or nobody. */
import { EngineError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { stateRecord } from '../storage/state-records.ts';
import type { Clock } from '../system/clock.ts';
import type { InProgressData, StateData } from '../task/data.ts';
import type { TaskState } from '../task/state.ts';
import { isFinal, type TaskStatus } from '../task/status.ts';
import { transition } from '../task/transition.ts';
import { isLate } from './answers.ts';
import { claimTask } from './claim.ts';
import type { EntryOf } from './entries.ts';
import type { Emit } from './events.ts';
import type { Head } from './head.ts';
import { newMessage, receive, send } from './inbox.ts';
import { readMemory } from './journal.ts';
import { unanswered } from './memory.ts';
import type { Poller } from './poller.ts';
import { dequeue, placeOf } from './queue.ts';
import type { Running } from './running.ts';
import { requireTask } from './tasks.ts';

export interface LifecycleHost {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly running: Running;
  readonly poller: Poller;
}

/** Asks for it; a task that runs comes to rest at its next safe point. */
export async function pauseTask(host: LifecycleHost, id: string, reason: string): Promise<void> {
  const run = host.running.get(id);
  if (run) return run.pause(reason);
  const { state } = await requireTask(host.storage, id);
  if (await host.storage.owner(id)) {
    return send(host.storage, id, newMessage({ kind: 'pause', reason }, host.clock.now()));
  }
  await moveOffline(host, id, (now) => [['paused', pausedData(state, reason, now), reason]]);
}

export async function cancelTask(host: LifecycleHost, id: string, reason: string): Promise<void> {
  const run = host.running.get(id);
  if (run) return run.cancel(reason);
  const { state } = await requireTask(host.storage, id);
  if (await host.storage.owner(id)) {
    return send(host.storage, id, newMessage({ kind: 'cancel', reason }, host.clock.now()));
  }
  await moveOffline(host, id, (now) => [
    ...(state.status === 'in_progress' ? [['paused', pausedData(state, reason, now), reason] as Move] : []),
    ['cancelled', { cancelled_at: now.toISOString(), cancel_reason: reason }, reason],
  ]);
  if (state.status === 'queued') await dequeue(host.storage, placeOf(state.data));
}

export interface AnswerOptions {
  /** The wait it answers; the oldest open one unless told. */
  readonly wait?: string;
  readonly by?: string;
}

/** Kept until the task has taken it, whoever runs it and whenever. */
export async function answerTask(
  host: LifecycleHost,
  id: string,
  value: unknown,
  options: AnswerOptions,
): Promise<void> {
  const { storage, clock } = host;
  const { head, state } = await requireTask(storage, id);
  if (isFinal(state.status)) {
    throw new EngineError(
      'NOT_RESUMABLE',
      `Task "${state.task_name}" (${id}) is ${state.status}: nothing waits for an answer.`,
      {
        data: { task: id, status: state.status },
        hint: 'Fork it from a checkpoint to take another way.',
      },
    );
  }
  const asked = await waitToAnswer(storage, head, options.wait);
  const wait = options.wait ?? asked?.id ?? null;
  const message = newMessage({ kind: 'answer', value, wait, by: options.by ?? null }, clock.now());
  if (asked && isLate(asked, message)) {
    throw new EngineError(
      'WAIT_TIMEOUT',
      `Task "${state.task_name}" (${id}) waited until ${asked.timeout_at}.`,
      {
        data: { task: id, wait, timeout_at: asked.timeout_at },
        hint: 'The answer comes too late. Resume the task: it goes on as it does when nobody answers.',
      },
    );
  }
  await send(storage, id, message);
  const run = host.running.get(id);
  if (run) await host.poller.look(run);
}

/** Settled now, so that an answer given twice does not become the answer to the next question. */
async function waitToAnswer(
  storage: Storage,
  head: Head,
  wanted: string | undefined,
): Promise<EntryOf<'wait'> | undefined> {
  const open = unanswered(await readMemory(storage, head));
  if (wanted !== undefined) return open.find(({ id }) => id === wanted);
  const answered = new Set((await receive(storage, head.task_id)).map(({ wait }) => wait));
  return open.find(({ id }) => !answered.has(id)) ?? open[0];
}

type Move = readonly [to: TaskStatus, data: StateData[TaskStatus], reason: string];

/** Moves a task that nobody runs, under a claim of its own. */
async function moveOffline(
  host: LifecycleHost,
  id: string,
  moves: (now: Date) => readonly Move[],
): Promise<void> {
  const { storage, clock, emit } = host;
  const claim = await claimTask(storage, id);
  try {
    const { state } = await requireTask(storage, id);
    const now = clock.now();
    let next: TaskState = state;
    const entries = moves(now).map(([to, data, reason]) => {
      const from = next.status;
      next = transition(next, to, data as never, now);
      return { t: 'status', at: now.toISOString(), from, to, reason } as const;
    });
    const append = { after: await storage.position(id), entries };
    await storage.commit({ task: id, fence: claim.fence, records: [stateRecord(next)], append });
    for (const { from, to, reason } of entries) {
      emit({ type: 'task.status', task: id, task_name: state.task_name, from, to, reason });
    }
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
