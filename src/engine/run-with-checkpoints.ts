/** Runs an agent to its end in one call; the same call resumes it where it was. */
import { loadState } from '../persistence/state-records.ts';
import type { Agent } from './api/agent-events.ts';
import type { TaskDefinition } from './api/definition.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';
import type { TaskHandle } from './lifecycle/handle.ts';
import { type AgentTaskOptions, agentTask } from './run/agent/agent-task.ts';
import type { TaskOptions } from './task/tasks.ts';

export interface AgentRunOptions extends AgentTaskOptions, TaskOptions {
  /** Runs it here; without one, an engine is opened for this run and closed after it. */
  readonly engine?: Engine;
  /** For the engine that is opened. */
  readonly engine_options?: EngineOptions;
  /** The agent's name in the store. */
  readonly name?: string;
}

export interface AgentResult<Output> {
  readonly task_id: string;
  readonly output: Output | undefined;
}

/**
 * Runs an agent to its end. With the `task_id` of an unfinished run it resumes that one; with that of a finished run it
 * returns its output. So repeating the same call does the right thing.
 */
export async function runWithCheckpoints<Query, Output>(
  agent: Agent<Query, Output>,
  query: Query,
  options: AgentRunOptions = {},
): Promise<AgentResult<Output>> {
  const engine = options.engine ?? (await openEngine(options.engine_options));
  try {
    const definition = agentTask(options.name ?? 'agent', agent, options);
    const { task_id } = options;
    const state = task_id === undefined ? null : await loadState(engine.storage, task_id);
    if (task_id === undefined || !state)
      return await resultOf(await engine.start(definition, query, options));
    if (state.status === 'completed') return { task_id, output: await engine.output(task_id) };
    engine.register(definition as TaskDefinition<never, unknown>);
    return await resultOf((await engine.resume(task_id)) as TaskHandle<Output | undefined>);
  } finally {
    if (!options.engine) await engine.close();
  }
}

async function resultOf<Output>(handle: TaskHandle<Output | undefined>): Promise<AgentResult<Output>> {
  return { task_id: handle.id, output: await handle.result };
}
