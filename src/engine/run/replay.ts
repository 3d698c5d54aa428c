/** Replay: what comes with a step or an agent whose recorded result is returned. */
import { nowIso, type RunContext, withinStep } from './run-context.ts';

/**
 * The step or agent is replayed: the variables it had set are set now. Inside a step that runs again they are recorded
 * again, because they come after what that step has set again.
 */
export async function replayVariables(core: RunContext, id: string, agent: string): Promise<void> {
  const sets = core.memory.setInside.get(id) ?? [];
  core.memory.setInside.delete(id);
  for (const [name, value] of sets) {
    core.variables.set(name, value);
    const within = withinStep();
    if (within.in) await core.writer.write({ t: 'set', at: nowIso(core), agent, name, value, ...within });
  }
}
