/** Callers who are not held to types: refused in words, and what is stored stays readable. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/engine/api/agent-events.ts';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { runWithCheckpoints } from '../../src/engine/run-with-checkpoints.ts';
import { benches } from './setup.ts';

const bench = benches();

/** These calls are what types would refuse. */
type Untyped = { [Verb in keyof TaskContext]: (...given: unknown[]) => Promise<unknown> };

describe('a task is refused what it cannot record, and goes on', () => {
  test.each<[string, (task: Untyped) => unknown]>([
    ['progress that is no number', (task) => task.progress((0 / 0) * 100)],
    ['a note on progress that is no text', (task) => task.progress(5, { half: true })],
    ['a message without a role', (task) => task.message(undefined, 'hello')],
    ['no decision', (task) => task.decide()],
    ['a decision that says nothing', (task) => task.decide({})],
    ['alternatives that are no texts', (task) => task.decide({ what: 'a', alternatives: [1] })],
    ['no tool output', (task) => task.tool()],
    ['a tool output without a status', (task) => task.tool({ tool: 'ls', output: 1 })],
    ['a tool that cannot be run', (task) => task.tool('ls', '/')],
    ['a step without a name', (task) => task.step(undefined, () => 1)],
    ['a step whose name is a number', (task) => task.step(5, () => 1)],
    ['a step without a function', (task) => task.step('look')],
    ['a danger nobody knows', (task) => task.step('look', () => 1, { dangerous: 'yes' })],
    ['a time limit that is no number', (task) => task.step('look', () => 1, { timeout_ms: '5 s' })],
    ['an agent without a name', (task) => task.agent('', () => 1)],
    ['an agent without a function', (task) => task.agent('helper', { files: [] })],
    ['a wait for nothing known', (task) => task.waitFor('godot')],
    ['a prompt that is no text', (task) => task.waitFor('user_input', { prompt: 5 })],
    ['a wait without a length', (task) => task.waitFor('user_input', { timeout_ms: Number.NaN })],
    ['a sleep without an end', (task) => task.sleep(Number.POSITIVE_INFINITY)],
    ['a variable without a name', (task) => task.set(undefined, 1)],
    ['metadata that is no object', (task) => task.checkpoint({ metadata: 'halfway' })],
  ])('%s', async (_, act) => {
    const engine = await bench().open();
    const task = defineTask('wrong', async (task) => {
      const refused = await Promise.resolve(act(task as unknown as Untyped)).catch((error: unknown) => error);
      await task.step('after', () => 1);
      return (refused as { code?: string }).code;
    });
    const { id, result } = await engine.start(task, undefined);
    expect(await result).toBe('USAGE');
    expect((await engine.history(id)).steps).toMatchObject([{ name: 'after', status: 'success' }]);
    for (const checkpoint of await engine.checkpoints.listCheckpoints(id))
      await engine.checkpoints.loadCheckpoint(checkpoint.id);
  });

  test('errors of any make are recorded, and told again', async () => {
    const odd = Object.assign(new Error('m'), { name: 1, message: 2, stack: 3, code: 4 });
    const at = bench();
    let last = true;
    const task = defineTask('odd', async (task) => {
      const told: string[] = [];
      for (const thrown of [odd, undefined, { no: 'error' }])
        await task
          .step('throw', () => {
            throw thrown;
          })
          .catch((error: unknown) => told.push(String((error as Error | undefined)?.message)));
      if (last) throw new Error('again');
      return told;
    });
    const engine = await at.open({ tasks: [task] });
    const { id, outcome } = await engine.start(task, undefined);
    await outcome;
    last = false;
    expect((await engine.history(id)).steps).toHaveLength(3);
    expect(await (await engine.resume(id)).outcome).toMatchObject({ status: 'completed' });
  });
});

describe('an engine refuses', () => {
  const fine = defineTask('fine', () => 'done');
  test.each<[string, object, object]>([
    ['what is no task', {}, {}],
    ['a working directory that is no path', fine, { working_dir: 5 }],
  ])('%s', async (_, definition, options) => {
    const engine = await bench().open();
    for (const verb of ['start', 'enqueue'] as const)
      await expect(engine[verb](definition as never, undefined, options)).rejects.toMatchObject({
        code: 'USAGE',
      });
    expect(await engine.tasks()).toEqual([]);
  });

  test('an id that is taken, and leaves that task as it is', async () => {
    const engine = await bench().open();
    await engine.run(fine, undefined, { task_id: 'taken' });
    for (const verb of ['start', 'enqueue'] as const)
      await expect(engine[verb](fine, undefined, { task_id: 'taken' })).rejects.toMatchObject({
        code: 'STALE_WRITE',
        message: 'Task taken already exists.',
      });
    expect((await engine.state('taken'))?.status).toBe('completed');
    expect(await engine.storage.list('queue')).toEqual([]);
  });

  test('to work on no task at a time', async () => {
    const engine = await bench().open();
    await expect(engine.work({ concurrency: 0 })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

test.each<[string, object]>([
  ['an event nobody knows', { type: 'thought', content: 'hm' }],
  ['a call without an id', { type: 'tool_call', name: 'ls' }],
  ['a message without a role', { type: 'message', content: 'hello' }],
])('an agent that yields %s is told so', async (_, event) => {
  const engine = await bench().open();
  const agent = async function* () {
    yield event as AgentEvent;
  };
  await expect(runWithCheckpoints(agent, null, { engine, task_id: 'odd' })).rejects.toMatchObject({
    code: 'USAGE',
  });
  expect((await engine.history('odd')).status).toBe('failed');
});

test('an agent that gives no events is told so', async () => {
  const engine = await bench().open();
  const agent = (() => 5) as unknown as () => AsyncGenerator<AgentEvent>;
  await expect(runWithCheckpoints(agent, null, { engine })).rejects.toMatchObject({ code: 'USAGE' });
});

test('a definition that could not be recovered from is refused', () => {
  expect(() => defineTask('no code', undefined as never)).toThrow('needs a function');
  const env_requirements = { node: 24 } as unknown as Record<string, string>;
  expect(() => defineTask('odd', () => {}, { env_requirements })).toThrow('is not a string');
});

test('a working directory is taken from the project on', async () => {
  const at = bench();
  const engine = await at.open();
  const task = defineTask('placed', (task) => task.checkpoint());
  const id = await engine.run(task, undefined, { working_dir: 'sub' });
  expect((await engine.checkpoints.loadCheckpoint(id))?.recovery_info.working_dir).toBe(`${at.dir}/sub`);
});

test('names that look like parts of an identity are not mistaken for them', async () => {
  let broken = true;
  const say = (what: string) => () => what;
  const task = defineTask('alike', async (task) => {
    const told = [
      await task.step('a/b', say('step a/b')),
      await task.step('a%2Fb', say('step a%2Fb')),
      await task.agent('a', (agent) => agent.step('b', say('step b of agent a'))),
      await task.agent('a', (agent) => agent.step('b', say('step b of the second agent a'))),
      await task.agent('a@2', (agent) => agent.step('b', say('step b of agent a@2'))),
    ];
    await task.step('end', () => {
      if (broken) throw new Error('not yet');
    });
    return told;
  });
  const engine = await bench().open({ tasks: [task] });
  const { id, outcome } = await engine.start(task, undefined);
  await outcome;
  broken = false;
  expect(await (await engine.resume(id)).result).toEqual([
    'step a/b',
    'step a%2Fb',
    'step b of agent a',
    'step b of the second agent a',
    'step b of agent a@2',
  ]);
});
