/** Conversations of Claude Code. A session is a file; a copy of it under another id is another session. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../system/files.ts';
import { linesFromEnd, wholeLines } from '../../system/lines.ts';
import type { Conversations, SaidMessage, SessionAt } from '../client.ts';
import { parseLine } from '../json-line.ts';
import { noSuchPoint, noTranscript } from '../unknown.ts';
import { cutLines, isNamed, saidIn } from './transcript.ts';

export const claudeConversations: Conversations = {
  async said(at, since) {
    const said: SaidMessage[] = [];
    for (const text of linesFromEnd(transcriptOf(at))) {
      const line = parseLine(text);
      if (!line) continue;
      if (since !== undefined && isNamed(line, since)) break;
      const one = saidIn(line);
      if (one) said.push(one);
    }
    return said.reverse();
  },

  async cut(at, point) {
    const transcript = transcriptOf(at);
    // Before everything, its file may not be known yet.
    const lines = 'before' in point && point.before === 'everything' ? [] : wholeLines(transcript);
    if (lines === null) throw noTranscript('claude', { ...at, transcript });
    const session = randomUUID();
    const kept = cutLines(lines, point, session);
    if (kept === null) throw noSuchPoint('claude', { ...at, transcript }, point);
    const made = { session, cwd: homeOf(at), transcript: join(dirname(transcript), `${session}.jsonl`) };
    if (kept.length === 0) return { ...made, exact: true, empty: true };
    replaceFile(made.transcript, Buffer.from(`${kept.join('\n')}\n`), 0o600);
    return { ...made, exact: true, empty: false };
  },

  resume: (at) => ({
    command: 'claude',
    // A call that waits is made without a screen; with one, the client would ask its own person.
    args: [...(at.deferred ? ['-p', ''] : []), at.empty ? '--session-id' : '--resume', at.session],
    cwd: homeOf(at),
  }),
};

function transcriptOf({ transcript, cwd, session }: SessionAt): string {
  if (transcript !== undefined) return transcript;
  const config = process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
  return join(config, 'projects', nameOf(cwd), `${session}.jsonl`);
}

/** How the directory of a project's sessions is called. */
function nameOf(dir: string): string {
  return dir.replaceAll(/[^a-zA-Z0-9]/g, '-');
}

/** The directory it was started in, where alone it can be resumed: the agent may work in one below. */
function homeOf(at: SessionAt): string {
  const name = basename(dirname(transcriptOf(at)));
  for (let dir = at.cwd; ; dir = dirname(dir)) {
    if (nameOf(dir) === name) return dir;
    if (dirname(dir) === dir) return at.cwd;
  }
}
