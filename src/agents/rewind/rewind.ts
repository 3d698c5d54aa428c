/** The conversation half of a rollback: where the agent of a task continues, and which command does it. */

import { typed } from '../../engine/command/next-command.ts';
import { type ConversationEnd, conversationEnd } from '../../engine/history/conversation-end.ts';
import { type Head, loadHead } from '../../engine/task/records/head.ts';
import { noteSession, type SessionRecord, sessionsOf } from '../../engine/task/records/sessions.ts';
import { EngineError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { ClientCommand, CutSession, SessionAt } from '../client.ts';
import { conversationsOf } from './conversations.ts';

/** How the agent of a task continues. */
export interface Continuation {
  readonly client: string;
  /** As people call the client. */
  readonly title: string;
  readonly session: string;
  readonly command: ClientCommand;
  /** The same as one would type it. */
  readonly line: string;
  /** It is a session of its own, which ends where the task does; null if it is the one that the agent was in. */
  readonly cut: Pick<CutSession, 'exact' | 'empty'> | null;
  /** It needs no person at its screen. */
  readonly headless?: true;
}

/**
 * Where the agent of a task continues. After a rollback that is a session which ends where the task now does: it is made at the
 * first call, and found again by every later one. Null for a task that is none of an agent in its own program.
 */
export async function continuationOf(
  storage: Storage,
  task: string,
  now: () => Date,
): Promise<Continuation | null> {
  const head = await loadHead(storage, task);
  if (head?.origin?.kind !== 'agent') return null;
  const { session: noted, cut } = await conversationEnd(storage, head);
  const { client, ...at } = sessionIn(head, noted);
  const known = conversationsOf(client);
  if (!known || !PLAIN.test(at.session)) throw noClient(client, at.session);
  const conversations = await known.load();
  const made = cut && ((await alreadyCut(storage, task, cut)) ?? (await cutNow()));
  const where = made ?? at;
  const deferred = !made && (await loadState(storage, task))?.status === 'waiting';
  const command = conversations.resume({ ...where, deferred });
  return {
    client,
    title: known.title,
    session: where.session,
    command,
    line: typed([command.command, ...command.args]),
    cut: made && { exact: made.exact, empty: made.empty },
    ...(deferred ? { headless: true as const } : {}),
  };

  async function cutNow(): Promise<CutSession> {
    const { place, rollback } = cut!;
    const { session, ...rest } = await conversations.cut(at, place);
    await noteSession(storage, task, {
      client,
      session,
      at: now().toISOString(),
      cut: { rollback, ...rest },
    });
    return { session, ...rest };
  }
}

/** As people call a client. */
export function titleOf(client: string): string {
  return conversationsOf(client)?.title ?? client;
}

/** It becomes a word of the client's command line, and an imported task may say anything. */
const PLAIN = /^[A-Za-z0-9][\w.:-]*$/;

/** What was said of the session last; at its beginning no more is known than what the task was started with. */
function sessionIn(
  { origin, working_dir }: Head,
  noted: ConversationEnd['session'],
): SessionAt & { client: string } {
  const { client, session, cwd, transcript }: Readonly<Record<string, unknown>> = {
    ...origin,
    cwd: working_dir,
    ...noted,
  };
  return {
    client: String(client),
    session: String(session),
    cwd: String(cwd),
    ...(typeof transcript === 'string' ? { transcript } : {}),
  };
}

/** The newest of those that were cut for this rollback. */
async function alreadyCut(
  storage: Storage,
  task: string,
  { rollback }: NonNullable<ConversationEnd['cut']>,
): Promise<CutSession | null> {
  const isFor = ({ cut }: SessionRecord): boolean => cut?.rollback === rollback;
  const found = (await sessionsOf(storage, task)).findLast(isFor);
  if (!found?.cut) return null;
  const { cwd, transcript, exact, empty } = found.cut;
  return { session: found.session, cwd, exact, empty, ...(transcript === undefined ? {} : { transcript }) };
}

function noClient(client: string, session: string): EngineError {
  return new EngineError(
    'CONVERSATION_UNKNOWN',
    phrase`Conversations of ${client} cannot be continued from here.`,
    {
      data: { client, session },
      hint: phrase`Start ${client} itself, with its session ${session}.`,
    },
  );
}
