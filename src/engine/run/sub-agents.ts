/** Sub-agents: a piece of work under its own name, recorded as a whole when it is done. */

import { phrase } from '../../phrase.ts';
import { checkFunction, checkName } from '../api/checks.ts';
import type { AgentOptions, TaskContext } from '../api/context.ts';
import { recall } from '../task/memory.ts';
import { type StoredError, storedError } from '../task/stored-error.ts';
import { writeAgentEnd } from './operations.ts';
import { replayVariables } from './replay.ts';
import { millisecondsSince, nowIso, type RunContext, scopeOf, throughSafePoint } from './run-context.ts';
import { revived } from './steps.ts';

export async function runAgent<T>(
  active: RunContext,
  parent: string,
  name: string,
  options: AgentOptions,
  fn: (task: TaskContext) => Promise<T> | T,
  contextFor: (path: string) => TaskContext,
): Promise<T> {
  checkName(phrase`A sub-agent`, name);
  checkFunction(phrase`Sub-agent ${name}`, fn);
  const scope = scopeOf(parent, name).replace(/@(?=\d+$)/, '%40'); // `@2` is the second of that name.
  const occurrence = active.occurrence(`${scope}@agent`);
  const path = occurrence === 1 ? scope : `${scope}@${occurrence}`;
  return runNamed(active, path, name, options, () => fn(contextFor(path)));
}

async function runNamed<T>(
  active: RunContext,
  id: string,
  name: string,
  options: AgentOptions,
  run: () => Promise<T> | T,
): Promise<T> {
  const known = recall(active.memory.agents, id);
  if (known) await replayVariables(active, id, id);
  if (known?.status === 'success') return (await active.unpack(known.result)) as T;
  if (known) throw revived(known.error!);
  const release = await active.reserve(id, options);
  const began = performance.now();
  const at = nowIso(active);
  const end = (output: unknown, error: { error?: StoredError } = {}): Promise<void> =>
    throughSafePoint(active, () =>
      writeAgentEnd(active, { id, name, at, ms: millisecondsSince(began), ...error }, output),
    );
  try {
    const result = await run();
    await end(result);
    return result;
  } catch (error) {
    if (active.safePoint.closed) throw error; // The task is being stopped: the agent did not fail, it was interrupted.
    await end(null, { error: active.redact(storedError(error)) });
    throw error;
  } finally {
    await release();
  }
}
