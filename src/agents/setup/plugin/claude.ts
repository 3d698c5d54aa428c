/** The plugin as Claude Code reads it. Its hooks are calls of the host's tool `hook`, so that no process is started for them. */
import { VERSION } from '../../../system/version.ts';
import { type Files, jsonText } from './files.ts';
import { type Program, serverEntry } from './host.ts';
import { commandHook } from './script.ts';
import { claudeCommands } from './slash.ts';

const BASE = [
  'session_id',
  'transcript_path',
  'cwd',
  'prompt_id',
  'agent_id',
  'agent_type',
  'permission_mode',
];
const CALL = ['tool_name', 'tool_use_id', 'tool_input'];

/**
 * What each event has beside the base. A hook at SessionStart would need a process, and the session is known from its first
 * prompt; its end is the end of the host.
 */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  UserPromptSubmit: ['prompt'],
  PreToolUse: CALL,
  PostToolUse: [...CALL, 'tool_response', 'duration_ms'],
  PostToolUseFailure: [...CALL, 'error', 'is_interrupt'],
  PostToolBatch: ['tool_calls'],
  SubagentStart: [],
  SubagentStop: ['agent_transcript_path', 'last_assistant_message'],
  Stop: ['last_assistant_message', 'background_tasks'],
  StopFailure: ['error', 'last_assistant_message'],
};

/** In seconds. The first prompt waits for a snapshot of every file. */
const LIMIT = 30;

export interface PluginOptions {
  readonly program: Program;
  /** The script that reaches the host, where a call is to be refused without one. */
  readonly strict: string | null;
}

export function claudePlugin({ program, strict }: PluginOptions): Files {
  const server = serverEntry(program, 'claude', strict !== null);
  return {
    '.claude-plugin/plugin.json': jsonText(manifest()),
    '.mcp.json': jsonText({ mcpServers: { vibe: server } }),
    'hooks/hooks.json': jsonText({ hooks: claudeHooks(strict) }),
    ...claudeCommands(program),
  };
}

export const ABOUT = 'Records what an agent does, and takes it back';
export const AUTHOR = { name: 'Vibe Engine' } as const;

export function manifest(): Readonly<Record<string, unknown>> {
  return { name: 'vibe', version: VERSION, description: ABOUT, author: AUTHOR, license: 'MIT' };
}

function claudeHooks(strict: string | null): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([event, more]) => [
      event,
      [{ hooks: [event === 'PreToolUse' && strict !== null ? strictHook(strict) : toolHook(more)] }],
    ]),
  );
}

function toolHook(more: readonly string[]): Readonly<Record<string, unknown>> {
  const fields = ['hook_event_name', ...BASE, ...more];
  const input = Object.fromEntries(fields.map((field) => [field, `\${${field}}`]));
  return { type: 'mcp_tool', server: 'plugin:vibe:vibe', tool: 'hook', input, timeout: LIMIT };
}

/** Calls of a tool cannot be made to refuse when they fail; a program can. */
function strictHook(script: string): Readonly<Record<string, unknown>> {
  return {
    type: 'command',
    command: commandHook(script, 'claude', ['--strict']),
    timeout: LIMIT,
    onFailure: 'block',
  };
}
