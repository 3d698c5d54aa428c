import { EngineError, InvalidInputError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { isResumable } from '../../task/resumable.ts';
import type { TaskState } from '../../task/state.ts';
import { isFinal } from '../../task/status.ts';
import type { OpenWait } from '../api/agent-events.ts';
import { isLate } from '../run/answers.ts';
import { readMemory } from '../task/journal.ts';
import { unanswered } from '../task/memory.ts';
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
): Promise<void> {
  const run = services.running.get(id);
  if (run) return run.pause(reason, instructions);
  if (await unlessOwned(services, id, () => pauseIdle(services, id, reason, instructions))) return;
  await send(services.storage, id, newMessage({ kind: 'pause', reason, instructions }, services.clock.now()));
}

export async function cancelTask(services: RunServices, id: string, reason: string): Promise<void> {
  const run = services.running.get(id);
  if (run) return run.cancel(reason);
  if (await unlessOwned(services, id, () => cancelIdle(services, id, reason))) return;
  await send(services.storage, id, newMessage({ kind: 'cancel', reason }, services.clock.now()));
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

export interface AnswerOptions {
  /** The wait it answers; default: the oldest open one. */
  readonly wait?: string;
  readonly by?: string;
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

/** A question that is open, whether or not its answer is on its way. */
export interface AskedWait extends OpenWait {
  /** What `answer` calls it. */
  readonly id: string;
  readonly asked_at: string;
  /** Its time limit has passed: an answer comes too late. */
  readonly timed_out: boolean;
}

/** Oldest first; none if the task has ended. */
export async function openWaits(
  { storage, running, clock }: Pick<RunServices, 'storage' | 'clock'> & Partial<Pick<RunServices, 'running'>>,
  id: string,
): Promise<AskedWait[]> {
  const { head, state } = await requireTask(storage, id);
  if (isFinal(state.status)) return [];
  // If it runs here, the journal need not be read.
  const open = running?.get(id)?.waits() ?? unanswered(await readMemory(storage, head));
  const answered = new Set((await receive(storage, id)).map(({ wait }) => wait));
  const now = { at: clock.now().toISOString() };
  return open.map(({ id, at, kind, prompt, timeout_at }) => ({
    id,
    kind,
    asked_at: at,
    timeout_at,
    answered: answered.has(id),
    timed_out: !answered.has(id) && isLate({ timeout_at }, now),
    ...(prompt === null ? {} : { prompt }),
  }));
}

/** Kept until the task has used it, in any process and at any time. */
export async function answerTask(
  services: RunServices,
  id: string,
  value: unknown,
  options: AnswerOptions,
): Promise<void> {
  const { storage, clock } = services;
  const { state } = await requireTask(storage, id);
  if (isFinal(state.status)) {
    throw new EngineError(
      'NOT_RESUMABLE',
      phrase`Task "${state.task_name}" (${id}) is ${state.status}: nothing waits for an answer.`,
      {
        data: { task: id, status: state.status },
        hint: phrase`Fork it from a checkpoint to continue differently.`,
      },
    );
  }
  const asked = await waitToAnswer(services, id, options.wait);
  const wait = asked?.id ?? null;
  const message = newMessage({ kind: 'answer', value, wait, by: options.by ?? null }, clock.now());
  if (asked && isLate(asked, message)) {
    throw new EngineError(
      'WAIT_TIMEOUT',
      phrase`Task "${state.task_name}" (${id}) waited until ${asked.timeout_at}.`,
      {
        data: { task: id, wait, timeout_at: asked.timeout_at },
        hint: phrase`The answer came too late. Resume the task: it continues as if nobody had answered.`,
      },
    );
  }
  await send(storage, id, message);
  const run = services.running.get(id);
  if (run) await services.poller.look(run);
}

/** Resolved now, so that an answer given twice does not answer the next question. */
async function waitToAnswer(
  services: RunServices,
  task: string,
  wanted: string | undefined,
): Promise<AskedWait | undefined> {
  const open = await openWaits(services, task);
  if (wanted === undefined) return open.find(({ answered }) => !answered) ?? open[0];
  const found = open.find(({ id }) => id === wanted);
  if (found) return found;
  throw new InvalidInputError('USAGE', phrase`Task ${task} has no open question ${wanted}.`, {
    data: { task, wait: wanted, open: open.map(({ id }) => id) },
    hint: phrase`The command "show" lists the open questions, without those that were answered.`,
  });
}
