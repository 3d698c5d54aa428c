/** Conversations of opencode, on a database like its own; that it forks them is checked with the real one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { opencodeConversations } from '../../../src/agents/opencode/conversation.ts';
import { cutAt } from '../../../src/agents/opencode/cut-at.ts';
import { messagesAfter } from '../../../src/agents/opencode/record.ts';
import { tempDirs } from '../../support/temp.ts';

const temp = tempDirs();
const { XDG_DATA_HOME, PATH } = process.env;
const at = { session: 'ses_1', cwd: '/' };

const MESSAGES: readonly (readonly [id: string, role: string, parts: readonly object[]])[] = [
  ['msg_1', 'user', [{ type: 'text', text: 'First.' }]],
  [
    'msg_2',
    'assistant',
    [{ type: 'step-start' }, { type: 'text', text: 'I will.' }, { type: 'tool', callID: 'a' }],
  ],
  [
    'msg_3',
    'assistant',
    [
      { type: 'tool', callID: 'b' },
      { type: 'tool', callID: 'c' },
    ],
  ],
  ['msg_4', 'assistant', [{ type: 'text', text: 'Done.' }]],
  ['msg_5', 'user', [{ type: 'text', text: 'Second.' }]],
];

beforeEach(() => {
  process.env.XDG_DATA_HOME = temp();
  mkdirSync(join(process.env.XDG_DATA_HOME, 'opencode'));
  const database = new DatabaseSync(join(process.env.XDG_DATA_HOME, 'opencode', 'opencode.db'));
  database.exec('CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)');
  database.exec('CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)');
  for (const [id, role, parts] of MESSAGES) {
    database.prepare('INSERT INTO message VALUES (?, ?, ?)').run(id, at.session, JSON.stringify({ role }));
    for (const [n, part] of parts.entries())
      database
        .prepare('INSERT INTO part VALUES (?, ?, ?, ?)')
        .run(`${id}-${n}`, id, at.session, JSON.stringify(part));
  }
  database.close();
});

afterEach(() => {
  if (XDG_DATA_HOME === undefined) delete process.env.XDG_DATA_HOME;
  else process.env.XDG_DATA_HOME = XDG_DATA_HOME;
  process.env.PATH = PATH;
});

test('what the assistant said since a message', async () => {
  const all = [
    { ref: 'msg_2', content: 'I will.' },
    { ref: 'msg_4', content: 'Done.' },
  ];
  expect(await opencodeConversations.said(at, undefined)).toEqual(all);
  expect(await opencodeConversations.said(at, 'msg_2')).toEqual(all.slice(1));
  expect(await opencodeConversations.said({ ...at, session: 'ses_2' }, undefined)).toEqual([]);
});

test('a place is between two messages', () => {
  const messages = messagesAfter(at.session, undefined)!;
  const of = (place: Parameters<typeof cutAt>[1]) => cutAt(messages, place);
  expect(of({ before: 'prompt', ref: 'msg_5' })).toEqual({ count: 4, exact: true });
  expect(of({ after: 'prompt', ref: 'msg_5' })).toEqual({ count: 5, exact: true });
  expect(of({ before: 'call', id: 'a' })).toEqual({ count: 1, exact: true });
  expect(of({ after: 'call', id: 'a' })).toEqual({ count: 2, exact: true });
  expect(of({ before: 'call', id: 'c' })).toEqual({ count: 2, exact: false });
  expect(of({ after: 'call', id: 'b' })).toEqual({ count: 3, exact: false });
  expect(of({ after: 'message', ref: 'msg_2', call: 'c' })).toEqual({ count: 3, exact: true });
  expect(of({ before: 'everything' })).toEqual({ count: 0, exact: true });
  expect(of({ after: 'call', id: 'none' })).toBeNull();
});

test('what is not there, and a program that is not, are said', async () => {
  await expect(opencodeConversations.cut(at, { after: 'call', id: 'none' })).rejects.toThrow('no place none');
  process.env.PATH = temp();
  const refused = opencodeConversations.cut(at, { before: 'prompt', ref: 'msg_5' });
  await expect(refused).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN', data: { client: 'opencode' } });
  process.env.XDG_DATA_HOME = temp();
  await expect(opencodeConversations.cut(at, { before: 'prompt', ref: 'msg_5' })).rejects.toThrow(
    'is not there',
  );
});
