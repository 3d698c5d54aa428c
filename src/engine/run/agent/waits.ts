/** Questions of an agent to the outside. A question of an earlier run is recognised when it is asked again. */
import type { AgentEvent, OpenWait } from '../../api/agent-events.ts';
import type { EntryOf } from '../../task/entries.ts';
import { withdrawWait } from '../operations.ts';
import type { RunContext } from '../run-context.ts';
import { waitIdentified } from '../waits.ts';

export interface AgentWaits {
  /** The question whose answer the earlier run had not received, or not used. */
  readonly open: OpenWait | null;
  /** The answer; WAIT_TIMEOUT when none came in time. */
  ask(event: Extract<AgentEvent, { type: 'wait' }>): Promise<unknown>;
  /** The agent continued without asking again: no answer is needed any more. */
  withdraw(): Promise<void>;
}

const SCOPE = '/wait';

export function agentWaits(active: RunContext): AgentWaits {
  const { memory } = active;
  let asked: EntryOf<'wait'> | null = memory.waits.get(memory.asked ?? '') ?? null;
  const open = asked && openWait(asked, memory.answers.has(asked.id));

  const withdraw = async (): Promise<void> => {
    const left = asked;
    asked = null;
    if (left && !memory.answers.has(left.id)) await withdrawWait(active, left.id);
  };

  return {
    open,
    withdraw,
    async ask({ kind, prompt, timeout_ms }) {
      const same = asked?.kind === kind && asked.prompt === (prompt ?? null) ? asked : null;
      if (same) asked = null;
      else await withdraw();
      const id = same?.id ?? `${SCOPE}#${active.occurrence(SCOPE)}`;
      return waitIdentified(active, id, kind, {
        prompt: prompt ?? null,
        ...(timeout_ms === undefined ? {} : { timeout_ms }),
      });
    },
  };
}

function openWait({ kind, prompt, timeout_at }: EntryOf<'wait'>, answered: boolean): OpenWait {
  return { kind, ...(prompt === null ? {} : { prompt }), timeout_at, answered };
}
