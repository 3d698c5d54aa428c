/** A session that takes itself back and forth, from inside its own turns, as the slash commands of a client do. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';
import { ask, cli } from './cli.ts';
import { startHost } from './hosted.ts';

/** A real session of two prompts. */
const RECORDED = join(import.meta.dirname, '..', 'agents', 'transcripts', 'claude.jsonl');
const LINES = readFileSync(RECORDED, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { promptId?: string });
const [FIRST, SECOND] = [...new Set(LINES.flatMap(({ promptId }) => promptId ?? []))] as [string, string];

const tempDir = tempDirs();

interface Conversation {
  readonly session: string;
  readonly cut: boolean;
}

async function session() {
  const project = tempDir();
  const sessions = join(tempDir(), 'projects', project.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(sessions, { recursive: true });
  const transcript_path = join(sessions, 'old.jsonl');
  copyFileSync(RECORDED, transcript_path);
  const host = startHost(project, { session_id: 'old', transcript_path });
  await host.begin();
  const file = join(project, 'a.txt');
  let calls = 0;

  const call = async (tool_name: string, tool_input: object, work: () => unknown): Promise<unknown> => {
    const call = { tool_name, tool_use_id: `c-${++calls}`, tool_input: JSON.stringify(tool_input) };
    expect(await host.hook({ hook_event_name: 'PreToolUse', ...call })).toEqual({});
    const done = await work();
    await host.hook({ hook_event_name: 'PostToolUse', ...call, tool_response: 'ok' });
    await host.hook({ hook_event_name: 'PostToolBatch', tool_calls: JSON.stringify([call]) });
    return done;
  };
  return {
    project,
    file,
    host,
    prompt: (prompt: string, prompt_id: string) =>
      host.hook({ hook_event_name: 'UserPromptSubmit', prompt, prompt_id }),
    write: (text: string) => call('Write', { file_path: file }, () => writeFileSync(file, text)),
    /** The model calls one of our tools. */
    own: (tool: string, given: object) =>
      call(`mcp__plugin_vibe_vibe__${tool}`, given, () => host.call(tool, given)) as Promise<string>,
    stop: (last_assistant_message: string) => host.hook({ hook_event_name: 'Stop', last_assistant_message }),
    conversation: async (task: string) =>
      (await ask<{ conversation: Conversation }>(project, 'resume', task, '--dry-run')).conversation,
  };
}

/** Two turns that write a file, and the task. */
async function twoTurns() {
  const at = await session();
  await at.prompt('do the first', FIRST);
  await at.write('one\n');
  await at.stop('First done.');
  await at.prompt('do the second', SECOND);
  await at.write('two\n');
  await at.stop('Second done.');
  const engine = await openEngine({ project_dir: at.project, signals: false });
  const task = (await engine.tasks())[0]!.task_id;
  const turns = (await engine.checkpoints.listCheckpoints(task)).filter(
    ({ trigger }) => trigger === 'before_turn',
  );
  return { ...at, engine, task, second: turns[1]!.id };
}

test('what is offered next is to go back by a whole turn', async () => {
  const { host, engine, task, project } = await twoTurns();
  const { next, turns } = await ask<{ next: string[]; turns: { ref: string }[] }>(project, 'show', task);
  const back = next.find((line) => line.startsWith('vibe-engine rollback'));
  const numbers = (await engine.checkpoints.listCheckpoints(task))
    .filter(({ trigger }) => trigger === 'before_turn')
    .map(({ sequence_number }) => sequence_number);
  expect(turns.length).toBe(2);
  expect(back).toMatch(new RegExp(`-${numbers[1]}$`));
  await cli(project, ['rollback', back!.split(' ').at(-1)!, '--yes']);
  const after = await ask<{ next: string[] }>(project, 'show', task);
  expect(after.next.find((line) => line.startsWith('vibe-engine rollback'))).toMatch(
    new RegExp(`-${numbers[0]}$`),
  );
  await engine.close();
  await host.end();
});

test('a rewind inside a turn leaves it to redo, and to resume where the conversation was cut', async () => {
  const { host, file, engine, task, second, ...at } = await twoTurns();
  await at.prompt('/vibe:rewind', 'p-3');
  await at.own('checkpoints', {});
  expect(await at.own('rewind', { checkpoint: second, confirmed: true })).toContain('claude --resume');
  await at.own('who_has', {});
  await at.stop('It is taken back.');
  expect(readFileSync(file, 'utf8')).toBe('one\n');
  expect(await at.conversation(task)).toMatchObject({ cut: true });
  expect(await engine.reader.redoable(task)).toMatchObject({ possible: true });

  // Asked for in a turn of its own, of which nothing stays.
  await at.prompt('/vibe:redo', 'p-4');
  expect(await at.own('redo', {})).toContain('Nothing was changed');
  expect(await at.own('redo', { confirmed: true })).toContain('is back where it was');
  await at.stop('It is back.');
  expect(readFileSync(file, 'utf8')).toBe('two\n');
  expect(await at.conversation(task)).toMatchObject({ session: 'old', cut: false });
  const { turns } = await ask<{ turns: { prompt: string }[] }>(at.project, 'show', task);
  expect(turns.map(({ prompt }) => prompt)).toEqual(['do the first', 'do the second', '/vibe:rewind']);
  const { steps } = await engine.history(task);
  expect(steps.map(({ name, status }) => `${name.replace(/.*__/, '')} ${status}`)).toEqual([
    'tool:Write success',
    'tool:Write success',
    'checkpoints success',
    'rewind success',
  ]);
  await engine.close();
  await host.end();
});

test('a call that changes something after a rewind is recorded, and the task has continued', async () => {
  const { host, engine, task, second, ...at } = await twoTurns();
  await at.prompt('rewind, then write three', 'p-3');
  await at.own('rewind', { checkpoint: second, confirmed: true });
  await at.write('three\n');
  await at.stop('Done.');
  const { steps } = await engine.history(task);
  expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'tool:Write success',
    'tool:Write success',
  ]);
  expect(await engine.reader.redoable(task)).toMatchObject({ possible: false });
  await at.prompt('/vibe:redo', 'p-4');
  expect(await at.own('redo', { confirmed: true })).toContain('nothing to redo');
  await at.stop('No.');
  await engine.close();
  await host.end();
});

test('a session moves no task but its own', async () => {
  const { host, file, engine, project, ...at } = await twoTurns();
  const session = engine.attach({ client: 'claude', session: 'another' });
  await session.record({ type: 'turn', content: 'something else', ref: 'q-1' });
  await session.record({ type: 'turn', content: 'and more', ref: 'q-2' });
  await session.close();
  const other = (await engine.checkpoints.listCheckpoints(session.task!)).filter(
    ({ trigger }) => trigger === 'before_turn',
  )[1]!;
  await at.prompt('/vibe:rewind', 'p-3');
  expect(await at.own('rewind', { checkpoint: other.id, confirmed: true })).toContain(
    'no checkpoint of this',
  );
  await engine.rollback(other.id);
  // From its shell, without a name: the other task has something to redo, and this one has not.
  const { exit, out } = await cli(project, ['redo', '--json']);
  expect(exit).not.toBe(0);
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'USAGE' } });
  expect(await engine.reader.redoable(session.task!)).toMatchObject({ possible: true });
  await at.stop('Nothing.');
  expect((await cli(project, ['redo', '--json'])).exit).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('two\n');
  await engine.close();
  await host.end();
});
