/** `sessions/{client}-{session}/{task}`: which task records a session of an agent that runs elsewhere. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Storage } from '../../../storage/contract.ts';
import { everyKey } from '../../../storage/walk.ts';
import { keyOf, type RecordKind, taskIn } from './kind.ts';

export const SESSION: RecordKind = {
  category: 'sessions',
  key: '*/{task}',
  travels: 'here',
  keeps: 'nothing',
  needed: 'until_emptied',
};

export interface SessionName {
  /** The agent's program, such as `claude`. */
  readonly client: string;
  /** Its own id of the session. */
  readonly session: string;
}

const schema = z.object({ client: z.string(), session: z.string(), at: z.iso.datetime() });

/** Before the task itself is written: a record of a task that does not exist is ignored. */
export async function noteSession(
  storage: Storage,
  task: string,
  { client, session }: SessionName,
  at: string,
): Promise<void> {
  await storage.save(SESSION.category, keyOf(SESSION, task, nameOf({ client, session })), {
    client,
    session,
    at,
  });
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
export async function sessionsOf(storage: Storage, task: string): Promise<SessionName[]> {
  const found: z.infer<typeof schema>[] = [];
  for await (const key of everyKey(storage, SESSION.category)) {
    if (taskIn(SESSION, key) !== task) continue;
    const stored = schema.safeParse(await storage.load(SESSION.category, key)).data;
    if (stored) found.push(stored);
  }
  return found.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ client, session }) => ({ client, session }));
}

/** Ids of sessions are any text: what cannot be part of a key is named by its hash. */
function nameOf({ client, session }: SessionName): string {
  const name = `${client}-${session}`;
  return /^[\w.-]{1,120}$/.test(name) ? name : hash('sha256', name);
}
