/** Messages to a task from other processes than its owner: kept until the owner has handled them. */

import * as z from 'zod';
import type { RecordWrite, Storage } from '../../../storage/contract.ts';
import { newId } from '../../../system/ids.ts';
import { keyOf, type RecordKind } from './kind.ts';

const schema = z.strictObject({
  id: z.string(),
  kind: z.enum(['pause', 'cancel', 'answer']),
  /** The wait it answers; the oldest open one when null. */
  wait: z.string().nullable(),
  value: z.unknown(),
  reason: z.string().nullable(),
  /** For a pause: instructions shown on resume. */
  instructions: z.string().nullable(),
  by: z.string().nullable(),
  at: z.iso.datetime(),
});
export type InboxMessage = z.infer<typeof schema>;

export const INBOX: RecordKind = {
  category: 'inbox',
  key: '{task}/*',
  travels: 'always',
  keeps: 'nothing',
  needed: 'until_final',
};
const CATEGORY = INBOX.category;

export function newMessage(
  message: Partial<InboxMessage> & Pick<InboxMessage, 'kind'>,
  now: Date,
): InboxMessage {
  const base = { wait: null, value: null, reason: null, instructions: null, by: null };
  return { ...base, ...message, id: newId('m', now), at: now.toISOString() };
}

export async function send(storage: Storage, task: string, message: InboxMessage): Promise<void> {
  await storage.commit({ task: null, records: [messageWrite(task, message)] });
}

export function messageWrite(task: string, message: InboxMessage): RecordWrite {
  return { category: CATEGORY, key: keyOf(INBOX, task, message.id), data: message };
}

/** Oldest first. What is not a message is ignored. */
export async function receive(storage: Storage, task: string): Promise<InboxMessage[]> {
  const { keys } = await storage.page(CATEGORY, { prefix: keyOf(INBOX, task) });
  const found = await Promise.all(
    keys.map(async (key) => parseMessage(key.slice(task.length + 1), await storage.load(CATEGORY, key))),
  );
  return found.filter((message) => message !== null);
}

/** Null if it is not a message, or has another id: it could not be removed again. */
export function parseMessage(id: string, stored: unknown): InboxMessage | null {
  const { data } = schema.safeParse(stored);
  return data?.id === id ? data : null;
}

/** The tasks that have messages; null if there are too many to list at once. */
export async function addressees(storage: Storage): Promise<ReadonlySet<string> | null> {
  const { keys, next } = await storage.page(CATEGORY, { limit: 500 });
  return next === null ? new Set(keys.map((key) => key.slice(0, key.indexOf('/')))) : null;
}

export async function discard(storage: Storage, task: string, message: InboxMessage): Promise<void> {
  await storage.delete(CATEGORY, keyOf(INBOX, task, message.id));
}
