/**
 * The hooks that Claude Code has made usual. Values may come as text: objects as JSON text, what is missing as the empty
 * text.
 */
import type { Danger } from '../engine/api/context.ts';
import type { ClientEvents, HookEvent, Payload, Verdict, Where } from './client.ts';
import { asText, dataOf, listOf, textOf } from './payload.ts';

/** What differs from client to client. */
interface HookDialect {
  /** The member that has the client's id of a prompt. */
  readonly prompt_id: string;
  /** The id and kind of the sub-agent; undefined for the agent itself. */
  agentOf(payload: Payload): string | undefined;
  /** Told to the model as if a person had said it. */
  isNotice(prompt: string): boolean;
  toolOf(tool: string, input: unknown, cwd: string): ToolKind;
}

export interface ToolKind {
  /** Null for one that only reads. */
  readonly danger: Danger | null;
  /** Absolute paths; left out if it may change any file. */
  readonly writes?: readonly string[];
}

export function hookEvents(dialect: HookDialect): ClientEvents {
  return {
    read(payload) {
      const where = whereOf(payload, dialect);
      const event = where && eventOf(where, payload, dialect);
      return event ? [event] : [];
    },
    answer: hookAnswer,
  };
}

function eventOf(where: Where, payload: Payload, dialect: HookDialect): HookEvent | null {
  const id = textOf(payload, 'tool_use_id');
  switch (hookEvent(payload)) {
    case 'SessionStart':
      return { ...where, kind: 'start' };
    case 'UserPromptSubmit':
      return promptOf(where, payload, dialect);
    case 'PreToolUse': {
      const tool = textOf(payload, 'tool_name');
      if (id === undefined || tool === undefined) return null;
      const input = dataOf(payload, 'tool_input');
      return { ...where, kind: 'call', id, tool, input, ...dialect.toolOf(tool, input, where.cwd) };
    }
    case 'PostToolUse':
      if (id === undefined) return null;
      return resultOf(where, id, payload, 'tool_response');
    case 'PostToolUseFailure':
      if (id === undefined) return null;
      return resultOf(where, id, payload, 'error');
    case 'PostToolBatch':
      return { ...where, kind: 'calls_over', calls: listOf(dataOf(payload, 'tool_calls')).map(overOf) };
    case 'SubagentStop': {
      const output = payload.last_assistant_message ?? null;
      return { ...where, kind: 'agent_end', output, is_error: false };
    }
    case 'Stop':
    case 'StopFailure':
    case 'Interrupt':
      return stopOf(where, payload);
    case 'SessionEnd':
      return { ...where, kind: 'end' };
    default:
      return null;
  }
}

function resultOf(where: Where, id: string, payload: Payload, member: 'tool_response' | 'error'): HookEvent {
  const tool = textOf(payload, 'tool_name');
  const of = tool === undefined ? {} : { tool, input: dataOf(payload, 'tool_input') };
  return {
    ...where,
    kind: 'result',
    id,
    output: dataOf(payload, member),
    is_error: member === 'error',
    ...(asText(payload.is_interrupt ?? '') === 'true' ? { interrupted: true } : {}),
    ...of,
  };
}

function hookEvent(payload: Payload): string | undefined {
  return textOf(payload, 'hook_event_name') ?? textOf(payload, 'event');
}

const DECISIONS = ['deny', 'defer', 'ask', 'allow'] as const;

/** What hooks of this kind answer. */
function hookAnswer(payload: Payload, { context, notice, ...verdict }: Verdict): unknown {
  const hookEventName = hookEvent(payload);
  const told = notice === undefined ? {} : { systemMessage: notice };
  const permissionDecision = DECISIONS.find((one) => verdict[one] !== undefined);
  if (permissionDecision !== undefined) {
    const decision = { permissionDecision, permissionDecisionReason: verdict[permissionDecision] };
    return { ...told, hookSpecificOutput: { hookEventName, ...decision } };
  }
  if (context === undefined) return told;
  return { ...told, hookSpecificOutput: { hookEventName, additionalContext: context } };
}

function whereOf(payload: Payload, { agentOf }: HookDialect): Where | null {
  const [session, cwd] = [textOf(payload, 'session_id'), textOf(payload, 'cwd')];
  if (session === undefined || cwd === undefined) return null;
  const [transcript, agent] = [textOf(payload, 'transcript_path'), agentOf(payload)];
  return {
    session,
    cwd,
    ...(transcript === undefined ? {} : { transcript }),
    ...(agent === undefined ? {} : { agent }),
  };
}

function promptOf(where: Where, payload: Payload, { isNotice, prompt_id }: HookDialect): HookEvent {
  const content = asText(payload.prompt ?? '');
  if (where.agent !== undefined || isNotice(content)) return { ...where, kind: 'notice', content };
  const ref = textOf(payload, prompt_id);
  return { ...where, kind: 'prompt', content, ...(ref === undefined ? {} : { ref }) };
}

function overOf(call: Readonly<Record<string, unknown>>): { id: string; reason: string } {
  return { id: asText(call.tool_use_id ?? ''), reason: asText(call.tool_response ?? '') };
}

function stopOf(where: Where, payload: Payload): HookEvent {
  const message = textOf(payload, 'last_assistant_message');
  const busy = listOf(dataOf(payload, 'background_tasks')).some(({ status }) => status === 'running');
  return { ...where, kind: 'stop', busy, ...(message === undefined ? {} : { message }) };
}
