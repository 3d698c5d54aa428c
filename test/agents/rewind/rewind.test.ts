/** A task of an agent in its own program: its conversation goes back and forth with it. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { continuationOf } from '../../../src/agents/rewind/rewind.ts';
import { type Engine, openEngine } from '../../../src/engine/engine.ts';
import { sessionsOf, tasksOfSession } from '../../../src/engine/task/records/sessions.ts';
import { handleSlashCommand } from '../../../src/verbs/slash.ts';
import { ask, cli, command } from '../../cli/cli.ts';
import { tempDirs } from '../../support/temp.ts';

/** A real session of two prompts; its calls are Write, then Bash and Read in one answer, then Bash. */
const RECORDED = join(import.meta.dirname, '..', 'transcripts', 'claude.jsonl');
const LINES = readFileSync(RECORDED, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const [FIRST, SECOND] = [...new Set(LINES.flatMap(({ promptId }) => promptId ?? []))] as [string, string];
const [WRITE, SHELL, READ, REMOVE] = LINES.flatMap(({ message }) =>
  Array.isArray(message?.content) ? message.content.flatMap(({ id }: { id?: string }) => id ?? []) : [],
) as [string, string, string, string];

const temp = tempDirs();
let dir = '';
let home = '';
let transcript = '';
let task = '';

interface Conversation {
  readonly session: string;
  readonly command: string[];
  readonly cwd: string;
  readonly cut: boolean;
}

const at = (name: string) => join(dir, name);
const open = () =>
  openEngine({ project_dir: dir, workspace: true, signals: false, automatic_cleanup: false });

/** The session as hooks would have told it. */
async function record(engine: Engine): Promise<string> {
  const details = { transcript, cwd: dir };
  const session = engine.attach({ client: 'claude', session: 'old', details });
  const call = async (
    id: string,
    name: string,
    danger: 'file_change' | 'shell_command' | null,
    work: () => void,
  ) => {
    await session.record({ type: 'tool_call', id, name, danger });
    work();
    await session.record({ type: 'tool_result', id, output: 'ok' });
  };
  await session.record({ type: 'turn', content: 'Do the first.', ref: FIRST });
  await call(WRITE, 'Write', 'file_change', () => writeFileSync(at('hello.txt'), 'hello\n'));
  await call(SHELL, 'Bash', 'shell_command', () => writeFileSync(at('bash.txt'), 'x\n'));
  await call(READ, 'Read', null, () => {});
  await session.endTurn();
  writeFileSync(at('mine.txt'), 'a person\n');
  await session.record({ type: 'turn', content: 'Do the second.', ref: SECOND });
  await call(REMOVE, 'Bash', 'shell_command', () => rmSync(at('bash.txt')));
  await session.close();
  return session.task!;
}

beforeEach(async () => {
  dir = temp();
  home = temp();
  const sessions = join(home, 'projects', dir.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(sessions, { recursive: true });
  transcript = join(sessions, 'old.jsonl');
  copyFileSync(RECORDED, transcript);
  const engine = await open();
  task = await record(engine);
  await engine.close();
});

const rollback = (...args: string[]) =>
  ask<{ conversation: Conversation | null; files: string[] }>(dir, 'rollback', ...args, '--yes');

/** The last thing that was said in a session. */
function lastOf(session: string): string {
  const text = readFileSync(join(transcript, '..', `${session}.jsonl`), 'utf8');
  const said = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message);
  const { content } = said.at(-1).message;
  return typeof content === 'string' ? content : (content[0].text ?? content[0].id ?? content[0].tool_use_id);
}

test('a rollback to before a prompt takes the conversation along, and redo brings the old one back', async () => {
  const { conversation, files } = await rollback(task, '--to', SECOND);
  expect(files).toEqual(['bash.txt']);
  expect(conversation).toMatchObject({ client: 'claude', cut: true, exact: true, cwd: dir });
  expect(conversation!.command).toEqual(['claude', '--resume', conversation!.session]);
  expect(lastOf(conversation!.session)).toBe('First done.');

  // The same session, however often it is asked for.
  const again = await ask<{ conversation: Conversation }>(dir, 'resume', task, '--dry-run');
  expect(again.conversation).toEqual(conversation);
  const engine = await open();
  expect(await tasksOfSession(engine.storage, { client: 'claude', session: conversation!.session })).toEqual([
    task,
  ]);
  await engine.close();

  const redone = await ask<{ conversation: Conversation }>(dir, 'redo', task);
  expect(redone.conversation).toMatchObject({ session: 'old', cut: false });
  const back = await rollback(task, '--to', SECOND);
  expect(back.conversation!.session).not.toBe(conversation!.session);
});

test('a preview says only what goes', async () => {
  const { out } = await cli(dir, ['rollback', task, '--to', SECOND, '--dry-run']);
  expect(out).toMatch(/\n {2}1 step: tool:Bash\n {2}1 message\n/);
});

test('a call is a place to go back to: before it, in files and conversation', async () => {
  const { conversation } = await rollback(task, '--to', SHELL);
  expect(lastOf(conversation!.session)).toBe(WRITE);
  const first = await rollback(task, '--to', WRITE);
  expect(first.files).toEqual(['hello.txt']);
  expect(lastOf(first.conversation!.session)).toBe('[[one]] Do the first.');
  const { out } = await cli(dir, ['rollback', task, '--to', 'none', '--yes', '--json']);
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'CHECKPOINT_NOT_FOUND' } });
});

test('every checkpoint has its place in the conversation', async () => {
  const engine = await open();
  const all = await engine.checkpoints.listCheckpoints(task, { all: true });
  const found: [string, string | null][] = [];
  for (const { id, trigger, step_name } of all.toSorted((a, b) => b.sequence_number - a.sequence_number)) {
    await engine.rollback(id, { only: 'state' });
    const { cut, session } = (await continuationOf(engine.storage, task, () => new Date()))!;
    found.unshift([`${trigger} ${step_name ?? ''}`.trim(), cut?.empty ? null : lastOf(session)]);
  }
  await engine.close();
  expect(found).toEqual([
    ['start', null],
    ['before_turn', null],
    ['after_user_input', '[[one]] Do the first.'],
    ['before_file_change tool:Write', '[[one]] Do the first.'],
    ['after_file_change tool:Write', WRITE],
    ['before_shell_command tool:Bash', WRITE],
    ['after_file_change tool:Bash', SHELL],
    ['after_step tool:Read', READ],
    ['before_turn tool:Read', 'First done.'],
    ['after_user_input tool:Read', '[[two]] Do the second.'],
    ['before_shell_command tool:Bash', '[[two]] Do the second.'],
    ['after_file_change tool:Bash', REMOVE],
  ]);
});

test('the session that was cut continues the same task', async () => {
  const { conversation } = await rollback(task, '--to', SECOND);
  const engine = await open();
  const session = engine.attach({ client: 'claude', session: conversation!.session, details: { cwd: dir } });
  await session.record({ type: 'turn', content: 'Do something else.', ref: 'p-3' });
  await session.close();
  expect(session.task).toBe(task);
  const found = await continuationOf(engine.storage, task, () => new Date());
  expect(found).toMatchObject({ session: conversation!.session, cut: null });
  expect((await sessionsOf(engine.storage, task)).map(({ session }) => session)).toContain('old');
  await engine.close();
});

test('a fork has a conversation of its own', async () => {
  const turns = await ask<{ checkpoints: { id: string; trigger: string }[] }>(
    dir,
    'checkpoints',
    'list',
    task,
  );
  const second = turns.checkpoints.filter(({ trigger }) => trigger === 'before_turn')[1]!;
  const { task: fork } = await ask<{ task: string }>(dir, 'fork', second.id);
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'resume', fork, '--dry-run');
  expect(lastOf(conversation.session)).toBe('First done.');
});

test('a conversation that cannot be cut fails no rollback: it is said, and resume tries again', async () => {
  rmSync(transcript);
  const { exit, out } = await cli(dir, ['rollback', task, '--to', SECOND, '--yes']);
  expect(exit).toBe(0);
  expect(out).toContain('The conversation stays as it was: The conversation of session old is not there');
  expect(readFileSync(at('bash.txt'), 'utf8')).toBe('x\n');
  const refused = await cli(dir, ['resume', task, '--dry-run', '--json']);
  expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'CONVERSATION_UNKNOWN' } });
  copyFileSync(RECORDED, transcript);
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'resume', task, '--dry-run');
  expect(lastOf(conversation.session)).toBe('First done.');
});

test('files alone leave the conversation', async () => {
  const turns = await ask<{ checkpoints: { id: string; trigger: string }[] }>(
    dir,
    'checkpoints',
    'list',
    task,
  );
  const second = turns.checkpoints.filter(({ trigger }) => trigger === 'before_turn')[1]!;
  expect((await rollback(second.id, '--only', 'files')).conversation).toBeNull();
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'resume', task, '--dry-run');
  expect(conversation).toMatchObject({ session: 'old', cut: false });
  expect((await ask<{ conversation: unknown }>(dir, 'redo', task)).conversation).toBeNull();
  expect(readdirSync(join(transcript, '..'))).toEqual(['old.jsonl']);
});

test('an undo takes the conversation back to its beginning, and redo brings it back', async () => {
  const preview = await ask<{ conversation: object }>(dir, 'undo', task, '--dry-run');
  expect(preview.conversation).toMatchObject({ place: { before: 'everything' } });
  const undone = await ask<{ conversation: Conversation; files: string[] }>(dir, 'undo', task, '--yes');
  expect(undone.files).toEqual(['hello.txt']);
  expect(undone.conversation).toMatchObject({ cut: true, exact: true });
  expect(undone.conversation.command).toEqual(['claude', '--session-id', undone.conversation.session]);
  const again = await ask<{ conversation: Conversation }>(dir, 'resume', task, '--dry-run');
  expect(again.conversation).toEqual(undone.conversation);
  const redone = await ask<{ conversation: Conversation }>(dir, 'redo', task);
  expect(redone.conversation).toMatchObject({ session: 'old', cut: false });

  // Where no file is left to be undone, an undo is refused: the conversation stays, and the preview promises nothing.
  rmSync(at('hello.txt'));
  expect(
    (await ask<{ conversation: object | null }>(dir, 'undo', task, '--dry-run')).conversation,
  ).toBeNull();
  writeFileSync(at('hello.txt'), 'hello\n');

  // What it says next is in the session that it began.
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'undo', task, '--yes');
  const engine = await open();
  const session = engine.attach({ client: 'claude', session: conversation.session, details: { cwd: dir } });
  await session.record({ type: 'turn', content: 'Start again.', ref: 'p-3' });
  await session.close();
  expect(session.task).toBe(task);
  const found = await continuationOf(engine.storage, task, () => new Date());
  expect(found).toMatchObject({ session: conversation.session, cut: null });
  await engine.close();
});

test('the undo of a fork leaves it the conversation that it began with', async () => {
  const { checkpoints } = await ask<{ checkpoints: { id: string; trigger: string }[] }>(
    dir,
    'checkpoints',
    'list',
    task,
  );
  const second = checkpoints.filter(({ trigger }) => trigger === 'before_turn')[1]!;
  const { task: fork } = await ask<{ task: string }>(dir, 'fork', second.id);
  const { conversation: begun } = await ask<{ conversation: Conversation }>(dir, 'resume', fork, '--dry-run');
  const engine = await open();
  const session = engine.attach({
    client: 'claude',
    session: begun.session,
    details: { cwd: dir, transcript: join(transcript, '..', `${begun.session}.jsonl`) },
  });
  await session.record({ type: 'turn', content: 'More.', ref: 'p-3' });
  await session.record({ type: 'tool_call', id: 'w', name: 'Write', danger: 'file_change' });
  writeFileSync(at('forked.txt'), 'forked\n');
  await session.record({ type: 'tool_result', id: 'w', output: 'ok' });
  await session.close();
  await engine.close();
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'undo', fork, '--yes');
  expect(lastOf(conversation.session)).toBe('First done.');
});

test('resume starts the client where the conversation is, with more arguments', async () => {
  const bin = temp();
  const program = join(bin, 'claude');
  writeFileSync(program, `#!/bin/sh\npwd\necho "$VIBE_ENGINE_TASK $*"\nexit 7\n`);
  chmodSync(program, 0o755);
  const PATH = `${bin}:${process.env.PATH}`;
  const { conversation } = await rollback(task, '--to', SECOND);
  const ran = await command(dir, ['resume', task, '--', '--model', 'opus'], { PATH });
  expect(ran.exit).toBe(7);
  expect(ran.out).toBe(`${dir}\n${task} --resume ${conversation!.session} --model opus\n`);
  expect(ran.err).toContain('Claude Code');
  const none = await cli(dir, ['resume', task, '--json'], { PATH: temp() });
  expect(JSON.parse(none.out)).toMatchObject({ error: { code: 'NOT_RESUMABLE' } });
});

test('checkpoints resume goes back, and starts the client where the conversation then ends', async () => {
  const bin = temp();
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "$*"\n', { mode: 0o755 });
  const PATH = `${bin}:${process.env.PATH}`;
  const { checkpoints } = await ask<{ checkpoints: { id: string; trigger: string }[] }>(
    dir,
    'checkpoints',
    'list',
    task,
  );
  const second = checkpoints.filter(({ trigger }) => trigger === 'before_turn')[1]!;
  const words = ['checkpoints', 'resume', second.id, '--take-back', '--', '--model', 'opus'];
  const ran = await command(dir, words, { PATH });
  expect(ran.exit).toBe(0);
  const [, session] = /^--resume (\S+) --model opus\n$/.exec(ran.out)!;
  expect(session).not.toBe('old');
  expect(lastOf(session!)).toBe('First done.');
  const { conversation } = await ask<{ conversation: Conversation }>(dir, 'resume', task, '--dry-run');
  expect(conversation.session).toBe(session);
});

test('as slash commands they answer with the command', async () => {
  const engine = await open();
  const back = await handleSlashCommand(`/checkpoints rollback ${task} --to ${SECOND} --yes`, engine);
  expect(back).toMatchObject({ ok: true, data: { conversation: { cut: true } } });
  const resumed = await handleSlashCommand(`/resume ${task}`, engine);
  expect(resumed).toMatchObject({ ok: true });
  expect(resumed.lines.join('\n')).toContain('claude --resume ');
  await engine.close();
});

test('lists say the agent, its session and its turns; locks say who has a file', async () => {
  const shown = await ask<{ task: object; turns: object[] }>(dir, 'show', task);
  expect(shown.task).toMatchObject({ client: 'claude', session: 'old' });
  expect(shown.turns).toMatchObject([
    { prompt: 'Do the first.', ref: FIRST },
    { prompt: 'Do the second.', ref: SECOND },
  ]);
  expect((await cli(dir, ['show', task])).out).toMatch(
    /claude, session old[\s\S]*2 turns[\s\S]*Do the second\./,
  );
  expect((await cli(dir, ['checkpoints', 'list', task])).out).toContain('Do the second.');
  expect((await cli(dir, ['tasks'])).out).toMatch(/Do the first\..*claude/);

  await rollback(task, '--to', SECOND);
  expect((await ask<{ turns: object[] }>(dir, 'show', task)).turns).toMatchObject([{ ref: FIRST }]);

  const engine = await open();
  const session = engine.attach({ client: 'claude', session: 'old', details: { transcript, cwd: dir } });
  await session.record({ type: 'turn', content: 'Once more.', ref: 'p-3' });
  await session.record({
    type: 'tool_call',
    id: 'w',
    name: 'Write',
    danger: 'file_change',
    writes: [at('a.txt')],
  });
  const locks = await ask<{ tasks: object[]; files: object[] }>(dir, 'locks');
  expect(locks.tasks).toMatchObject([{ task, client: 'claude' }]);
  expect(locks.files).toMatchObject([{ paths: ['a.txt'], task_name: 'Do the first.', client: 'claude' }]);
  expect((await cli(dir, ['locks'])).out).toMatch(/a\.txt +write +Do the first\., claude, /);
  // While it is at work nobody else can continue it.
  const busy = await cli(dir, ['resume', task, '--json']);
  expect(JSON.parse(busy.out)).toMatchObject({ error: { code: 'TASK_OWNED' } });
  await session.record({ type: 'tool_result', id: 'w', output: 'ok' });
  await session.close();
  await engine.close();
  expect((await ask<{ turns: object[] }>(dir, 'show', task)).turns).toMatchObject([
    { ref: FIRST },
    { ref: 'p-3' },
  ]);
});

test('a session that could be an option of the client is not continued', async () => {
  const dir = temp();
  const engine = await openEngine({ project_dir: dir, signals: false });
  const session = engine.attach({ client: 'codex', session: '--full-auto' });
  await session.record({ type: 'turn', content: 'go' });
  await session.close();
  await expect(continuationOf(engine.storage, session.task!, () => new Date())).rejects.toMatchObject({
    code: 'CONVERSATION_UNKNOWN',
  });
  await engine.close();
});
