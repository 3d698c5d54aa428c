/** A session of an agent that runs elsewhere: each event is recorded as it comes, and between turns the task is free. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RecordedEvent } from '../../src/engine/api/agent-events.ts';
import type { Attached, AttachOptions } from '../../src/engine/api/attaching.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { onEachStore, onEveryStore, type Store } from './stores.ts';

const SESSION: AttachOptions = { client: 'claude', session: 's-1' };

const open = (store: Store): Promise<Engine> => store.open({ workspace: true });

let calls = 0;

/** A tool call and its end, with what the tool does in between. */
async function call(
  session: Attached,
  tool: Omit<Extract<RecordedEvent, { type: 'tool_call' }>, 'type' | 'id'> & { id?: string },
  work: () => unknown,
): Promise<string> {
  const id = tool.id ?? `call-${++calls}`;
  const refused = await session.record({ type: 'tool_call', ...tool, id });
  if (refused) throw refused;
  await session.record({ type: 'tool_result', id, output: (await work()) ?? 'ok' });
  return id;
}

function writing(session: Attached, dir: string, path: string, content: string): Promise<string> {
  const at = join(dir, path);
  return call(session, { name: 'Write', danger: 'file_change', writes: [at] }, () =>
    writeFileSync(at, content),
  );
}

function shell(session: Attached, work: () => unknown): Promise<string> {
  return call(session, { name: 'Bash', danger: 'shell_command' }, work);
}

const turn = (session: Attached, content: string, ref = content) =>
  session.record({ type: 'turn', content, ref });

const read = (dir: string, path: string) => readFileSync(join(dir, path), 'utf8');

onEveryStore((fresh) => {
  test('a session is a task: turns, calls, sub-agents, refused calls', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    expect(session.task).toBeNull();
    await turn(session, 'make it work', 'p1');
    await writing(session, store.dir, 'a.txt', 'one');
    await session.record({
      type: 'tool_call',
      id: 'r',
      name: 'Read',
      input: { path: 'a.txt' },
      danger: null,
    });
    await session.record({ type: 'tool_result', id: 'r', output: 'one' });
    const agent = 'Explore-7';
    await call(session, { name: 'Bash', agent, danger: 'shell_command' }, () =>
      writeFileSync(join(store.dir, 'b.txt'), 'two'),
    );
    await session.record({ type: 'agent_end', agent, output: 'found it' });
    await session.record({ type: 'tool_call', id: 'no', name: 'Bash', danger: 'shell_command' });
    await session.record({ type: 'tool_dropped', id: 'no', reason: 'not allowed' });
    await session.record({ type: 'message', role: 'assistant', content: 'done', ref: 'm1' });
    await session.endTurn();

    const history = await engine.history(session.task!);
    expect(history.steps.map(({ name, agent, status }) => [name, agent, status])).toEqual([
      ['tool:Write', null, 'success'],
      ['tool:Read', null, 'success'],
      ['tool:Bash', '/Explore-7', 'success'],
      ['tool:Bash', null, 'skipped'],
    ]);
    expect(await engine.state(session.task!)).toMatchObject({
      status: 'in_progress',
      task_name: 'make it work',
      data: { idle_since: expect.any(String), current_step: null },
    });
    expect((await engine.reader.changedFiles(session.task!))?.changed).toEqual(['a.txt', 'b.txt']);
  });

  test('between turns another process takes it back, and the session continues from there', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    await turn(session, 'first');
    await writing(session, store.dir, 'a.txt', 'one');
    await session.endTurn();
    writeFileSync(join(store.dir, 'mine.txt'), 'a person');
    await turn(session, 'second');
    expect((await session.found()).changed).toEqual(['mine.txt']);
    await writing(session, store.dir, 'a.txt', 'two');
    await shell(session, () => rmSync(join(store.dir, 'a.txt')));
    await session.endTurn();
    const task = session.task!;

    const other = await open(store);
    const turns = (await other.checkpoints.listCheckpoints(task)).filter(
      (one) => one.trigger === 'before_turn',
    );
    expect(turns.map(({ metadata }) => metadata)).toEqual([
      { prompt: 'first', ref: 'first' },
      { prompt: 'second', ref: 'second' },
    ]);
    await other.rollback(turns[1]!.id);
    expect(read(store.dir, 'a.txt')).toBe('one');
    expect(read(store.dir, 'mine.txt')).toBe('a person');
    await other.redo(task);
    expect(existsSync(join(store.dir, 'a.txt'))).toBe(false);
    await other.rollback(turns[1]!.id);

    await turn(session, 'third');
    await writing(session, store.dir, 'a.txt', 'three');
    await session.endTurn();
    expect(session.task).toBe(task);
    const { messages } = (await engine.checkpoints.loadCheckpoint((await last(engine, task)).id))!.context;
    expect(messages.map(({ content }) => content)).toEqual(['first', 'third']);
  });
});

async function last(engine: Engine, task: string) {
  return (await engine.checkpoints.listCheckpoints(task, { all: true })).at(-1)!;
}

onEachStore((fresh) => {
  test('a turn continues without recovery where nobody wrote since', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    for (let n = 1; n <= 30; n++) {
      await turn(session, `turn ${n}`);
      await writing(session, store.dir, `file-${n}.txt`, `${n}`);
      await session.endTurn();
    }
    const task = session.task!;
    const { recovery_attempts } = await engine.history(task);
    expect(recovery_attempts).toBe(0);
    const listed = await engine.checkpoints.listCheckpoints(task);
    expect(listed.filter(({ trigger }) => trigger === 'before_turn')).toHaveLength(30);
    expect(listed.length).toBeLessThanOrEqual(30 + 20);
    await engine.rollback(listed.find(({ metadata }) => metadata?.prompt === 'turn 3')!.id);
    expect([1, 2, 3, 30].map((n) => existsSync(join(store.dir, `file-${n}.txt`)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('a call whose result comes to the next process was not cut off', async () => {
    const store = await fresh();
    const first = await open(store);
    const before = first.attach(SESSION);
    await turn(before, 'go');
    await before.record({ type: 'tool_call', id: 'long', name: 'Bash', danger: 'shell_command' });
    await first.close();

    const engine = await open(store);
    const session = engine.attach(SESSION);
    await session.record({ type: 'tool_result', id: 'long', output: 'made' });
    expect(await session.found()).toEqual({ unfinished: [], changed: [] });
    const { steps } = await engine.history(before.task!);
    expect(steps.map(({ name, status }) => [name, status])).toEqual([['tool:Bash', 'success']]);
  });

  test('a call that was cut off is told to the next process', async () => {
    const store = await fresh();
    const first = await open(store);
    const before = first.attach(SESSION);
    await turn(before, 'go');
    await before.record({
      type: 'tool_call',
      id: 'cut',
      name: 'Bash',
      danger: 'shell_command',
      input: 'make',
    });
    writeFileSync(join(store.dir, 'half.txt'), 'half');
    await first.close();

    const engine = await open(store);
    const session = engine.attach({ ...SESSION, session: 's-2', task: before.task! });
    await turn(session, 'and now?');
    expect(await session.found()).toMatchObject({
      unfinished: [{ id: 'cut', name: 'Bash', input: 'make', files: { changed: ['half.txt'] } }],
      changed: [],
    });
    expect(await session.found()).toEqual({ unfinished: [], changed: [] });
    expect(session.task).toBe(before.task);
    await session.close();
    const again = engine.attach({ ...SESSION, session: 's-2' });
    await turn(again, 'more');
    expect(again.task).toBe(before.task);
  });

  test('two sessions: one file has one writer until the end of its turn', async () => {
    const store = await fresh();
    const [one, two] = [await open(store), await open(store)];
    const claude = one.attach(SESSION);
    const codex = two.attach({ client: 'codex', session: 'c-1' });
    await turn(claude, 'edit a');
    await turn(codex, 'edit a and b');
    await writing(claude, store.dir, 'a.txt', 'claude');
    const wanted = { type: 'tool_call', id: 'x', name: 'Edit', danger: 'file_change' } as const;
    const refused = await codex.record({ ...wanted, writes: [join(store.dir, 'a.txt')] });
    expect(refused).toMatchObject({ code: 'FILE_RESERVED', data: { owner: claude.task } });
    await codex.record({ type: 'tool_call', id: 'r', name: 'Read', danger: null });
    await codex.record({ type: 'tool_result', id: 'r', output: 'claude' });
    await writing(codex, store.dir, 'b.txt', 'codex');
    await claude.endTurn();
    await writing(codex, store.dir, 'a.txt', 'codex');
    await codex.endTurn();

    const turns = (await two.checkpoints.listCheckpoints(codex.task!)).filter(
      ({ trigger }) => trigger === 'before_turn',
    );
    await two.rollback(turns[0]!.id);
    expect(read(store.dir, 'a.txt')).toBe('claude');
    expect(existsSync(join(store.dir, 'b.txt'))).toBe(false);
    const skipped = (await two.history(codex.task!)).steps.filter(({ status }) => status === 'skipped');
    expect(skipped).toEqual([]); // They came after the checkpoint.
  });

  test('sessions side by side on different files: taking one back asks nothing', async () => {
    const store = await fresh();
    const [one, two] = [await open(store), await open(store)];
    const claude = one.attach(SESSION);
    const codex = two.attach({ client: 'codex', session: 'c-1' });
    await turn(claude, 'a');
    await turn(codex, 'b');
    const at = (name: string) => join(store.dir, name);
    const call = { name: 'Write', danger: 'file_change' } as const;
    await claude.record({ type: 'tool_call', id: '1', ...call, writes: [at('a.txt')] });
    await codex.record({ type: 'tool_call', id: '2', ...call, writes: [at('b.txt')] });
    writeFileSync(at('a.txt'), 'a');
    writeFileSync(at('b.txt'), 'b');
    writeFileSync(at('person.txt'), 'p');
    await claude.record({ type: 'tool_result', id: '1', output: 'ok' });
    await codex.record({ type: 'tool_result', id: '2', output: 'ok' });
    await claude.endTurn();
    await codex.endTurn();
    await one.undo(claude.task!);
    expect(['a.txt', 'b.txt', 'person.txt'].map((name) => existsSync(at(name)))).toEqual([false, true, true]);
    await two.undo(codex.task!);
    expect(['b.txt', 'person.txt'].map((name) => existsSync(at(name)))).toEqual([false, true]);
  });

  test('a pause waits for the call, refuses the next one, and the next turn resumes', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    await turn(session, 'go');
    await session.record({ type: 'tool_call', id: '1', name: 'Bash', danger: 'shell_command' });
    const paused = engine.pause(session.task!, 'stop there');
    await session.record({ type: 'tool_result', id: '1', output: 'ok' });
    await paused;
    expect(
      await session.record({ type: 'tool_call', id: '2', name: 'Bash', danger: 'shell_command' }),
    ).toMatchObject({ code: 'RUN_STOPPED' });
    expect((await engine.state(session.task!))?.status).toBe('paused');
    await session.endTurn();
    await turn(session, 'on');
    await shell(session, () => 'fine');
    await session.endTurn();
    expect((await engine.state(session.task!))?.status).toBe('in_progress');
    expect((await engine.history(session.task!)).steps.map(({ status }) => status)).toEqual([
      'success',
      'success',
    ]);
  });

  test('after a task that was cancelled, a turn begins a new one', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    await turn(session, 'go');
    await session.endTurn();
    const first = session.task!;
    await engine.cancel(first);
    await turn(session, 'again');
    expect(session.task).not.toBe(first);
    await session.close();
    await expect(turn(session, 'late')).rejects.toMatchObject({ code: 'RUN_STOPPED' });
    const tasks = (await engine.tasks()).map(({ task_id, status }) => [task_id, status]);
    expect(tasks).toEqual([
      [session.task, 'in_progress'],
      [first, 'cancelled'],
    ]);
  });

  test('a call without a result is ended with the turn, and what it changed is its own', async () => {
    const store = await fresh();
    const engine = await open(store);
    const session = engine.attach(SESSION);
    await turn(session, 'go');
    await session.record({ type: 'tool_call', id: '1', name: 'Bash', danger: 'shell_command' });
    writeFileSync(join(store.dir, 'made.txt'), 'made');
    await session.endTurn();
    expect((await engine.reader.changedFiles(session.task!))?.changed).toEqual(['made.txt']);
    await engine.undo(session.task!);
    expect(existsSync(join(store.dir, 'made.txt'))).toBe(false);
  });
});
