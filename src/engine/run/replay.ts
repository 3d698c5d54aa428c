/** Replay: what comes with a step or an agent whose recorded result is returned. */
import { nowIso, type RunContext, withinStep } from './run-context.ts';

/**
 * The step or agent is replayed: the variables it had set are set now. Inside a step that runs again they are recorded
 * again, because they come after what that step has set again.
 */
export async function replayVariables(active: RunContext, id: string, agent: string): Promise<void> {
  const sets = active.memory.setInside.get(id) ?? [];
  active.memory.setInside.delete(id);
  for (const [name, value] of sets) {
    active.variables.set(name, value);
    const within = withinStep();
    if (within.in) await active.writer.write({ t: 'set', at: nowIso(active), agent, name, value, ...within });
  }
}
