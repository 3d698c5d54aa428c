/** `sessions/{client}-{session}/{task}`: which task records a session of an agent that runs elsewhere. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Storage } from '../../../storage/contract.ts';
import { everyKey } from '../../../storage/walk.ts';
import type { SessionName } from '../../api/attaching.ts';
import { keyOf, type RecordKind, taskIn } from './kind.ts';

export const SESSION: RecordKind = {
  category: 'sessions',
  key: '*/{task}',
  travels: 'here',
  keeps: 'nothing',
  needed: 'until_emptied',
};

const schema = z.object({
  client: z.string(),
  session: z.string(),
  at: z.iso.datetime(),
  /** It was cut out of another session, to end where the task does since it was rolled back, and is not attached yet. */
  cut: z
    .object({
      /** The journal's entry of the rollback, or of the fork. */
      rollback: z.int().min(0),
      cwd: z.string(),
      transcript: z.string().optional(),
      exact: z.boolean(),
      empty: z.boolean(),
    })
    .optional(),
});

export type SessionRecord = z.infer<typeof schema>;

/** Before the task itself is written: a record of a task that does not exist is ignored. */
export async function noteSession(storage: Storage, task: string, record: SessionRecord): Promise<void> {
  await storage.save(SESSION.category, keyOf(SESSION, task, nameOf(record)), record);
}

/** Newest first: ids sort by age. */
export async function tasksOfSession(storage: Storage, session: SessionName): Promise<string[]> {
  const tasks: string[] = [];
  const prefix = keyOf(SESSION, '', nameOf(session));
  for await (const key of everyKey(storage, SESSION.category, { prefix })) {
    const task = taskIn(SESSION, key);
    if (task !== null) tasks.push(task);
  }
  return tasks.sort().reverse();
}

/** Oldest first. */
export async function sessionsOf(storage: Storage, task: string): Promise<SessionRecord[]> {
  const found: SessionRecord[] = [];
  for await (const key of everyKey(storage, SESSION.category)) {
    if (taskIn(SESSION, key) !== task) continue;
    const stored = schema.safeParse(await storage.load(SESSION.category, key)).data;
    if (stored) found.push(stored);
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Ids of sessions are any text: what cannot be part of a key is named by its hash. */
function nameOf({ client, session }: SessionName): string {
  const name = `${client}-${session}`;
  return /^[\w.-]{1,120}$/.test(name) ? name : hash('sha256', name);
}
