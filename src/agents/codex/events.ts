/** Codex's hooks, and what its tools do. */
import { resolve } from 'node:path';
import type { ClientEvents } from '../client.ts';
import { hookEvents, type ToolKind } from '../hook-events.ts';
import { recordOf, textOf } from '../payload.ts';

export const codexEvents = (): ClientEvents =>
  hookEvents({
    prompt_id: 'turn_id',
    agentOf(payload) {
      // Not every event of a sub-agent names it; the call of our tool does, as its thread.
      const id = textOf(payload, 'agent_id') ?? textOf(payload, 'thread_id');
      return id === undefined || id === textOf(payload, 'session_id') ? undefined : `agent-${id}`;
    },
    isNotice: () => false,
    toolOf,
  });

/** Agents, plans and searches: what they may change is told by calls of their own, if at all. */
const READING =
  /^(?:update_plan|view_image|web_search|tool_search|read_file|list_dir|grep_files|list_mcp_.*|read_mcp_resource|request_user_input|(?:multi_agent_v\d+)?(?:spawn_agent|wait_agent|wait|send_input|close_agent|resume_agent)|mcp__vibe__.*)$/;

function toolOf(tool: string, input: unknown, cwd: string): ToolKind {
  if (READING.test(tool)) return { danger: null };
  if (tool === 'apply_patch')
    return { danger: 'file_change', ...writesOf(recordOf(input).command ?? recordOf(input).input, cwd) };
  return { danger: tool === 'Bash' ? 'shell_command' : 'external_api' };
}

const FILES = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The files that a patch names. */
function writesOf(patch: unknown, cwd: string): { writes?: string[] } {
  if (typeof patch !== 'string') return {};
  const writes = [...patch.matchAll(FILES)].map(([, path]) => resolve(cwd, path!.trim()));
  return writes.length > 0 ? { writes } : {};
}
