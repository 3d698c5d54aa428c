/** The plugin as Codex reads it, in the same directory as Claude's. */
import type { PluginOptions } from './claude.ts';
import { manifest } from './claude.ts';
import { type Files, jsonText } from './files.ts';
import { serverEntry } from './host.ts';
import { commandHook } from './script.ts';
import { codexSkills } from './slash.ts';

const BASE = ['session_id', 'transcript_path', 'cwd', 'model', 'permission_mode', 'hook_event_name'];
const CALL = ['turn_id', 'tool_name', 'tool_use_id', 'tool_input'];
const AGENT = ['turn_id', 'agent_id', 'agent_type'];

/** Exactly what each event has beside the base: a field too many, and the hook does not run. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ['source'],
  UserPromptSubmit: ['turn_id', 'prompt'],
  PreToolUse: CALL,
  PostToolUse: [...CALL, 'tool_response'],
  SubagentStart: AGENT,
  SubagentStop: [...AGENT, 'agent_transcript_path', 'last_assistant_message'],
  Stop: ['turn_id', 'last_assistant_message'],
  Interrupt: ['turn_id'],
};

/** In seconds. */
const LIMIT = 30;
/** Codex waits no longer for those who are told that a person broke off. */
const INTERRUPT_LIMIT = 3;

/** It gives servers a bare environment: the task that it runs in, and where records, plugins and sockets lie, are named here. */
const PASSED_ON = [
  'VIBE_ENGINE_TASK',
  'VIBE_ENGINE_STATE_DIR',
  'CODEX_HOME',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
];

const CODEX_HOOKS = 'hooks/codex.json';

export function codexPlugin({ program, strict }: PluginOptions): Files {
  const server = { ...serverEntry(program, 'codex', strict !== null), env_vars: PASSED_ON };
  const parts = { hooks: `./${CODEX_HOOKS}`, mcpServers: './codex.mcp.json', skills: './codex-skills/' };
  return {
    '.codex-plugin/plugin.json': jsonText({ ...manifest(), ...parts }),
    'codex.mcp.json': jsonText({ mcpServers: { vibe: server } }),
    [CODEX_HOOKS]: jsonText({ hooks: codexHooks(strict) }),
    ...codexSkills(program),
  };
}

function codexHooks(strict: string | null): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([event, more]) => {
      const input = Object.fromEntries([...BASE, ...more].map((field) => [field, `\${${field}}`]));
      const timeout = event === 'Interrupt' ? INTERRUPT_LIMIT : LIMIT;
      const tool = { type: 'mcp_tool', server: 'vibe', tool: 'hook', input, timeout };
      const command = {
        type: 'command',
        command: commandHook(strict ?? '', 'codex', ['--strict']),
        timeout: LIMIT,
      };
      return [event, [{ hooks: [event === 'PreToolUse' && strict !== null ? command : tool] }]];
    }),
  );
}
