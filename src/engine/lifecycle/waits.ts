/** Answering what a task waits for, from any process. The first answer counts. */
import { EngineError, InvalidInputError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { isFinal } from '../../task/status.ts';
import type { OpenWait } from '../api/agent-events.ts';
import { alreadyAnswered } from '../questions/answering.ts';
import { isLate } from '../run/answers.ts';
import type { EntryOf } from '../task/entries.ts';
import { readMemory } from '../task/journal.ts';
import { unanswered } from '../task/memory.ts';
import { type InboxMessage, messageWrite, newMessage, receive, send } from '../task/records/inbox.ts';
import {
  type GivenAnswer,
  idOfWait,
  loadQuestion,
  type QuestionRecord,
  questionsOf,
  questionWrite,
} from '../task/records/questions.ts';
import { requireTask } from '../task/tasks.ts';
import type { RunServices } from './runs.ts';

export interface AnswerOptions {
  /** The wait it answers; default: the oldest open one. */
  readonly wait?: string;
  readonly by?: string;
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
  return asked(storage, clock.now(), id, open);
}

/** Open waits, and whether their answers are on the way. */
export async function asked(
  storage: Storage,
  now: Date,
  task: string,
  open: readonly EntryOf<'wait'>[],
): Promise<AskedWait[]> {
  const answered = new Set((await receive(storage, task)).map(({ wait }) => wait));
  return open.map(({ id, at, kind, prompt, timeout_at }) => ({
    id,
    kind,
    asked_at: at,
    timeout_at,
    answered: answered.has(id),
    timed_out: !answered.has(id) && isLate({ timeout_at }, { at: now.toISOString() }),
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
    // Somebody was faster, and the task has ended since.
    if (options.wait !== undefined) await refuseAnswered(services, id, options.wait);
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
  if (asked) await answerOnce(services, id, asked, message);
  else await send(storage, id, message);
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
  await refuseAnswered(services, task, wanted);
  throw new InvalidInputError('USAGE', phrase`Task ${task} has no open question ${wanted}.`, {
    data: { task, wait: wanted, open: open.map(({ id }) => id) },
    hint: phrase`The command "show" lists the open questions, without those that were answered.`,
  });
}

/** The answer and its message, together; QUESTION_ANSWERED if somebody was faster. */
async function answerOnce(
  services: RunServices,
  task: string,
  asked: AskedWait,
  message: InboxMessage,
): Promise<void> {
  const { storage } = services;
  const id = idOfWait(asked.id, asked.asked_at);
  for (;;) {
    const known = await loadQuestion(storage, task, id);
    if (known?.record.answer && (await counts(services, task, asked, known.record.answer)))
      throw alreadyAnswered(
        task,
        known.record,
        await withValue(services, task, asked.id, known.record.answer),
      );
    const { by, at, id: sent } = message;
    const answer = { value: null, content: null, by, at, message: sent };
    const record = questionWrite(task, { ...ofWait(id, asked), answer }, known?.revision ?? 0);
    try {
      await storage.commit({ task: null, records: [record, messageWrite(task, message)] });
      return;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
}

/**
 * Not if a rollback has taken it back. A message is removed only after its answer is in the journal, so the inbox is read
 * first.
 */
async function counts(
  services: RunServices,
  task: string,
  { id, asked_at }: AskedWait,
  { message }: GivenAnswer,
): Promise<boolean> {
  if ((await receive(services.storage, task)).some((one) => one.id === message)) return true;
  const open = await openWaits(services, task);
  return !open.some((one) => one.id === id && one.asked_at === asked_at);
}

function ofWait(id: string, { id: wait, prompt, asked_at }: AskedWait): QuestionRecord {
  return {
    version: '1.0',
    id,
    kind: 'wait',
    message: prompt ?? wait,
    options: [],
    recommended: null,
    wait,
    path: null,
    going_back: false,
    versions: null,
    asked_at,
    asker: null,
    answer: null,
    closed_at: null,
  };
}

/** The newest answer to a wait that is no longer open says who gave it. */
async function refuseAnswered(services: RunServices, task: string, wait: string): Promise<void> {
  const all = (await questionsOf(services.storage, task)).filter(({ record }) => record.wait === wait);
  const record = all.at(-1)?.record;
  if (record?.answer)
    throw alreadyAnswered(task, record, await withValue(services, task, wait, record.answer));
}

/** An answer is kept in one place only, since it may be secret: in its message, then as the journal has it. */
async function withValue(
  { storage }: RunServices,
  task: string,
  wait: string,
  answer: GivenAnswer,
): Promise<GivenAnswer> {
  const sent = (await receive(storage, task)).find(({ id }) => id === answer.message);
  if (sent) return { ...answer, value: sent.value };
  const { head } = await requireTask(storage, task);
  return { ...answer, value: (await readMemory(storage, head)).answers.get(wait)?.value };
}
