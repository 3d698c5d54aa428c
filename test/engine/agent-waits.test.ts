/** Agents that ask a person: the answer comes back where they asked, in the same run or in a later one. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent, AgentStart } from '../../src/engine/api/agent-events.ts';
import type { AnyDefinition } from '../../src/engine/lifecycle/registry.ts';
import { agentTask } from '../../src/engine/run/agent/agent-task.ts';
import { runWithCheckpoints } from '../../src/engine/run-with-checkpoints.ts';
import { manualClock } from '../support/manual-clock.ts';
import { benches, latch, reach } from './setup.ts';
import { onEachStore } from './stores.ts';

const bench = benches();
const QUESTION = { type: 'wait', kind: 'human_approval', prompt: 'Deploy?' } as const;

onEachStore((fresh) => {
  test('the answer is what the question gives, also when it comes while nobody runs the agent', async () => {
    const store = await fresh();
    const starts: AgentStart[] = [];
    async function* agent(query: string, start: AgentStart): AsyncGenerator<AgentEvent<string>> {
      starts.push(start);
      if (!start.resumed) yield { type: 'message', role: 'user', content: query };
      const first: string = yield QUESTION;
      yield { type: 'message', role: 'user', content: first };
      const second: string = yield { type: 'wait', kind: 'user_input' };
      yield { type: 'done', output: `${first} ${second}` };
    }
    const options = { task_id: 'asks' };
    const first = await store.open();
    void runWithCheckpoints(agent, 'go', { ...options, engine: first }).catch(() => {});
    await reach(first, 'asks', 'waiting');
    expect((await first.state('asks'))?.data).toMatchObject({
      waiting_for: 'human_approval',
      prompt_shown_to_user: 'Deploy?',
    });
    await first.close();

    const between = await store.open();
    await between.answer('asks', 'yes', { by: 'ann' });
    await between.close();

    const second = await store.open();
    const ended = runWithCheckpoints(agent, 'go', { ...options, engine: second });
    await expect
      .poll(async () => (await second.state('asks'))?.data)
      .toMatchObject({ waiting_for: 'user_input' });
    await second.answer('asks', 'now');
    expect(await ended).toEqual({ task_id: 'asks', output: 'yes now' });
    const open = { kind: 'human_approval', prompt: 'Deploy?', timeout_at: null, answered: false };
    expect(starts.map(({ resumed, waiting }) => [resumed, waiting])).toEqual([
      [false, null],
      [true, open],
    ]);
    expect(await second.storage.list('inbox')).toEqual([]);
  });

  test('an answer that was recorded, and not acted on, is given again without asking anyone', async () => {
    const store = await fresh();
    const heard = latch<unknown>();
    let cutOff = true;
    async function* agent(_query: null, { waiting }: AgentStart): AsyncGenerator<AgentEvent<unknown>> {
      const answer: unknown = yield waiting ? { type: 'wait', ...waiting } : QUESTION;
      heard.resolve(answer);
      if (cutOff) await new Promise(() => {});
      yield { type: 'done', output: { answer, waiting } };
    }
    const task = agentTask('asks', agent);
    const first = await store.open();
    const { id } = await first.start(task, null);
    await reach(first, id, 'waiting');
    await first.answer(id, { ok: true });
    expect(await heard.promise).toEqual({ ok: true });
    await first.close();
    cutOff = false;
    const second = await store.open({ tasks: [task as AnyDefinition] });
    expect(await (await second.resume(id)).result).toMatchObject({
      answer: { ok: true },
      waiting: { answered: true },
    });
  });

  test('a time limit holds across restarts, and is told where the agent asked', async () => {
    const store = await fresh();
    const clock = manualClock(new Date('2026-03-01T12:00:00.000Z'));
    async function* agent(): AsyncGenerator<AgentEvent<string>> {
      try {
        yield { ...QUESTION, timeout_ms: 60_000 };
      } catch (error) {
        yield { type: 'done', output: (error as { code: string }).code };
      }
    }
    const task = agentTask('asks', agent);
    const first = await store.open({ clock });
    const { id } = await first.start(task, null);
    await reach(first, id, 'waiting');
    await first.close();
    clock.advance(60_001);
    const second = await store.open({ tasks: [task as AnyDefinition], clock });
    expect(await (await second.resume(id)).result).toBe('WAIT_TIMEOUT');
  });
});

describe('a question that is not asked again', () => {
  test.each([
    ['since the agent goes on', { type: 'message', role: 'assistant', content: 'never mind' }],
    ['since the agent asks another', { type: 'wait', kind: 'user_input', prompt: 'Anything else?' }],
  ] as const)('%s, takes no answer away from the next one', async (_, next) => {
    const at = bench();
    async function* agent(_query: null, { resumed }: AgentStart): AsyncGenerator<AgentEvent<unknown>> {
      if (!resumed) yield QUESTION;
      const first: unknown = yield next;
      yield { type: 'done', output: first ?? (yield { type: 'wait', kind: 'user_input' }) };
    }
    const task = agentTask('asks', agent);
    const first = await at.open();
    const { id } = await first.start(task, null);
    await reach(first, id, 'waiting');
    await first.close();
    const second = await at.open({ tasks: [task as AnyDefinition] });
    const { result } = await second.resume(id);
    await expect
      .poll(async () => (await second.state(id))?.data)
      .toMatchObject({ waiting_for: 'user_input' });
    await second.answer(id, 'heard');
    expect(await result).toBe('heard');
  });
});

test('an agent that waits can be paused: it is closed, and asks again when it is resumed', async () => {
  const at = bench();
  let closed = 0;
  async function* agent(): AsyncGenerator<AgentEvent<unknown>> {
    try {
      yield { type: 'done', output: yield QUESTION };
    } finally {
      closed++;
    }
  }
  const task = agentTask('asks', agent);
  const engine = await at.open({ tasks: [task as AnyDefinition] });
  const { id, outcome } = await engine.start(task, null);
  await reach(engine, id, 'waiting');
  await engine.pause(id, 'lunch');
  expect(await outcome).toEqual({ status: 'paused', reason: 'lunch' });
  expect(closed).toBe(1);
  const { result } = await engine.resume(id);
  await reach(engine, id, 'waiting');
  await engine.answer(id, 'yes');
  expect(await result).toBe('yes');
});
