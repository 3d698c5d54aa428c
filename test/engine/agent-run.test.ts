/** Agents expressed as async iterators: recorded as they go, resumed with what they had. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent, AgentStart } from '../../src/engine/api/agent-events.ts';
import type { AnyDefinition } from '../../src/engine/lifecycle/registry.ts';
import { agentTask } from '../../src/engine/run/agent/agent-task.ts';
import { runWithCheckpoints } from '../../src/engine/run-with-checkpoints.ts';
import { countedIn, scripted } from './scripts.ts';
import { benches, latch } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();

async function* of<T>(events: readonly AgentEvent<T>[]): AsyncGenerator<AgentEvent<T>> {
  yield* events;
}

onEachStore((fresh) => {
  test('what an agent says and does becomes its context; checkpoints are made on the way', async () => {
    const engine = await (await fresh()).open();
    const triggers: string[] = [];
    engine.on('checkpoint', ({ trigger }) => triggers.push(trigger));
    const { task_id, output } = await runWithCheckpoints(
      scripted(() => {}),
      { turns: 2 },
      { engine },
    );
    expect(output).toBe(2);
    expect(triggers).toEqual([
      'start',
      'after_user_input',
      'after_step',
      'before_external_api',
      'after_step',
      'after_step',
      'before_external_api',
      'after_step',
      'end',
    ]);
    const history = await engine.history(task_id);
    expect(history).toMatchObject({ status: 'success', task_name: 'agent' });
    expect(
      history.steps.map(({ id, name, index, status, result }) => [id, name, index, status, result]),
    ).toEqual([
      ['/tool:count@call-1#1', 'tool:count', 0, 'success', '1'],
      ['/tool:count@call-2#1', 'tool:count', 1, 'success', '2'],
    ]);
    expect((await engine.state(task_id))?.status).toBe('completed');
  });
});

test('how dangerous a tool is may depend on what it is given', async () => {
  const engine = await bench().open();
  const triggers: string[] = [];
  engine.on('checkpoint', ({ trigger }) => triggers.push(trigger));
  const events: AgentEvent[] = [
    { type: 'tool_call', id: '1', name: 'do', input: { kind: 'file_change' } },
    { type: 'tool_result', id: '1', output: 'done' },
  ];
  const danger = (_tool: string, input: unknown) => (input as { kind: 'file_change' }).kind;
  await runWithCheckpoints(of(events), {}, { engine, danger });
  expect(triggers).toEqual(['start', 'before_file_change', 'after_file_change', 'end']);
});

describe('killed half-way', () => {
  test('it goes on with its context, its open call handed back as unknown; nothing finished is done again', async () => {
    const at = bench();
    const child = at.child({ script: 'agent', start: { turns: 6 }, id: 'agent-1' });
    await expect.poll(() => at.notes(), { interval: 2 }).toContain('count 3');
    child.kill('SIGKILL');
    await child.ended;
    const before = at.notes().length;

    const engine = await at.open();
    const agent = scripted(at.note);
    const seen: AgentStart[] = [];
    const watched = (query: { turns: number }, start: AgentStart) => {
      seen.push(start);
      return agent(query, start);
    };
    const { output } = await runWithCheckpoints(watched, { turns: 99 }, { engine, task_id: 'agent-1' });
    expect(output).toBe(6);
    const [start] = seen;
    expect(start).toMatchObject({ task_id: 'agent-1', resumed: true });
    expect(start!.context.messages[0]).toMatchObject({ role: 'user', content: 'Count to 6.' });
    expect(start!.context.decisions).toMatchObject([{ what: 'count aloud', why: 'it was asked for' }]);
    const done = countedIn(start!);
    const unfinished = start!.unfinished.map(({ id, name, input }) => ({ id, name, input }));
    const after = at.notes().slice(before);
    expect(after[0]).toBe(`goes on after ${done}`);
    expect(unfinished.length).toBeLessThanOrEqual(1);
    for (const call of unfinished) {
      expect(call).toEqual({ id: `call-${done}`, name: 'count', input: { n: done } });
      expect(start!.context.tool_outputs.at(-1)).toMatchObject({ tool: 'count', status: 'unknown' });
    }
    expectCountedOnce(at.notes(), 6);
    const history = await engine.history('agent-1');
    expect(history).toMatchObject({ status: 'success', recovery_attempts: 1 });
    expect(history.steps.map(({ name, status }) => [name, status])).toEqual(
      Array.from({ length: 6 }, () => ['tool:count', 'success']),
    );
  });

  test('many times, each run goes on after the last event that was recorded', async () => {
    const at = bench();
    const turns = 12;
    let count = 0;
    for (const job of [{ start: { turns }, id: 'agent-1' }, { resume: 'agent-1' }, { resume: 'agent-1' }]) {
      const child = at.child({ script: 'agent', ...job } as never);
      count += 3;
      await expect.poll(() => at.notes(), { interval: 2 }).toContain(`count ${count}`);
      child.kill('SIGKILL');
      await child.ended;
    }
    const engine = await at.open();
    await runWithCheckpoints(scripted(at.note), { turns }, { engine, task_id: 'agent-1' });
    expectCountedOnce(at.notes(), turns);
  });
});

/** Each once; a call whose outcome was unknown may not have come to it. */
function expectCountedOnce(notes: readonly string[], turns: number): void {
  const numbers = (pattern: RegExp) => notes.flatMap((line) => Number(pattern.exec(line)?.[1] ?? 0) || []);
  const counted = numbers(/^count (\d+)/);
  expect(counted).toEqual([...new Set(counted)]);
  const accounted = new Set([...counted, ...numbers(/^unfinished call-(\d+)/)]);
  expect([...accounted].toSorted((a, b) => a - b)).toEqual(Array.from({ length: turns }, (_, n) => n + 1));
}

describe('the same line, called again', () => {
  test('after its end answers what came of it, and runs nothing', async () => {
    const at = bench();
    const notes: string[] = [];
    const agent = () => {
      notes.push('ran');
      return of([{ type: 'done', output: 'x'.repeat(20_000) }]);
    };
    const engine_options = { project_dir: at.dir, signals: false };
    const options = { task_id: 'once', engine_options };
    const first = await runWithCheckpoints(agent, 'query', options);
    const second = await runWithCheckpoints(agent, 'query', options);
    expect(second).toEqual(first);
    expect(first.output).toHaveLength(20_000);
    expect(notes).toEqual(['ran']);
  });

  test('after a failure tries again, from the context', async () => {
    const engine = await bench().open();
    let offline = true;
    const agent = async function* (
      query: string,
      { context }: AgentStart,
    ): AsyncGenerator<AgentEvent<unknown[]>> {
      if (context.messages.length === 0) yield { type: 'message', role: 'user', content: query };
      if (offline) throw new Error('the model is offline');
      yield { type: 'message', role: 'assistant', content: 'hello' };
      yield { type: 'done', output: context.messages.map(({ content }) => content) };
    };
    const options = { engine, task_id: 'again' };
    await expect(runWithCheckpoints(agent, 'hi', options)).rejects.toThrow('offline');
    offline = false;
    expect(await runWithCheckpoints(agent, 'hi', options)).toEqual({ task_id: 'again', output: ['hi'] });
  });
});

describe('an agent', () => {
  test('may be an iterable that is there already, and may end without saying so', async () => {
    const engine = await bench().open();
    const events: AgentEvent[] = [{ type: 'message', role: 'assistant', content: 'all there is' }];
    expect((await runWithCheckpoints(of(events), null, { engine })).output).toBeUndefined();
  });

  test('is paused between events: the one in progress is recorded, the iterator is closed', async () => {
    const at = bench();
    const asked = latch();
    const go = latch();
    let closed = 0;
    const agent = async function* (_query: undefined, start: AgentStart): AsyncGenerator<AgentEvent<string>> {
      try {
        if (start.resumed) {
          yield { type: 'done', output: String(start.context.messages.at(-1)?.content) };
          return;
        }
        asked.resolve();
        await go.promise;
        expect(start.signal.aborted).toBe(true);
        yield { type: 'message', role: 'assistant', content: 'the answer that was on its way' };
        yield { type: 'message', role: 'assistant', content: 'never asked for' };
      } finally {
        closed++;
      }
    };
    const task = agentTask('pausable', agent);
    const engine = await at.open({ tasks: [task as AnyDefinition] });
    const { id, outcome } = await engine.start(task, undefined);
    await asked.promise;
    await engine.pause(id);
    go.resolve();
    expect((await outcome).status).toBe('paused');
    await expect.poll(() => closed).toBe(1);
    expect(await (await engine.resume(id)).result).toBe('the answer that was on its way');
  });

  test('that ends because it is told to stop has not come to its end', async () => {
    const engine = await bench().open();
    const begun = latch();
    const agent = async function* (
      _query: undefined,
      { signal }: AgentStart,
    ): AsyncGenerator<AgentEvent<string>> {
      yield { type: 'message', role: 'assistant', content: 'working' };
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const task = agentTask('obedient', agent);
    const { id, outcome } = await engine.start(task, undefined);
    await begun.promise;
    await engine.pause(id);
    expect((await outcome).status).toBe('paused');
  });

  test('is told of a veto where it asked, and may go on', async () => {
    const engine = await bench().open({
      hooks: { beforeTool: ({ name }) => (name === 'tool:rm' ? { veto: 'never' } : undefined) },
    });
    const agent = async function* (): AsyncGenerator<AgentEvent<string>> {
      try {
        yield { type: 'tool_call', id: '1', name: 'rm', input: '/' };
        yield { type: 'done', output: 'removed' };
      } catch (error) {
        yield { type: 'done', output: (error as { code: string }).code };
      }
    };
    expect((await runWithCheckpoints(agent, null, { engine })).output).toBe('HOOK_VETO');
  });

  test('reads like any other task: its tools are steps, errors of tools are results, the conversation is saved', async () => {
    const at = bench();
    const engine = await at.open();
    const agent = async function* (): AsyncGenerator<AgentEvent<string>> {
      yield { type: 'tool_call', id: 'same', name: 'ls', input: '/nowhere' };
      yield { type: 'tool_result', id: 'same', output: { code: 'ENOENT' }, is_error: true };
      yield { type: 'tool_call', id: 'same', name: 'ls', input: '/' };
      yield { type: 'tool_result', id: 'same', output: ['etc'] };
      yield { type: 'tool_result', id: 'other', output: 'out of the blue' };
    };
    const { task_id } = await runWithCheckpoints(agent, null, { engine });
    await expect
      .poll(() => engine.storage.load('conversation', `conv-auto-save-${task_id}`))
      .toMatchObject({
        task_id,
        tool_outputs: [
          { tool: 'ls', input: '/nowhere', output: { code: 'ENOENT' }, status: 'error' },
          { tool: 'ls', input: '/', output: ['etc'], status: 'success' },
          { tool: 'unknown', output: 'out of the blue', status: 'success' },
        ],
      });
    expect((await engine.history(task_id)).steps.map(({ id }) => id)).toEqual([
      '/tool:ls@same#1',
      '/tool:ls@same#2',
      '/tool:unknown@other#1',
    ]);
  });
});
