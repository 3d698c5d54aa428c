/** Tasks that tests run in processes of their own; `note` leaves a line that outlives the process. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent, AgentStart } from '../../src/engine/api/agent-events.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { AnyDefinition } from '../../src/engine/lifecycle/registry.ts';
import { agentTask } from '../../src/engine/run/agent/agent-task.ts';

export type Note = (line: string) => void;

/** By name. Each call makes new ones, around the given `note`. */
export function scripts(note: Note): Record<string, AnyDefinition> {
  /** Three steps; the second takes as long as it is asked to: null for until the task is told to stop. */
  const slow = defineTask('slow', async (task, { ms }: { ms: number | null }) => {
    await task.message('user', 'go');
    await task.step('first', () => note('first'));
    await task.step('second', async () => {
      note('second begins');
      await (ms === null ? once(task.signal, 'abort') : sleep(ms));
      note('second ends');
    });
    await task.step('third', () => note('third'));
    return 'done';
  });

  /** A step, a question, a step. */
  const asks = defineTask('asks', async (task, { timeout_ms }: { timeout_ms?: number }) => {
    await task.step('before', () => note('before'));
    const options = timeout_ms === undefined ? {} : { timeout_ms };
    const answer = await task.waitFor<string>('user_input', { prompt: 'Which way?', ...options });
    await task.step('after', () => note(`after ${answer}`));
    return answer;
  });

  const sleeps = defineTask('sleeps', async (task, { ms }: { ms: number }) => {
    await task.step('before', () => note('before'));
    await task.sleep(ms);
    await task.step('after', () => note('after'));
  });

  /** Counts steps until it is killed. */
  const counts = defineTask('counts', async (task, { to }: { to: number }) => {
    for (let n = 1; n <= to; n++) {
      await task.step('count', async () => {
        note(`${n}`);
        await sleep(5);
      });
    }
    return to;
  });

  return { slow, asks, sleeps, counts, agent: agentTask('agent', scripted(note)) as AnyDefinition };
}

/** The last number the agent has called `count` with: it may have said the next one already, and not called yet. */
export function countedIn({ context }: AgentStart): number {
  const last = context.tool_outputs.at(-1)?.input as { n: number } | undefined;
  return last?.n ?? 0;
}

/**
 * An agent of `turns` turns: a thought, a call of `count`, its result. It goes on by what it finds in its context, and
 * looks before it calls again a tool whose outcome is unknown.
 */
export function scripted(note: Note) {
  return async function* (
    { turns }: { turns: number },
    start: AgentStart,
  ): AsyncGenerator<AgentEvent<number>> {
    const done = countedIn(start);
    note(`${start.resumed ? 'goes on' : 'begins'} after ${done}`);
    if (!start.resumed) {
      yield { type: 'message', role: 'user', content: `Count to ${turns}.` };
      yield { type: 'decision', what: 'count aloud', why: 'it was asked for' };
    }
    for (const { id, input } of start.unfinished) {
      note(`unfinished ${id} ${JSON.stringify(input)}`);
      yield { type: 'tool_result', id, output: 'counted before the crash' };
    }
    for (let n = done + 1; n <= turns; n++) {
      yield { type: 'message', role: 'assistant', content: `Now ${n}.` };
      yield { type: 'tool_call', id: `call-${n}`, name: 'count', input: { n } };
      note(`count ${n}`);
      await sleep(20);
      yield { type: 'tool_result', id: `call-${n}`, output: n };
    }
    yield { type: 'done', output: turns };
  };
}
