/** Conversations of Gemini CLI, on the transcript of a real session that was resumed for its second prompt. */
import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { SessionAt } from '../../../src/agents/client.ts';
import { geminiConversations } from '../../../src/agents/gemini/conversation.ts';
import type { ConversationPoint } from '../../../src/engine/history/conversation-end.ts';
import { newId } from '../../../src/system/ids.ts';
import { tempDirs } from '../../support/temp.ts';

const RECORDED = join(import.meta.dirname, '..', 'transcripts', 'gemini.jsonl');
/** When its hooks were called: before either prompt, and before the calls of its answers. */
const FIRST = '2026-11-18T04:33:43.242Z';
const SECOND = '2026-11-18T04:33:52.397Z';
const WRITE = newId('g', new Date('2026-11-18T04:33:43.951Z'));
const SHELL = newId('g', new Date('2026-11-18T04:33:44.398Z'));
const REMOVE = newId('g', new Date('2026-11-18T04:33:52.990Z'));

const temp = tempDirs();
let at: SessionAt & { readonly transcript: string };

beforeEach(() => {
  const dir = temp();
  at = { session: 'old', cwd: dir, transcript: join(dir, 'session-old.jsonl') };
  copyFileSync(RECORDED, at.transcript);
});

interface Part {
  readonly text?: string;
}

/** Who spoke in a session, and the texts. */
function told(path: string): string[] {
  const [head, ...messages] = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(head.sessionId).not.toBe('old');
  return messages.slice(1).map(({ type, content }: { type: string; content: string | Part[] }) => {
    const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
    return `${type}: ${text}`;
  });
}

const TO_WRITE = ['user: [[one]] Do the first.', 'gemini: I will write.', 'user: '];
const SECOND_PROMPT = 'user: [[two]] Do the second.';

test.each<[string, ConversationPoint, (all: string[]) => boolean]>([
  ['before a prompt', { before: 'prompt', ref: SECOND }, (all) => all.at(-1) === 'gemini: First done.'],
  ['after a prompt', { after: 'prompt', ref: SECOND }, (all) => all.at(-1) === SECOND_PROMPT],
  ['before a call', { before: 'call', id: REMOVE }, (all) => all.at(-1) === SECOND_PROMPT],
  ['after a call', { after: 'call', id: REMOVE }, (all) => all.at(-2) === 'gemini: Second begins.'],
])('a session is cut %s', async (_, place, holds) => {
  const before = readFileSync(at.transcript);
  const made = await geminiConversations.cut(at, place);
  expect(made).toMatchObject({ exact: true, empty: false });
  const all = told(made.transcript!);
  expect(all.slice(0, 2)).toEqual(TO_WRITE.slice(0, 2));
  expect(all).toSatisfy(holds);
  expect(readFileSync(at.transcript)).toEqual(before);
  expect(geminiConversations.resume(made).args).toEqual(['--resume', made.session]);
});

test('the times of messages are those of their first writing, also after it was resumed', async () => {
  const made = await geminiConversations.cut(at, { after: 'call', id: WRITE });
  expect(made.exact).toBe(true);
  expect(told(made.transcript!).slice(0, 2)).toEqual(TO_WRITE.slice(0, 2));
  expect(told(made.transcript!).join()).not.toContain('Now a shell.');
  expect(await geminiConversations.cut(at, { after: 'call', id: SHELL })).toMatchObject({ exact: false });
});

test('before the first prompt it is a new session', async () => {
  const made = await geminiConversations.cut(at, { before: 'prompt', ref: FIRST });
  expect(made).toMatchObject({ empty: true });
  expect(geminiConversations.resume(made).args).toEqual(['--session-id', made.session]);
});

test('what the assistant said is read from the end, each message once', async () => {
  appendFileSync(at.transcript, '{"id":"torn","type":"gem');
  const all = await geminiConversations.said(at, undefined);
  expect(all.map(({ content }) => content)).toEqual([
    ...['I will write.', 'Now a shell.', 'First done.'],
    ...['Second begins.', 'Second done.'],
  ]);
  expect(await geminiConversations.said(at, SECOND)).toEqual(all.slice(3));
  expect(await geminiConversations.said(at, all[2]!.ref)).toEqual(all.slice(3));
});

test('what is not there is said', async () => {
  const late = geminiConversations.cut(at, { before: 'prompt', ref: '2027-01-01T00:00:00.000Z' });
  await expect(late).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN' });
  const gone = geminiConversations.cut(
    { ...at, transcript: join(at.cwd, 'gone') },
    { before: 'prompt', ref: FIRST },
  );
  await expect(gone).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN' });
});
