/** How the calls of a session are stored: nothing large twice, and a result before the files are looked at. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Attached } from '../../src/engine/api/attaching.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { onEachStore } from './stores.ts';

const SESSION = { client: 'claude', session: 's-1' } as const;

async function shell(session: Attached, id: string, work: () => void = () => {}): Promise<void> {
  const call = { name: 'Bash', input: { command: `run ${id}` } };
  await session.record({ type: 'tool_call', id, danger: 'shell_command', ...call });
  work();
  await session.record({ type: 'tool_result', id, output: `result of ${id}` });
}

async function entriesOf(engine: Engine, task: string) {
  const read = await Array.fromAsync(engine.storage.read(task));
  return read.map(({ data }) => data as { t: string; tool?: { input?: unknown }; result?: unknown });
}

async function outputsOf(engine: Engine, task: string) {
  const [last] = (await engine.checkpoints.listCheckpoints(task, { all: true })).toReversed();
  const { tool_outputs } = (await engine.checkpoints.loadCheckpoint(last!.id))!.context;
  return tool_outputs.map(({ input, output, status }) => [input, output, status]);
}

/** As the conversation of the task has them. */
async function callsSaid(engine: Engine, task: string, query = { from: 0, limit: 10 }) {
  const { messages } = await engine.reader.said(task, query);
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

onEachStore((fresh) => {
  test('the input of a call is stored once, and read at its end', async () => {
    const store = await fresh();
    const engine = await store.open({ workspace: true });
    const session = engine.attach(SESSION);
    await session.record({ type: 'turn', content: 'go' });
    await shell(session, 'c1');
    await session.endTurn();
    const entries = await entriesOf(engine, session.task!);
    const [begin] = entries.filter(({ t }) => t === 'begin');
    const [step] = entries.filter(({ t }) => t === 'step');
    expect(begin!.tool!.input).toEqual({ command: 'run c1' });
    expect(step!.tool).not.toHaveProperty('input');
    expect(await outputsOf(engine, session.task!)).toEqual([
      [{ command: 'run c1' }, 'result of c1', 'success'],
    ]);
    expect(await callsSaid(engine, session.task!)).toEqual([
      { input: { command: 'run c1' }, output: 'result of c1' },
    ]);
  });

  test('a result is recorded before the files are looked at, where that takes long', async () => {
    const store = await fresh();
    const engine = await store.open({ workspace: true });
    const session = engine.attach({ ...SESSION, patience_ms: 0 });
    await session.record({ type: 'turn', content: 'go' });
    await shell(session, 'c1');
    await shell(session, 'c2', () => writeFileSync(join(store.dir, 'made.txt'), 'made'));
    const task = session.task!;
    expect((await entriesOf(engine, task)).map(({ t, result }) => [t, result])).toContainEqual([
      'result',
      'result of c2',
    ]);
    await session.endTurn();
    const entries = await entriesOf(engine, task);
    expect(entries.at(-1)).toMatchObject({ t: 'step', files: { by: 'shell' } });
    expect(entries.at(-1)).not.toHaveProperty('result');
    expect((await engine.reader.changedFiles(task))?.changed).toEqual(['made.txt']);
    expect(await outputsOf(engine, task)).toEqual([
      [{ command: 'run c1' }, 'result of c1', 'success'],
      [{ command: 'run c2' }, 'result of c2', 'success'],
    ]);
    const { steps } = await engine.history(task);
    expect(steps.map(({ result }) => result)).toEqual(['result of c1', 'result of c2']);
    const said = [
      { input: { command: 'run c1' }, output: 'result of c1' },
      { input: { command: 'run c2' }, output: 'result of c2' },
    ];
    expect(await callsSaid(engine, task)).toEqual(said);
    expect(await callsSaid(engine, task, { from: 2, limit: 1 })).toEqual(said.slice(1));
    const fork = await engine.fork((await engine.checkpoints.listCheckpoints(task)).at(-1)!.id);
    expect(await callsSaid(engine, fork.id)).toEqual(said);
  });

  test('what a person changes after the answer, while the files are looked at, is not taken back', async () => {
    const store = await fresh();
    const engine = await store.open({ workspace: true });
    const at = (name: string) => join(store.dir, name);
    writeFileSync(at('gone.txt'), 'there\n');
    const session = engine.attach({ ...SESSION, patience_ms: 0 });
    await session.record({ type: 'turn', content: 'go' });
    await shell(session, 'c1');
    await shell(session, 'c2', () => {
      writeFileSync(at('made.txt'), 'made\n');
      rmSync(at('gone.txt'));
    });
    writeFileSync(at('mine.txt'), 'mine\n');
    await session.endTurn();
    const [turn] = await engine.checkpoints.listCheckpoints(session.task!);
    await engine.rollback(turn!.id, { on_modified: 'use_current', on_deleted: 'skip' });
    expect(existsSync(at('made.txt'))).toBe(false);
    expect(readFileSync(at('gone.txt'), 'utf8')).toBe('there\n');
    expect(readFileSync(at('mine.txt'), 'utf8')).toBe('mine\n');
  });

  test('the end of a session ends the turn that a killed process was recording', async () => {
    const store = await fresh();
    const first = await store.open({ workspace: true });
    const before = first.attach(SESSION);
    await before.record({ type: 'turn', content: 'go' });
    await first.close(); // As if killed: the turn has not ended.
    const engine = await store.open({ workspace: true });
    const idle = async () =>
      ((await engine.state(before.task!))!.data as { idle_since?: string }).idle_since !== undefined;
    expect(await idle()).toBe(false);
    await engine.attach(SESSION).endTurn();
    expect(await idle()).toBe(false);
    await engine.attach(SESSION).leave();
    expect(await idle()).toBe(true);
    await engine.attach({ ...SESSION, session: 'unknown' }).leave();
    expect(await engine.tasks()).toHaveLength(1);
  });

  test.each([
    ['a shell', { danger: 'shell_command' } as const],
    ['a file tool', { danger: 'file_change', writes: ['made.txt'] } as const],
  ])('what %s changed is its own if its result came, though its process was killed', async (_, kind) => {
    const store = await fresh();
    const made = join(store.dir, 'made.txt');
    const first = await store.open({ workspace: true });
    const before = first.attach(SESSION);
    await before.record({ type: 'turn', content: 'go' });
    const writes = 'writes' in kind ? { writes: [made] } : {};
    await before.record({ type: 'tool_call', id: 'c1', name: 'Tool', ...kind, ...writes });
    await first.close(); // As if killed: the call goes on.
    writeFileSync(made, 'made\n');
    const engine = await store.open({ workspace: true });
    const session = engine.attach(SESSION);
    await session.record({ type: 'tool_result', id: 'c1', output: 'ok' });
    await session.endTurn();
    const { steps } = await engine.history(session.task!);
    expect(steps.map(({ name, status }) => [name, status])).toEqual([['tool:Tool', 'success']]);
    expect(steps[0]!.attempts.map(({ attempt, error }) => [attempt, error])).toEqual([[1, null]]);
    expect((await engine.reader.changedFiles(session.task!))?.changed).toEqual(['made.txt']);
    const [turn] = await engine.checkpoints.listCheckpoints(session.task!);
    await engine.rollback(turn!.id); // Asks nothing.
    expect(existsSync(made)).toBe(false);
  });

  test('what a call that was cut off may have changed ends with the next prompt', async () => {
    const store = await fresh();
    const at = (name: string) => join(store.dir, name);
    writeFileSync(at('mine.txt'), 'mine\n');
    const first = await store.open({ workspace: true });
    const before = first.attach(SESSION);
    await before.record({ type: 'turn', content: 'go' });
    await before.record({ type: 'tool_call', id: 'c1', name: 'Bash', danger: 'shell_command' });
    await first.close(); // As if killed: what the call did is not known.
    writeFileSync(at('begun.txt'), 'begun\n');
    const engine = await store.open({ workspace: true });
    const session = engine.attach(SESSION);
    const task = before.task!;
    expect(await engine.reader.changedFiles(task)).toEqual({ changed: [], in_doubt: [], complete: false });
    await session.record({ type: 'turn', content: 'and now?' });
    await session.endTurn();
    writeFileSync(at('mine.txt'), 'mine, later\n');
    expect(await engine.reader.changedFiles(task)).toEqual({
      changed: [],
      in_doubt: ['begun.txt'],
      complete: true,
    });
    const turns = await engine.checkpoints.listCheckpoints(task);
    const files = async (id: string) => (await engine.previewRollback(id)).files;
    expect(await files(turns.at(-1)!.id)).toEqual([]);
    expect(await files(turns[0]!.id)).toEqual(['begun.txt']);
    await expect(engine.rollback(turns[0]!.id)).rejects.toMatchObject({ code: 'RESTORE_UNANSWERED' });
    await engine.rollback(turns[0]!.id, { on_modified: 'use_checkpoint' });
    expect(existsSync(at('begun.txt'))).toBe(false);
    expect(readFileSync(at('mine.txt'), 'utf8')).toBe('mine, later\n');
  });

  test('a result whose call was not recorded is told by what it says of it', async () => {
    const store = await fresh();
    const engine = await store.open({ workspace: true });
    const session = engine.attach(SESSION);
    await session.record({ type: 'turn', content: 'go' });
    const of = { name: 'Read', input: { path: 'a.txt' }, agent: 'Explore-7' };
    await session.record({ type: 'tool_result', id: 'r', output: 'one', ...of });
    await session.endTurn();
    const { steps } = await engine.history(session.task!);
    expect(steps.map(({ name, agent, status }) => [name, agent, status])).toEqual([
      ['tool:Read', '/Explore-7', 'success'],
    ]);
    expect(await outputsOf(engine, session.task!)).toEqual([[{ path: 'a.txt' }, 'one', 'success']]);
  });
});
