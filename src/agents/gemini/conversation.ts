/** Conversations of Gemini CLI. A session is a file; what it says, written to another one, is another session. */

import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../system/files.ts';
import { isObject } from '../../system/json.ts';
import { linesFromEnd, wholeLines } from '../../system/lines.ts';
import type { Conversations, SaidMessage } from '../client.ts';
import { type Line, objectsIn, parseLine } from '../json-line.ts';
import { noSuchPoint, noTranscript } from '../unknown.ts';
import { cutMessages, isBefore, readRecord, saidIn } from './transcript.ts';

export const geminiConversations: Conversations = {
  async said({ transcript }, since) {
    const said = new Map<string, SaidMessage>();
    for (const line of transcript === undefined ? [] : messagesFromEnd(transcript)) {
      if (since !== undefined && isBefore(line, since)) break;
      const one = saidIn(line);
      // Read from the end, the first is the newest of those with its id.
      if (one && !said.has(one.ref)) said.set(one.ref, one);
    }
    return [...said.values()].reverse();
  },

  async cut(at, point) {
    const { transcript, cwd } = at;
    const session = randomUUID();
    const empty = { session, cwd, exact: true, empty: true };
    if ('before' in point && point.before === 'everything') return empty;
    const lines = transcript === undefined ? null : wholeLines(transcript);
    if (transcript === undefined || lines === null) throw noTranscript('gemini', at);
    const { head, messages } = readRecord(lines);
    const kept = cutMessages(messages, point);
    if (kept === null) throw noSuchPoint('gemini', at, point);
    if (!kept.messages.some(({ type }) => type === 'gemini')) return empty;
    const now = new Date().toISOString();
    const made = [{ ...head, sessionId: session, lastUpdated: now }, ...kept.messages];
    const file = join(dirname(transcript), nameOf(session, now));
    replaceFile(file, Buffer.from(made.map((line) => `${JSON.stringify(line)}\n`).join('')), 0o600);
    return { session, cwd, transcript: file, exact: kept.exact, empty: false };
  },

  resume: ({ session, cwd, empty }) => ({
    command: 'gemini',
    args: [empty ? '--session-id' : '--resume', session],
    cwd,
  }),
};

/** Newest first. A line that sets all messages has all that were before it. */
function* messagesFromEnd(path: string): Generator<Line> {
  for (const text of linesFromEnd(path)) {
    const line = parseLine(text);
    if (!line) continue;
    const all =
      isObject(line.$set) && Array.isArray(line.$set.messages) ? objectsIn(line.$set.messages) : null;
    if (!all) yield line;
    else return yield* all.toReversed();
  }
}

/** As Gemini CLI names them. */
function nameOf(session: string, now: string): string {
  return `session-${now.slice(0, 16).replaceAll(':', '-')}-${session.slice(0, 8)}.jsonl`;
}
