/**
 * `questions/{task}/{id}`: what a process asks a person about a task, answered by any process. The first answer is written into
 * the record, and stays: who comes later is told. A wait has such a record once it is answered.
 */
import { hash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { keyOf, type RecordKind } from './kind.ts';

const address = z.string();
const time = z.iso.datetime();

const schema = z.strictObject({
  version: z.literal('1.0'),
  id: z.string(),
  kind: z.enum([
    ...(['wait', 'environment', 'definition', 'upstream', 'confirm'] as const),
    ...(['file_modified', 'file_deleted', 'file_conflict'] as const),
  ]),
  message: z.string(),
  /** Any text will do where there are none. */
  options: z.array(z.string()),
  recommended: z.string().nullable(),
  /** The wait that was answered, as its task calls it. */
  wait: z.string().nullable(),
  /** The file it is about. */
  path: z.string().nullable(),
  /** The task's changes are being undone. */
  going_back: z.boolean(),
  /** Of the file in conflict, as addresses of blobs. */
  versions: z.strictObject({ base: address, ours: address, theirs: address }).nullable(),
  asked_at: time,
  /** Null for a wait, which outlives its process. */
  asker: z
    .strictObject({
      name: z.string(),
      host: z.string(),
      pid: z.int(),
      began: z.string().nullable(),
      /** Of the claim it holds; null: it holds none. */
      fence: z.int().nullable(),
    })
    .nullable(),
  answer: z
    .strictObject({
      value: z.unknown(),
      /** The file without conflicts, as the address of a blob. */
      content: address.nullable(),
      by: z.string().nullable(),
      at: time,
      /** The message that brings a wait its answer. */
      message: z.string().nullable(),
    })
    .nullable(),
  /** When it was withdrawn. */
  closed_at: time.nullable(),
});
export type QuestionRecord = z.infer<typeof schema>;
export type GivenAnswer = NonNullable<QuestionRecord['answer']>;

export const QUESTION: RecordKind = {
  category: 'questions',
  key: '{task}/*',
  travels: 'here',
  keeps: 'all',
  needed: 'until_final',
};

export interface StoredQuestion {
  readonly record: QuestionRecord;
  readonly revision: number;
}

export function questionWrite(task: string, record: QuestionRecord, expect: number): RecordWrite {
  return { category: QUESTION.category, key: keyOf(QUESTION, task, record.id), data: record, expect };
}

export async function loadQuestion(
  storage: Storage,
  task: string,
  id: string,
): Promise<StoredQuestion | null> {
  if (!ID.test(id)) return null;
  const stored = await storage.get(QUESTION.category, keyOf(QUESTION, task, id));
  const record = stored && parseQuestion(id, stored.data);
  return record ? { record, revision: stored.revision } : null;
}

const ID = /^[\w.-]{1,60}$/;

/** Null if it is none, or has another id: it could not be answered. */
function parseQuestion(id: string, stored: unknown): QuestionRecord | null {
  const { data } = schema.safeParse(stored);
  return data?.id === id ? data : null;
}

/** By task, oldest first. */
export async function questionsOf(storage: Storage, task: string): Promise<StoredQuestion[]> {
  const { keys } = await storage.page(QUESTION.category, { prefix: keyOf(QUESTION, task) });
  const found = await Promise.all(keys.map((key) => loadQuestion(storage, task, key.slice(task.length + 1))));
  const known = found.filter((one) => one !== null);
  return known.sort((a, b) => (a.record.asked_at < b.record.asked_at ? -1 : 1));
}

/** Short enough to be typed, and never given twice in a task. */
export function newQuestionId(): string {
  return `q${randomBytes(4).toString('hex')}`;
}

/** Of a wait, as often as it was asked: a rollback lets it be asked again. */
export function idOfWait(wait: string, asked_at: string): string {
  return `wait-${hash('sha256', `${wait}\n${asked_at}`).slice(0, 16)}`;
}
