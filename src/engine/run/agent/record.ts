/** The events of an agent as journal entries. */

import { InvalidInputError, type VibeError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import { shortened } from '../../../system/shortened.ts';
import type { RecordedEvent } from '../../api/agent-events.ts';
import { writeAgentEnd, writeDecision, writeMessage } from '../operations.ts';
import { nowIso, type RunContext } from '../run-context.ts';
import { type AgentCalls, createCalls, type DangerOf, type Patience } from './calls.ts';
import { agentPath } from './paths.ts';

export interface AgentRecord
  extends Pick<AgentCalls, 'settleUnfinished' | 'endUnknown' | 'looked' | 'freeFiles'> {
  /** Records the event; returns why a tool call is refused. */
  take(event: RecordedEvent): Promise<VibeError | null>;
}

type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;

export function recordAgent(active: RunContext, dangerOf: DangerOf, patience?: Patience): AgentRecord {
  const { writer } = active;
  const calls = createCalls(active, dangerOf, patience);

  const message = ({ role, content, agent, ref }: EventOf<'message'>): Promise<void> => {
    const named = ref === undefined ? {} : { ref };
    return writeMessage(active, { agent: agentPath(agent), role, content, ...named }, 'after_step');
  };

  /** The checkpoint comes first, on its own: going back to it takes the prompt back, too. */
  const turn = async ({ content, ref }: EventOf<'turn'>): Promise<void> => {
    const metadata = { prompt: inALine(active.redact(content)), ...(ref === undefined ? {} : { ref }) };
    await writer.write(null, { event: 'before_turn', asked: { metadata, answer: () => {} } });
    await message({ type: 'message', role: 'user', content, ...(ref === undefined ? {} : { ref }) });
  };

  const ended = ({ agent: name, output = null, is_error = false }: EventOf<'agent_end'>): Promise<void> => {
    const error = is_error ? { error: { name: 'AgentFailed', message: inALine(output) } } : {};
    return writeAgentEnd(active, { id: agentPath(name), name, at: nowIso(active), ms: 0, ...error }, output);
  };

  return {
    settleUnfinished: calls.settleUnfinished,
    endUnknown: calls.endUnknown,
    looked: calls.looked,
    freeFiles: calls.freeFiles,
    async take(event) {
      await calls.looked();
      switch (event.type) {
        case 'tool_call':
          return calls.begin(event);
        case 'tool_result':
          await calls.end(event);
          return null;
        case 'tool_dropped':
          await calls.drop(event);
          return null;
        case 'turn':
          await turn(event);
          return null;
        case 'message':
          await message(event);
          return null;
        case 'agent_end':
          await ended(event);
          return null;
        case 'decision':
          await writeDecision(active, event, { agent: agentPath(event.agent) });
          return null;
        default:
          throw noEvent(event);
      }
    },
  };
}

const LONGEST_LINE = 120;

/** For lists. */
function inALine(content: unknown): string {
  const text = (typeof content === 'string' ? content : (JSON.stringify(content) ?? '')).trim();
  const line = text.replace(/\s+/g, ' ');
  return shortened(line, LONGEST_LINE);
}

/** From an untyped agent. */
function noEvent(event: never): InvalidInputError {
  const { type } = event as { type?: unknown };
  return new InvalidInputError(
    'USAGE',
    phrase`An agent yielded something that is not an event: ${String(type)}.`,
    {
      data: { type },
      hint: phrase`It may yield message, turn, tool_call, tool_result, tool_dropped, agent_end, decision, wait and done.`,
    },
  );
}
