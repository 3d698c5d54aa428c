/** Conversations of opencode: read from its database, cut by its own server, which forks a session before a message. */
import { randomBytes } from 'node:crypto';
import { VibeError } from '../../errors.ts';
import { withLoopback } from '../../system/process/loopback.ts';
import type { Conversations, SaidMessage, SessionAt } from '../client.ts';
import { parseLine, textIn } from '../json-line.ts';
import { noSuchPoint, noTranscript, refusedBy } from '../unknown.ts';
import { cutAt } from './cut-at.ts';
import { databaseFile, type Message, messagesAfter } from './record.ts';

const LIMIT_MS = 60_000;

export const opencodeConversations: Conversations = {
  said: async ({ session }, since) => (messagesAfter(session, since) ?? []).flatMap(saidIn),

  async cut(at, point) {
    const empty = { session: '', cwd: at.cwd, exact: true, empty: true };
    if ('before' in point && point.before === 'everything') return empty;
    const messages = messagesAfter(at.session, undefined);
    if (messages === null) throw noTranscript('opencode', { ...at, transcript: databaseFile() });
    const found = cutAt(messages, point);
    if (!found) throw noSuchPoint('opencode', at, point);
    const { count, exact } = found;
    if (count === 0) return { ...empty, exact };
    const session = await fork(at, messages[count]?.id);
    return { session, cwd: at.cwd, exact, empty: false };
  },

  resume: ({ session, cwd, empty }) => ({ command: 'opencode', args: empty ? [] : ['-s', session], cwd }),
};

function saidIn({ id, role, parts }: Message): SaidMessage[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? (textIn(part, 'text') ?? []) : []));
  const content = texts.join('\n').trim();
  return role === 'assistant' && content !== '' ? [{ ref: id, content }] : [];
}

/** A copy of the session as it was before that message, or of all of it. Files are not touched. */
async function fork(at: SessionAt, before: string | undefined): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
  const served = {
    cwd: at.cwd,
    // Others on this machine must not speak to it.
    env: { OPENCODE_SERVER_USERNAME: 'opencode', OPENCODE_SERVER_PASSWORD: password },
    limit_ms: LIMIT_MS,
  };
  try {
    return await withLoopback(
      ['opencode', 'serve', '--port', '0', '--hostname', '127.0.0.1'],
      served,
      async ({ post }) => {
        const path = `/session/${encodeURIComponent(at.session)}/fork`;
        const { ok, text } = await post(path, before === undefined ? {} : { messageID: before }, {
          authorization,
        });
        const session = ok ? textIn(parseLine(text) ?? {}, 'id') : undefined;
        if (session === undefined) throw refusedBy('opencode', at, text.slice(0, 200));
        return session;
      },
    );
  } catch (error) {
    if (error instanceof VibeError) throw error;
    throw refusedBy('opencode', at, error instanceof Error ? error.message : String(error), error);
  }
}
