/** Going over old ground: what comes with a step or an agent that is only told. */
import { nowIso, type RunContext, withinStep } from './run-context.ts';

/**
 * The step or agent is told: what it had set is set now. Inside a step that runs again it is recorded again, since it comes
 * after what that one has set anew.
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
