/** Claude Code's hooks. Values come as text, objects as JSON text, what is missing as the empty text. */
import { isAbsolute, resolve } from 'node:path';
import type { Danger } from '../../engine/api/context.ts';
import type { ClientEvents, Payload, Told, Verdict, Where } from '../client.ts';
import { asText, dataOf, listOf, recordOf, textOf } from '../payload.ts';

export const claudeEvents: ClientEvents = {
  read(payload) {
    const where = whereOf(payload);
    if (!where) return null;
    switch (eventOf(payload)) {
      case 'SessionStart':
        return { ...where, kind: 'start' };
      case 'UserPromptSubmit':
        return promptOf(where, payload);
      case 'PreToolUse':
        return callOf(where, payload);
      case 'PostToolUse':
        return endOf(where, payload, dataOf(payload, 'tool_response'), false);
      case 'PostToolUseFailure':
        return endOf(where, payload, dataOf(payload, 'error'), true);
      case 'PostToolBatch':
        return { ...where, kind: 'calls_over', calls: listOf(dataOf(payload, 'tool_calls')).map(overOf) };
      case 'SubagentStop':
        return {
          ...where,
          kind: 'agent_end',
          output: payload.last_assistant_message ?? null,
          is_error: false,
        };
      case 'Stop':
      case 'StopFailure':
        return stopOf(where, payload);
      case 'SessionEnd':
        return { ...where, kind: 'end' };
      default:
        return null;
    }
  },

  answer(payload, { deny, context, notice }: Verdict) {
    const hookEventName = eventOf(payload);
    const told = notice === undefined ? {} : { systemMessage: notice };
    if (deny !== undefined) {
      const decision = { permissionDecision: 'deny', permissionDecisionReason: deny };
      return { ...told, hookSpecificOutput: { hookEventName, ...decision } };
    }
    if (context === undefined) return told;
    return { ...told, hookSpecificOutput: { hookEventName, additionalContext: context } };
  },
};

function eventOf(payload: Payload): string | undefined {
  return textOf(payload, 'hook_event_name') ?? textOf(payload, 'event');
}

function whereOf(payload: Payload): Where | null {
  const [session, cwd] = [textOf(payload, 'session_id'), textOf(payload, 'cwd')];
  if (session === undefined || cwd === undefined) return null;
  const [transcript, id] = [textOf(payload, 'transcript_path'), textOf(payload, 'agent_id')];
  const agent = id === undefined ? undefined : `${textOf(payload, 'agent_type') ?? 'agent'}-${id}`;
  return {
    session,
    cwd,
    ...(transcript === undefined ? {} : { transcript }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** What ends in the background is told to the model as if a person had said it. */
const NOTICE = /^\s*<task-notification>/;

function promptOf(where: Where, payload: Payload): Told {
  const content = asText(payload.prompt ?? '');
  if (NOTICE.test(content)) return { ...where, kind: 'notice', content };
  const ref = textOf(payload, 'prompt_id');
  return { ...where, kind: 'prompt', content, ...(ref === undefined ? {} : { ref }) };
}

function callOf(where: Where, payload: Payload): Told | null {
  const [id, tool] = [textOf(payload, 'tool_use_id'), textOf(payload, 'tool_name')];
  if (id === undefined || tool === undefined) return null;
  const input = dataOf(payload, 'tool_input');
  const path = FILE_IN[tool] && recordOf(input)[FILE_IN[tool]];
  const writes =
    typeof path === 'string' ? { writes: [isAbsolute(path) ? path : resolve(where.cwd, path)] } : {};
  return { ...where, kind: 'call', id, tool, input, danger: dangerOf(tool), ...writes };
}

function endOf(where: Where, payload: Payload, output: unknown, is_error: boolean): Told | null {
  const id = textOf(payload, 'tool_use_id');
  return id === undefined ? null : { ...where, kind: 'result', id, output, is_error };
}

function overOf(call: Readonly<Record<string, unknown>>): { id: string; reason: string } {
  return { id: asText(call.tool_use_id ?? ''), reason: asText(call.tool_response ?? '') };
}

function stopOf(where: Where, payload: Payload): Told {
  const message = textOf(payload, 'last_assistant_message');
  const busy = listOf(dataOf(payload, 'background_tasks')).some(({ status }) => status === 'running');
  return { ...where, kind: 'stop', busy, ...(message === undefined ? {} : { message }) };
}

/** The member of a tool's input that names the one file it changes. */
const FILE_IN: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

/** What they may change is told by calls of their own, if at all. */
const READING =
  /^(?:Read|Glob|Grep|LS|NotebookRead|TodoWrite|Task|TaskCreate|TaskGet|TaskList|TaskUpdate|TaskOutput|TaskStop|Agent|SendMessage|BashOutput|KillShell|ToolSearch|Skill|AskUserQuestion|EnterPlanMode|ExitPlanMode|WebSearch|WebFetch|ListMcpResourcesTool|ReadMcpResourceTool|mcp__plugin_vibe_vibe__.*)$/;

function dangerOf(tool: string): Danger | null {
  if (READING.test(tool)) return null;
  if (tool in FILE_IN) return 'file_change';
  return SHELLS.has(tool) ? 'shell_command' : 'external_api';
}
