/** The recorded events of the real agents, as they lie in the repository, and the fake model that they were recorded with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENTS } from './install.ts';
import { startModel } from './model/server.ts';
import { EVENTS } from './record.ts';
import { SESSIONS } from './sessions.ts';
import { difference, shapeOf } from './shape.ts';

describe.each(CLIENTS)('the recordings of %s', (client) => {
  const files = readdirSync(join(EVENTS, client));
  const lines = (file: string) =>
    readFileSync(join(EVENTS, client, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');

  test('are of every session it can play, and of no other', () => {
    const due = SESSIONS.filter(({ not }) => not?.[client] === undefined).map(({ name }) => `${name}.jsonl`);
    expect(files.filter((file) => !file.includes('.transcript')).sort()).toEqual(due.sort());
  });

  test('are events, each with its name', () => {
    for (const file of files.filter((name) => !name.includes('.transcript')))
      for (const line of lines(file))
        expect(JSON.parse(line)).toHaveProperty(client === 'opencode' ? 'hook' : 'hook_event_name');
  });

  test('name no place of the machine they were made on', () => {
    const private_ = /["'\s=](?:\/root|\/home|\/tmp|\/Users|\/var|\/work)\//;
    const wrong = files.filter((file) => lines(file).some((line) => private_.test(line)));
    expect(wrong).toEqual([]);
  });
});

describe('the fake model', () => {
  const scripts = { two: [{ text: 'One.' }, { text: 'Two.' }] };
  const user = { role: 'user', content: '[[two]] Go.' };
  const ask = async (url: string, messages: unknown[], tools: unknown[] = [{ name: 'Bash' }]) => {
    const body = JSON.stringify({ model: 'any', messages, tools });
    const reply = await fetch(`${url}/v1/messages`, { method: 'POST', body });
    return ((await reply.json()) as { content: { text: string }[] }).content[0]!.text;
  };

  test('answers by what was said, so that a repeated request gets the same answer', async () => {
    await using model = await startModel('claude', '/project', scripts);
    expect(await ask(model.url, [user])).toBe('One.');
    expect(await ask(model.url, [user])).toBe('One.');
    const later = [user, { role: 'assistant', content: 'One.' }, { role: 'user', content: 'And?' }];
    expect(await ask(model.url, later)).toBe('Two.');
    expect(model.asked.map(({ script, turn, messages }) => [script, turn, messages.length])).toEqual([
      ['two', 0, 1],
      ['two', 0, 1],
      ['two', 1, 3],
    ]);
  });

  test('takes a request without tools for a title, and keeps the script for the conversation', async () => {
    await using model = await startModel('claude', '/project', scripts);
    expect(await ask(model.url, [user], [])).toBe('Done.');
    expect(await ask(model.url, [user])).toBe('One.');
    expect(model.asked.map(({ script }) => script)).toEqual([undefined, 'two']);
  });
});

test('a shape tells events that went, came or changed their fields', () => {
  const kept = shapeOf([{ hook_event_name: 'Stop', session_id: '1' }, { hook_event_name: 'Gone' }]);
  const now = shapeOf([{ hook_event_name: 'Stop', session_id: '2', more: { field: 1 } }]);
  expect(difference(kept, now)).toEqual([
    'no longer as recorded: Gone: hook_event_name',
    'no longer as recorded: Stop: hook_event_name session_id',
    'not in the recording: Stop: hook_event_name more more.field session_id',
  ]);
  expect(difference(kept, kept)).toEqual([]);
});
