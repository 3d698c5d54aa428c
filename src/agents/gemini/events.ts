/** Gemini CLI's hooks. Calls have no ids: a result belongs to the newest open call with the same tool and input. */
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { newId } from '../../system/ids.ts';
import type { ClientEvents, HookEvent, Payload, Verdict, Where } from '../client.ts';
import type { ToolKind } from '../hook-events.ts';
import { asText, dataOf, recordOf, textOf } from '../payload.ts';

interface OpenCall {
  readonly id: string;
  readonly same: string;
  /** It is a sub-agent at work. */
  readonly agent?: string;
}

export function geminiEvents(): ClientEvents {
  let open: readonly OpenCall[] = [];
  /** By what told of them, until that is answered. */
  const begun = new WeakMap<Payload, string>();

  const begin = (where: Where, tool: string, payload: Payload): HookEvent[] => {
    const [id, input] = [newId('g'), dataOf(payload, 'tool_input')];
    begun.set(payload, id);
    const name = tool === 'invoke_agent' ? asText(recordOf(input).agent_name ?? 'agent') : undefined;
    const call = { ...where, ...byAgent(), kind: 'call' as const, id, tool, input };
    open = [
      ...open,
      { id, same: sameCall(tool, input), ...(name === undefined ? {} : { agent: `${name}-${id}` }) },
    ];
    return [{ ...call, ...toolOf(tool, input, where.cwd) }];
  };

  const end = (where: Where, tool: string, payload: Payload): HookEvent[] => {
    const input = dataOf(payload, 'tool_input');
    const same = sameCall(tool, input);
    // One before it that the client's own person or rule refused has no result.
    const call = open.findLast((one) => one.same === same);
    open = open.filter((one) => one !== call);
    const response = recordOf(dataOf(payload, 'tool_response'));
    const output = response.llmContent ?? response.returnDisplay ?? null;
    const is_error = response.error != null || FAILED.test(asText(output));
    if (!call)
      return [{ ...where, kind: 'result', id: newId('g'), output, is_error, tool, input, unnamed: true }];
    const ended: HookEvent[] = call.agent
      ? [{ ...where, kind: 'agent_end', agent: call.agent, output, is_error }]
      : [];
    return [...ended, { ...where, kind: 'result', id: call.id, output, is_error }];
  };

  /** A sub-agent's calls come while its own is open; the agent waits for it meanwhile. */
  const byAgent = (): { agent?: string } => {
    const agents = open.flatMap(({ agent }) => agent ?? []);
    return agents.length === 1 ? { agent: agents[0]! } : {};
  };

  return {
    read(payload) {
      const where = whereOf(payload);
      if (!where) return [];
      const tool = textOf(payload, 'tool_name') ?? '';
      switch (textOf(payload, 'hook_event_name')) {
        case 'SessionStart':
          return [{ ...where, kind: 'start' }];
        case 'BeforeAgent': {
          open = [];
          // It has no id; its time tells it from the same words said again.
          const ref = textOf(payload, 'timestamp');
          const content = asText(payload.prompt ?? '');
          return [{ ...where, kind: 'prompt', content, ...(ref === undefined ? {} : { ref }) }];
        }
        case 'BeforeTool':
          return begin(where, tool, payload);
        case 'AfterTool':
          return end(where, tool, payload);
        case 'AfterAgent': {
          const message = textOf(payload, 'prompt_response');
          const said = message === undefined ? {} : { message, whole: true as const };
          return [{ ...where, kind: 'stop', busy: false, ...said }];
        }
        case 'SessionEnd':
          return [{ ...where, kind: 'end' }];
        default:
          return [];
      }
    },

    answer(payload, { deny, context, notice }: Verdict) {
      const told = notice === undefined ? {} : { systemMessage: notice };
      if (deny !== undefined) {
        open = open.filter(({ id }) => id !== begun.get(payload)); // It will have no result.
        return { ...told, decision: 'deny', reason: deny };
      }
      if (context === undefined) return told;
      const hookEventName = textOf(payload, 'hook_event_name');
      return { ...told, hookSpecificOutput: { hookEventName, additionalContext: context } };
    },
  };
}

/** The exit code of a command is in its text alone. */
const FAILED = /^(?:Exit Code|Error): (?!0\b)/m;

function sameCall(tool: string, input: unknown): string {
  return hash('sha256', JSON.stringify([tool, input]));
}

function whereOf(payload: Payload): Where | null {
  const [session, cwd] = [textOf(payload, 'session_id'), textOf(payload, 'cwd')];
  if (session === undefined || cwd === undefined) return null;
  const transcript = textOf(payload, 'transcript_path');
  return { session, cwd, ...(transcript === undefined ? {} : { transcript }) };
}

const WRITING: ReadonlySet<string> = new Set(['write_file', 'replace']);

/** What they may change is told by calls of their own, if at all. */
const READING =
  /^(?:read_file|read_many_files|list_directory|glob|grep_search|search_file_content|web_fetch|google_web_search|write_todos|invoke_agent|complete_task|ask_user|activate_skill|get_internal_docs|enter_plan_mode|exit_plan_mode|tracker_.*|mcp_vibe_.*)$/;

function toolOf(tool: string, input: unknown, cwd: string): ToolKind {
  if (READING.test(tool)) return { danger: null };
  const path = recordOf(input).file_path;
  if (WRITING.has(tool))
    return { danger: 'file_change', ...(typeof path === 'string' ? { writes: [resolve(cwd, path)] } : {}) };
  return { danger: tool === 'run_shell_command' ? 'shell_command' : 'external_api' };
}
