/** Why a client's conversation cannot be read or cut. */

import type { ConversationPoint } from '../engine/history/conversation-end.ts';
import { EngineError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { ClientName, SessionAt } from './client.ts';

/** The client keeps no such conversation any more, or keeps it elsewhere. */
export function noTranscript(client: ClientName, { session, transcript }: SessionAt): EngineError {
  return new EngineError(
    'CONVERSATION_UNKNOWN',
    phrase`The conversation of session ${session} is not there: ${transcript ?? client}`,
    {
      data: { client, session, ...(transcript === undefined ? {} : { transcript }) },
      hint: phrase`${client} may have removed it, or keeps it under another home directory. Start it again without --resume.`,
    },
  );
}

export function noSuchPoint(
  client: ClientName,
  { session, transcript }: SessionAt,
  point: ConversationPoint,
): EngineError {
  const what = 'ref' in point ? point.ref : 'id' in point ? point.id : point.before;
  return new EngineError('CONVERSATION_UNKNOWN', phrase`Session ${session} has no place ${what}.`, {
    data: { client, session, place: point, ...(transcript === undefined ? {} : { transcript }) },
    hint: phrase`${client} may not have written it before it ended. Continue the session as it is, or go back to an earlier checkpoint.`,
  });
}

/** The client's own program could not do it. */
export function refusedBy(
  client: ClientName,
  { session }: SessionAt,
  problem: string,
  cause?: unknown,
): EngineError {
  return new EngineError(
    'CONVERSATION_UNKNOWN',
    phrase`${client} could not cut session ${session}: ${problem}`,
    {
      data: { client, session, problem },
      cause,
      hint: phrase`Check that ${client} runs here and is up to date, then try again.`,
    },
  );
}
