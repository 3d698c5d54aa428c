/** Answers a question of any process. The first answer counts. */
import { blobAddress, blobIdOf } from '../../checkpoint/values/blob-ref.ts';
import { EngineError, InvalidInputError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import type { Services } from '../api/services.ts';
import { cutText } from '../api/thrown.ts';
import {
  type GivenAnswer,
  loadQuestion,
  type QuestionRecord,
  questionWrite,
  type StoredQuestion,
} from '../task/records/questions.ts';
import { askedNow, isAsked } from './asked.ts';
import { assertTaken, assertUnmasked, type Conflict, conflictOf } from './conflict.ts';

/** One of the options, or the whole file without conflicts. */
interface QuestionAnswer {
  readonly value: string;
  readonly content?: Uint8Array;
  readonly by: string | null;
}

/** What a resolved file is recorded as. */
export const RESOLVED = 'resolved';

export async function answerQuestion(
  storage: Storage,
  task: string,
  id: string,
  given: QuestionAnswer,
  now: () => Date,
): Promise<QuestionRecord> {
  const [blob] =
    given.content === undefined
      ? []
      : await storage.putBlobs(task, [{ kind: 'questions', bytes: given.content }]);
  for (;;) {
    const { record, revision } = await openQuestion(storage, task, id);
    if (blob === undefined && record.options.length > 0 && !record.options.includes(given.value))
      throw noOption(task, record, given.value);
    const content = blob === undefined ? null : blobAddress(blob);
    const value = blob === undefined ? given.value : RESOLVED;
    const answer: GivenAnswer = { value, content, by: given.by, at: now().toISOString(), message: null };
    try {
      const answered = { ...record, answer };
      await storage.commit({ task: null, records: [questionWrite(task, answered, revision)] });
      return answered;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error; // Somebody was faster, or it is being closed.
    }
  }
}

/** The whole file is refused where the task would not take it, or where it is not asked for. */
export async function answerAsked(
  { storage, clock }: Pick<Services, 'storage' | 'clock'>,
  task: string,
  id: string,
  answer: string | Uint8Array,
  by: string | null,
): Promise<void> {
  if (typeof answer === 'string')
    return void (await answerQuestion(storage, task, id, { value: answer, by }, () => clock.now()));
  const conflict = await conflictAsked(storage, task, id);
  assertUnmasked(conflict, answer);
  assertTaken(conflict, answer);
  await answerQuestion(storage, task, id, { value: RESOLVED, content: answer, by }, () => clock.now());
}

/** Of an open question about one. */
export async function conflictAsked(storage: Storage, task: string, id: string): Promise<Conflict> {
  const { record } = await openQuestion(storage, task, id);
  const { versions, path } = record;
  if (versions === null || path === null)
    throw new EngineError('QUESTION_CLOSED', phrase`This question is not about a conflict.`, {
      data: { task, question: id, kind: record.kind },
      hint: phrase`Answer it with one of: ${record.options.join(', ')}.`,
    });
  const [base, ours, theirs] = await Promise.all(
    [versions.base, versions.ours, versions.theirs].map((address) => contentOf(storage, task, address)),
  );
  return conflictOf(storage, path, { base: base!, ours: ours!, theirs: theirs! });
}

/** QUESTION_ANSWERED says who was faster; QUESTION_CLOSED that nobody asks any more. */
async function openQuestion(storage: Storage, task: string, id: string): Promise<StoredQuestion> {
  const found = await loadQuestion(storage, task, id);
  if (!found) throw await noQuestion(storage, task, id);
  const { record } = found;
  if (record.answer) throw alreadyAnswered(task, record, record.answer);
  if (!(await isAsked(storage, task, record))) throw notAsked(task, record);
  return found;
}

export async function contentOf(storage: Storage, task: string, address: string): Promise<Uint8Array> {
  const id = blobIdOf(address);
  const bytes = id === null ? null : await storage.getBlob(task, id);
  if (bytes) return bytes;
  throw new EngineError('QUESTION_CLOSED', phrase`What this question is about is gone.`, {
    data: { task, blob: id },
    hint: phrase`It is asked again when the task is resumed.`,
  });
}

export function alreadyAnswered(
  task: string,
  { id, message }: Pick<QuestionRecord, 'id' | 'message'>,
  { by, at, value }: GivenAnswer,
): EngineError {
  const said = cutText(typeof value === 'string' ? value : encode(value ?? null));
  return new EngineError(
    'QUESTION_ANSWERED',
    by === null
      ? phrase`Somebody has already answered this question: ${said}.`
      : phrase`${by} has already answered this question: ${said}.`,
    {
      data: { task, question: id, message, by, at, value: value ?? null },
      hint: phrase`Your answer was not used. The first answer counts.`,
    },
  );
}

function notAsked(task: string, { id, message }: QuestionRecord): EngineError {
  return new EngineError('QUESTION_CLOSED', phrase`This question is no longer asked.`, {
    data: { task, question: id, message },
    hint: phrase`The process that asked it has ended or has withdrawn it. It is asked again if it comes up again.`,
  });
}

function noOption(task: string, { id, options }: QuestionRecord, value: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`${JSON.stringify(value)} is none of the possible answers.`, {
    data: { task, question: id, value, options },
    hint: phrase`Choose one of: ${options.join(', ')}.`,
  });
}

async function noQuestion(storage: Storage, task: string, id: string): Promise<InvalidInputError> {
  const open = (await askedNow(storage, task)).map((one) => one.id);
  return new InvalidInputError('USAGE', phrase`Task ${task} has no question ${id}.`, {
    data: { task, question: id, open },
    hint:
      open.length > 0
        ? phrase`Its open questions: ${open.join(', ')}.`
        : phrase`The command "questions" lists the open ones.`,
  });
}
