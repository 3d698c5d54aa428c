/** Claude Code's hooks, and what its tools do. */
import { resolve } from 'node:path';
import type { ClientEvents } from '../client.ts';
import { hookEvents, type ToolKind } from '../hook-events.ts';
import { recordOf, textOf } from '../payload.ts';

export const claudeEvents = (): ClientEvents =>
  hookEvents({
    prompt_id: 'prompt_id',
    agentOf(payload) {
      const id = textOf(payload, 'agent_id');
      return id === undefined ? undefined : `${textOf(payload, 'agent_type') ?? 'agent'}-${id}`;
    },
    isNotice: (prompt) => /^\s*<task-notification>/.test(prompt),
    toolOf,
  });

/** The member of a tool's input that names the one file it changes. */
const FILE_IN: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

/** Which files changed while one ran is told in its result (`bashEditDiff`), others' included and ignored ones not: it is not used. */
const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor']);

/** What they may change is told by calls of their own, if at all. */
const READING =
  /^(?:Read|Glob|Grep|LS|NotebookRead|TodoWrite|Task|TaskCreate|TaskGet|TaskList|TaskUpdate|TaskOutput|TaskStop|Agent|SendMessage|BashOutput|KillShell|ToolSearch|Skill|AskUserQuestion|EnterPlanMode|ExitPlanMode|WebSearch|WebFetch|ListMcpResourcesTool|ReadMcpResourceTool|mcp__plugin_vibe_vibe__.*)$/;

function toolOf(tool: string, input: unknown, cwd: string): ToolKind {
  if (READING.test(tool)) return { danger: null };
  const member = FILE_IN[tool];
  if (member === undefined) return { danger: SHELLS.has(tool) ? 'shell_command' : 'external_api' };
  const path = recordOf(input)[member];
  return { danger: 'file_change', ...(typeof path === 'string' ? { writes: [resolve(cwd, path)] } : {}) };
}
