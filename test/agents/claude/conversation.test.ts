/** Conversations of Claude Code, on the transcript of a real session: two prompts, two calls in one answer. */
import { appendFileSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { claudeConversations } from '../../../src/agents/claude/conversation.ts';
import type { SessionAt } from '../../../src/agents/client.ts';
import type { ConversationPoint } from '../../../src/engine/history/conversation-end.ts';
import { setIoHook } from '../../../src/system/io.ts';
import { platform } from '../../../src/system/platform.ts';
import { tempDirs } from '../../support/temp.ts';

const RECORDED = join(import.meta.dirname, '..', 'transcripts', 'claude.jsonl');

interface Line {
  readonly type: string;
  readonly uuid?: string;
  readonly promptId?: string;
  readonly sessionId?: string;
  readonly message?: {
    readonly content: string | readonly { type: string; text?: string; id?: string; tool_use_id?: string }[];
  };
}

const read = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const recorded = read(RECORDED);
const [FIRST, SECOND] = [...new Set(recorded.flatMap(({ promptId }) => promptId ?? []))] as [string, string];
const [WRITE, SHELL, READ, REMOVE] = recorded.flatMap(({ message }) =>
  typeof message?.content === 'object' ? message.content.flatMap(({ id }) => id ?? []) : [],
) as [string, string, string, string];

const temp = tempDirs();
let at: SessionAt & { readonly transcript: string };

beforeEach(() => {
  const dir = temp();
  const transcript = join(dir, 'old.jsonl');
  copyFileSync(RECORDED, transcript);
  at = { session: 'old', cwd: dir, transcript };
});

/** What a session says, in short. */
function told(path: string): string[] {
  return read(path).flatMap(({ message }) => {
    if (!message) return [];
    if (typeof message.content === 'string') return [`> ${message.content}`];
    return message.content.map(({ type, text, id, tool_use_id }) =>
      type === 'text' ? text! : type === 'tool_use' ? `call ${id}` : `result ${tool_use_id}`,
    );
  });
}

const TO_WRITE = ['> [[one]] Do the first.', 'I will write.', `call ${WRITE}`, `result ${WRITE}`];
const TO_SHELL = [...TO_WRITE, 'Now a shell.', `call ${SHELL}`];
const FIRST_TURN = [...TO_SHELL, `call ${READ}`, `result ${SHELL}`, `result ${READ}`, 'First done.'];

test.each<[string, ConversationPoint, string[]]>([
  ['before a prompt', { before: 'prompt', ref: SECOND }, FIRST_TURN],
  ['after a prompt', { after: 'prompt', ref: FIRST }, TO_WRITE.slice(0, 1)],
  ['before the first call of an answer', { before: 'call', id: SHELL }, TO_WRITE],
  ['before the second call of an answer', { before: 'call', id: READ }, [...TO_SHELL, `result ${SHELL}`]],
  ['after the first call of an answer', { after: 'call', id: SHELL }, [...TO_SHELL, `result ${SHELL}`]],
  ['after the second call of an answer', { after: 'call', id: READ }, FIRST_TURN.slice(0, -1)],
  ['after a message', { after: 'message', ref: uuidOf('First done.'), call: READ }, FIRST_TURN],
  [
    'after a message that was noted late',
    { after: 'message', ref: uuidOf('I will write.'), call: READ },
    FIRST_TURN.slice(0, -1),
  ],
])('a session is cut %s', async (_, place, expected) => {
  const before = readFileSync(at.transcript);
  const made = await claudeConversations.cut(at, place);
  expect(made).toMatchObject({ cwd: at.cwd, exact: true, empty: false });
  expect(made.session).not.toBe(at.session);
  expect(made.transcript).toBe(join(dirname(at.transcript), `${made.session}.jsonl`));
  expect(told(made.transcript!)).toEqual(expected);
  const ids = new Set(read(made.transcript!).flatMap(({ sessionId }) => sessionId ?? []));
  expect([...ids]).toEqual([made.session]);
  expect(readFileSync(at.transcript)).toEqual(before);
  if (!platform.windows) expect(statSync(made.transcript!).mode & 0o777).toBe(0o600);
});

test('before the first prompt there is no conversation: a new session', async () => {
  const made = await claudeConversations.cut(at, { before: 'prompt', ref: FIRST });
  expect(made).toMatchObject({ empty: true });
  expect(existsSync(made.transcript!)).toBe(false);
  expect(claudeConversations.resume(made).args).toEqual(['--session-id', made.session]);
});

test('what Claude Code itself took back is none of the way to a later prompt', async () => {
  const parent = uuidOf('First done.');
  const line = {
    type: 'user',
    uuid: 'u-3',
    parentUuid: parent,
    promptId: 'p-3',
    sessionId: 'old',
    message: { content: 'Another.' },
  };
  appendFileSync(at.transcript, `${JSON.stringify(line)}\n`);
  const made = await claudeConversations.cut(at, { before: 'prompt', ref: 'p-3' });
  expect(told(made.transcript!)).toEqual(FIRST_TURN);
});

test('a fork gives all prompts one id: the last is meant', async () => {
  writeFileSync(at.transcript, readFileSync(RECORDED, 'utf8').replaceAll(FIRST, SECOND));
  const made = await claudeConversations.cut(at, { before: 'prompt', ref: SECOND });
  expect(told(made.transcript!)).toEqual(FIRST_TURN);
});

test('a torn last line is none of the conversation', async () => {
  appendFileSync(at.transcript, '{"type":"assistant","uuid":"torn","mess');
  const made = await claudeConversations.cut(at, { after: 'call', id: REMOVE });
  expect(told(made.transcript!).at(-1)).toBe(`result ${REMOVE}`);
  expect((await claudeConversations.said(at, SECOND)).map(({ content }) => content)).toEqual([
    'Second begins.',
    'Second done.',
  ]);
  const torn = claudeConversations.cut(at, { after: 'message', ref: 'torn' });
  await expect(torn).rejects.toMatchObject({
    code: 'CONVERSATION_UNKNOWN',
    data: { place: { ref: 'torn' } },
  });
});

test('a place that is not there and a transcript that is gone are said', async () => {
  await expect(claudeConversations.cut(at, { before: 'call', id: 'none' })).rejects.toMatchObject({
    code: 'CONVERSATION_UNKNOWN',
    message: 'Session old has no place none.',
  });
  const gone = { ...at, transcript: join(at.cwd, 'gone.jsonl') };
  await expect(claudeConversations.cut(gone, { before: 'prompt', ref: FIRST })).rejects.toMatchObject({
    code: 'CONVERSATION_UNKNOWN',
    data: { transcript: gone.transcript },
  });
  expect(await claudeConversations.said(gone, undefined)).toEqual([]);
});

test('what the assistant said is read from the end, as far as it is new', async () => {
  const all = await claudeConversations.said(at, undefined);
  expect(all.map(({ content }) => content)).toEqual([
    'I will write.',
    'Now a shell.',
    'First done.',
    'Second begins.',
    'Second done.',
  ]);
  const long = {
    ...JSON.parse(readFileSync(at.transcript, 'utf8').split('\n')[0]!),
    padding: 'x'.repeat(1000),
  };
  const padded = `${`${JSON.stringify(long)}\n`.repeat(500)}${readFileSync(at.transcript, 'utf8')}`;
  const path = join(at.cwd, 'long.jsonl');
  writeFileSync(path, padded);
  let bytes = 0;
  setIoHook(({ op, range }) => {
    if (op === 'read') bytes += range![1] - range![0];
    return undefined;
  });
  try {
    expect(await claudeConversations.said({ ...at, transcript: path }, all[3]!.ref)).toEqual([all[4]]);
  } finally {
    setIoHook(undefined);
  }
  expect(bytes).toBe(64 * 1024);
  expect(await claudeConversations.said({ ...at, transcript: path }, undefined)).toEqual(all);
});

test('it is resumed in the directory it was started in', () => {
  const transcript = '/home/me/.claude/projects/-home-me-my-project/s-1.jsonl';
  const session = { session: 's-1', cwd: '/home/me/my.project/src/deep', transcript };
  expect(claudeConversations.resume(session)).toEqual({
    command: 'claude',
    args: ['--resume', 's-1'],
    cwd: '/home/me/my.project',
  });
});

function uuidOf(text: string): string {
  return recorded.find(
    ({ message }) =>
      typeof message?.content === 'object' && message.content.some((block) => block.text === text),
  )!.uuid!;
}
