/**
 * Asks a question here and everywhere at the same time: it is recorded, and the first answer counts, whether it is given at
 * this process's own prompt, from another terminal, or on a page.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { blobAddress } from '../../checkpoint/values/blob-ref.ts';
import { EngineError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import { markOf } from '../../system/process/alive.ts';
import { userName } from '../../system/user/user.ts';
import type { Prompter, Question } from '../api/prompter.ts';
import type { Services } from '../api/services.ts';
import {
  type GivenAnswer,
  loadQuestion,
  newQuestionId,
  type QuestionRecord,
  questionWrite,
} from '../task/records/questions.ts';
import { answerQuestion, contentOf, RESOLVED } from './answering.ts';
import { tidyQuestions, withdraw } from './asked.ts';

type AskingServices = Pick<Services, 'notify' | 'command'> & {
  readonly storage: Storage;
  readonly clock: Clock;
};

/** A server is asked less often than a directory. */
const LOCAL_MS = 100;
const SHARED_MS = 500;

interface AskingAnywhere extends Prompter {
  /** Withdraws what is being asked. */
  close(): Promise<void>;
}

/** `local` is asked, too; without one it waits for another process. */
export function askingAnywhere(services: AskingServices, local: Prompter | undefined): AskingAnywhere {
  const closing = new AbortController();
  const asking = new Set<Promise<unknown>>();
  return {
    ask(question, signal) {
      const stop = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
      const asked = askOnce(services, local, question, stop);
      asking.add(asked);
      asked.finally(() => asking.delete(asked)).catch(() => {}); // Its awaiter gets the error.
      return asked.catch((error: unknown) => {
        throw closing.signal.aborted ? left(question) : error;
      });
    },
    async close() {
      closing.abort();
      await Promise.allSettled(asking);
    },
  };
}

async function askOnce(
  services: AskingServices,
  local: Prompter | undefined,
  question: Question,
  signal: AbortSignal,
): Promise<string | Uint8Array> {
  const { storage, clock, notify, command } = services;
  const { task } = question;
  const record = await put(services, question);
  const over = new AbortController();
  const close = async (): Promise<void> => {
    over.abort();
    const stored = await loadQuestion(storage, task, record.id);
    if (stored) await withdraw(storage, task, stored, clock.now());
  };
  try {
    if (!local) notify(waiting(record, command(`questions answer ${task} ${record.id}`)));
    const elsewhere = answerTo(storage, task, record.id, AbortSignal.any([signal, over.signal]));
    elsewhere.catch(() => {}); // The question may be over before it is.
    const here = local && answerHere(services, local, question, record.id, over.signal);
    const first = await Promise.race(here ? [elsewhere, here.answered] : [elsewhere]);
    // An answer that was being recorded here may be the one that was found.
    const answer = here?.given() ? await here.answered : first;
    if ('value' in answer && local) notify([answeredBy(answer)]);
    const meant = 'here' in answer ? answer.here : await meaningOf(storage, task, answer);
    await close();
    return meant;
  } catch (error) {
    await close().catch(() => {}); // Why it failed matters more; it is closed with this process.
    throw error;
  }
}

/** Whether to run what a task was started with: a command, or a file. */
export function toRun(task: string, what: string): Question {
  const message = phrase`This task runs ${what}. Run it?`;
  return { kind: 'confirm', task, message, options: ['yes', 'no'], recommended: 'no', data: {} };
}

/** The versions first, then the record that names them. */
async function put({ storage, clock }: AskingServices, question: Question): Promise<QuestionRecord> {
  const { task, kind, message, options, recommended = null, data, versions } = question;
  const now = clock.now();
  await tidyQuestions(storage, task, now);
  const owner = kind === 'confirm' ? null : await storage.owner(task);
  const { pid, host, began } = markOf(process.pid);
  const record: QuestionRecord = {
    version: '1.0',
    id: newQuestionId(),
    kind,
    // What is in conflict is in the versions.
    message: versions ? message.split('\n')[0]! : message,
    options: [...options],
    recommended,
    wait: null,
    path: typeof data.path === 'string' ? data.path : null,
    going_back: data.going_back === true,
    versions: versions ? await stored(storage, task, versions) : null,
    asked_at: now.toISOString(),
    asker: { name: owner?.holder ?? `${host} pid ${pid}`, host, pid, began, fence: owner?.fence ?? null },
    answer: null,
    closed_at: null,
  };
  await storage.commit({ task: null, records: [questionWrite(task, record, 0)] });
  return record;
}

async function stored(
  storage: Storage,
  task: string,
  { base, ours, theirs }: NonNullable<Question['versions']>,
): Promise<NonNullable<QuestionRecord['versions']>> {
  const blobs = [base, ours, theirs].map((bytes) => ({ kind: 'questions', bytes }));
  const [one, two, three] = (await storage.putBlobs(task, blobs)).map(blobAddress);
  return { base: one!, ours: two!, theirs: three! };
}

interface Here {
  readonly here: string | Uint8Array;
}

interface AnsweringHere {
  /** Whether something was answered at this process's own prompt. */
  given(): boolean;
  /** It, unless another answer was recorded before. */
  readonly answered: Promise<Here | GivenAnswer>;
}

function answerHere(
  { storage, clock }: AskingServices,
  local: Prompter,
  question: Question,
  id: string,
  signal: AbortSignal,
): AnsweringHere {
  const { task } = question;
  let done = false;
  const answered = async (): Promise<Here | GivenAnswer> => {
    const here = await local.ask(question, signal);
    done = true;
    const given = typeof here === 'string' ? { value: here } : { value: RESOLVED, content: here };
    try {
      await answerQuestion(storage, task, id, { ...given, by: userName() }, () => clock.now());
      return { here };
    } catch (error) {
      // What is no answer is for the asker to judge.
      if (error instanceof VibeError && error.code === 'USAGE') return { here };
      const other = await loadQuestion(storage, task, id);
      if (!other?.record.answer) throw error;
      return other.record.answer;
    }
  };
  return { given: () => done, answered: answered() };
}

async function answerTo(
  storage: Storage,
  task: string,
  id: string,
  signal: AbortSignal,
): Promise<GivenAnswer> {
  for (;;) {
    const found = await loadQuestion(storage, task, id).catch(unlessUnreadable);
    if (found?.record.answer) return found.record.answer;
    await sleep(storage.shared ? SHARED_MS : LOCAL_MS, undefined, { signal });
  }
}

/** A store that cannot be read now is read again; one that is gone fails the next write. */
function unlessUnreadable(error: unknown): null {
  if (error instanceof VibeError && error.code !== 'STORE_CLOSED') return null;
  throw error;
}

async function meaningOf(storage: Storage, task: string, answer: GivenAnswer): Promise<string | Uint8Array> {
  const { value, content } = answer;
  return content === null ? String(value) : contentOf(storage, task, content);
}

function waiting({ message }: QuestionRecord, command: string): string[] {
  return [message, phrase`Waiting for an answer: ${command}`];
}

function answeredBy({ by, value }: GivenAnswer): string {
  return by === null ? phrase`Answered elsewhere: ${value}` : phrase`Answered by ${by}: ${value}`;
}

function left({ task, message }: Question): EngineError {
  return new EngineError('NEEDS_ANSWER', phrase`Nobody has answered: ${message}`, {
    data: { task, question: message },
    hint: phrase`Nothing was changed. It is asked again when the task is resumed.`,
  });
}
