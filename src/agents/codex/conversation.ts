/** Conversations of Codex. Its record has an index beside it, so Codex itself cuts it: by whole turns. */

import type { ConversationPoint } from '../../engine/history/conversation-end.ts';
import { VibeError } from '../../errors.ts';
import { isObject } from '../../system/json.ts';
import { linesFromEnd } from '../../system/lines.ts';
import type { Conversations, CutSession, SaidMessage, SessionAt } from '../client.ts';
import { type Line, objectsIn, parseLine, textIn } from '../json-line.ts';
import { noSuchPoint, noTranscript, refusedBy } from '../unknown.ts';
import { type AskCodex, withAppServer } from './app-server.ts';
import { failedIn, isNamed, saidIn, turnAt } from './rollout.ts';

/** The end of a call is written right before its hook; others may be writing meanwhile. */
const NEAR_END = 200;

export const codexConversations: Conversations = {
  failed({ transcript }, call) {
    for (const line of transcript === undefined ? [] : newestFirst(transcript).take(NEAR_END)) {
      const failed = failedIn(line, call);
      if (failed !== undefined) return failed;
    }
    return undefined;
  },

  async said({ transcript }, since) {
    const said: SaidMessage[] = [];
    for (const line of transcript === undefined ? [] : newestFirst(transcript)) {
      if (since !== undefined && isNamed(line, since)) break;
      const one = saidIn(line);
      if (one) said.push(one);
    }
    return said.reverse();
  },

  async cut(at, point) {
    const empty = { session: '', cwd: at.cwd, exact: true, empty: true };
    if ('before' in point && point.before === 'everything') return empty;
    const { transcript } = at;
    if (transcript === undefined) throw noTranscript('codex', at);
    const found = turnAt(
      newestFirst(transcript),
      point as Exclude<ConversationPoint, { before: 'everything' }>,
    );
    if (!found) throw noSuchPoint('codex', at, point);
    const exact = found.begins || found.over;
    try {
      return await withAppServer(async (ask) => {
        const turns = await turnsOf(ask, at);
        const index = turns.indexOf(found.turn);
        if (index < 0) throw noSuchPoint('codex', at, point);
        const last = found.over ? found.turn : turns[index - 1];
        return last === undefined ? { ...empty, exact } : { ...(await forkAt(ask, at, last)), exact };
      });
    } catch (error) {
      if (error instanceof VibeError && error.code !== 'COMMAND_FAILED') throw error;
      throw refusedBy('codex', at, error instanceof Error ? error.message : String(error), error);
    }
  },

  resume: ({ session, cwd, empty }) => ({ command: 'codex', args: empty ? [] : ['resume', session], cwd }),
};

function* newestFirst(path: string): Generator<Line> {
  for (const text of linesFromEnd(path)) {
    const line = parseLine(text);
    if (line) yield line;
  }
}

/** Those that count, oldest first: what Codex itself took back is not among them. */
async function turnsOf(ask: AskCodex, { session }: SessionAt): Promise<string[]> {
  const answer = await ask('thread/read', { threadId: session, includeTurns: true });
  const thread = isObject(answer) && isObject(answer.thread) ? answer.thread : {};
  return objectsIn(thread.turns).flatMap((turn) => textIn(turn, 'id') ?? []);
}

async function forkAt(ask: AskCodex, at: SessionAt, lastTurnId: string): Promise<Omit<CutSession, 'exact'>> {
  const answer = await ask('thread/fork', { threadId: at.session, lastTurnId });
  const thread = isObject(answer) && isObject(answer.thread) ? answer.thread : {};
  const [session, transcript] = [textIn(thread, 'id'), textIn(thread, 'path')];
  if (session === undefined) throw refusedBy('codex', at, 'thread/fork');
  return { session, cwd: at.cwd, empty: false, ...(transcript === undefined ? {} : { transcript }) };
}
