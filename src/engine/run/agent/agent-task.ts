/** Any agent made durable: what it says and does is recorded as it comes, and it continues from there when it is resumed. */
import { hash } from 'node:crypto';
import { EngineError, InvalidInputError, type VibeError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { Agent, AgentEvent, AgentStart } from '../../api/agent-events.ts';
import type { Danger, TaskContext } from '../../api/context.ts';
import { type DefinitionOptions, defineTask, type TaskDefinition } from '../../api/definition.ts';
import { throughSafePoint } from '../run-context.ts';
import { runContextOf } from '../task-context.ts';
import { type AgentRecord, recordAgent } from './record.ts';
import { type AgentWaits, agentWaits } from './waits.ts';

export interface AgentTaskOptions extends DefinitionOptions {
  /** What kind of danger a tool is; default: every tool has external effects. */
  readonly danger?: (tool: string, input: unknown) => Danger;
}

/** A task that runs the agent: for `engine.start`, and for `tasks` of an engine that is to resume it. */
export function agentTask<Query, Output>(
  name: string,
  agent: Agent<Query, Output>,
  options: AgentTaskOptions = {},
): TaskDefinition<Query, Output | undefined> {
  const { version = `agent:${hash('sha256', typeof agent === 'function' ? agent.toString() : name)}` } =
    options;
  const run = async (task: TaskContext, query: Query): Promise<Output | undefined> => {
    const record = recordAgent(runContextOf(task), options.danger ?? (() => 'external_api'));
    const waits = agentWaits(runContextOf(task));
    const start = await startOf(task, record, waits);
    const events = typeof agent === 'function' ? await agent(query, start) : agent;
    if (typeof events?.[Symbol.asyncIterator] !== 'function') throw noEvents(name);
    return consume(task, events[Symbol.asyncIterator](), record, waits);
  };
  return { ...defineTask(name, run, { ...options, version }), continues: true };
}

async function startOf(
  task: TaskContext,
  record: AgentRecord,
  { open: waiting }: AgentWaits,
): Promise<AgentStart> {
  const { unfinished } = await record.settleUnfinished();
  const context = await task.context();
  const said = context.messages.length + context.tool_outputs.length + context.decisions.length;
  const resumed = said > 0 || waiting !== null;
  return { task_id: task.id, resumed, context, unfinished, waiting, signal: task.signal };
}

/** The agent is in progress from the request for an event until that event is recorded: a pause waits for it. */
async function consume<Output>(
  task: TaskContext,
  iterator: AsyncIterator<AgentEvent<Output>>,
  record: AgentRecord,
  waits: AgentWaits,
): Promise<Output | undefined> {
  const active = runContextOf(task);
  const next = (answer?: unknown): Promise<IteratorResult<AgentEvent<Output>>> => iterator.next(answer);
  let ask = next;
  for (;;) {
    if (task.signal.aborted) await iterator.return?.();
    const event = await throughSafePoint(active, async () => {
      const { done, value } = await ask();
      if (done) return { type: 'done' as const, output: undefined };
      if (value.type === 'done' || value.type === 'wait') return value;
      await waits.withdraw();
      const refused = await record.take(value);
      // The error is thrown where the agent asked, so that it can continue without.
      ask = refused ? () => throwInto(iterator, refused) : next;
      return null;
    });
    if (event?.type === 'wait') {
      ask = await answered(task, iterator, waits.ask(event));
    } else if (event) {
      await throughSafePoint(active, async () => {}); // An agent that ends because of a stop request has not finished.
      await iterator.return?.();
      return event.output;
    }
  }
}

/** A pause need not wait for the answer: the agent is between two events. Returns how to continue with the result. */
async function answered<T>(
  { signal }: TaskContext,
  iterator: AsyncIterator<T>,
  answer: Promise<unknown>,
): Promise<() => Promise<IteratorResult<T>>> {
  // An agent may throw where it is ended: it is the pause that counts.
  const close = (): void => void iterator.return?.().catch(() => {});
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const value = await answer;
    return () => iterator.next(value);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'WAIT_TIMEOUT') throw error;
    return () => throwInto(iterator, error);
  } finally {
    signal.removeEventListener('abort', close);
  }
}

function noEvents(name: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`Agent ${name} yields no events: it has no async iterator.`, {
    data: { name },
    hint: phrase`Write it as async function* (query, start) { … }.`,
  });
}

function throwInto<T>(iterator: AsyncIterator<T>, error: VibeError): Promise<IteratorResult<T>> {
  if (!iterator.throw) throw error;
  return iterator.throw(error);
}
