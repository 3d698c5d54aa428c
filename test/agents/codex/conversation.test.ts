/** Conversations of Codex, on the rollout of a real session; that Codex itself forks it is checked with the real one. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codexConversations } from '../../../src/agents/codex/conversation.ts';
import { turnAt } from '../../../src/agents/codex/rollout.ts';
import { platform } from '../../../src/system/platform.ts';
import { tempDirs } from '../../support/temp.ts';

const transcript = join(import.meta.dirname, '..', 'transcripts', 'codex.jsonl');
const newestFirst = readFileSync(transcript, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .reverse();
const [SECOND, FIRST] = newestFirst.flatMap(({ payload }) =>
  payload.type === 'task_started' ? (payload.turn_attribution?.turn_id ?? payload.turn_id) : [],
) as [string, string];
const at = { session: 'old', cwd: '/', transcript };

test('what the assistant said is read from the end', async () => {
  const all = await codexConversations.said(at, undefined);
  expect(all.map(({ content }) => content)).toEqual([
    ...['I will write.', 'Now a shell.', 'First done.'],
    ...['Second begins.', 'Second done.'],
  ]);
  expect(await codexConversations.said(at, SECOND)).toEqual(all.slice(3));
  expect(await codexConversations.said(at, all[3]!.ref)).toEqual(all.slice(4));
  expect(await codexConversations.said({ ...at, transcript: '/none' }, undefined)).toEqual([]);
});

test('a place is in a turn, and at its end only after its last message', async () => {
  const said = await codexConversations.said(at, undefined);
  const [, , , call] = [...new Set(newestFirst.toReversed().flatMap(({ payload }) => payload.call_id ?? []))];
  const of = (place: Parameters<typeof turnAt>[1]) => turnAt(newestFirst, place);
  expect(of({ before: 'prompt', ref: SECOND })).toEqual({ turn: SECOND, over: false, begins: true });
  expect(of({ after: 'prompt', ref: SECOND })).toEqual({ turn: SECOND, over: false, begins: false });
  expect(of({ after: 'call', id: call })).toEqual({ turn: SECOND, over: false, begins: false });
  expect(of({ after: 'message', ref: said[2]!.ref })).toEqual({ turn: FIRST, over: true, begins: false });
  expect(of({ after: 'message', ref: said[1]!.ref })).toEqual({ turn: FIRST, over: false, begins: false });
  expect(of({ before: 'call', id: 'none' })).toBeUndefined();
});

test('it is resumed by its id, and new where nothing was said before', async () => {
  expect(codexConversations.resume(at)).toEqual({ command: 'codex', args: ['resume', 'old'], cwd: '/' });
  const made = await codexConversations.cut(at, { before: 'everything' });
  expect(codexConversations.resume(made).args).toEqual([]);
});

const temp = tempDirs();
const { PATH } = process.env;
let bin = '';
beforeEach(() => {
  bin = temp();
});
afterEach(() => {
  process.env.PATH = PATH;
});

test.skipIf(platform.windows)('why it could not be cut is said', async () => {
  process.env.PATH = bin;
  const cut = () => codexConversations.cut(at, { before: 'prompt', ref: SECOND });
  await expect(cut()).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN' });
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(bin, 'codex'), 0o755);
  await expect(cut()).rejects.toMatchObject({ code: 'CONVERSATION_UNKNOWN', data: { session: 'old' } });
  await expect(codexConversations.cut(at, { before: 'prompt', ref: 'none' })).rejects.toThrow(
    'no place none',
  );
});
