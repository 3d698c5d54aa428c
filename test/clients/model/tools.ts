/** A neutral call as the tool by which each client does it. */
import { join } from 'node:path';
import type { ClientName } from '../install.ts';
import type { Call, Request, ToolCall, Turn } from './script.ts';

type Tool = Omit<ToolCall, 'id'>;
type Mapping = (call: Call, project: string, request: Request) => Tool;

export const TOOLS: Readonly<Record<ClientName, Mapping>> = {
  claude(call, project) {
    switch (call.kind) {
      case 'write':
        return { name: 'Write', input: { file_path: join(project, call.path), content: call.text } };
      case 'edit':
        return {
          name: 'Edit',
          input: { file_path: join(project, call.path), old_string: call.from, new_string: call.to },
        };
      case 'read':
        return { name: 'Read', input: { file_path: join(project, call.path) } };
      case 'shell':
        return { name: 'Bash', input: { command: call.command, description: 'A command of the script' } };
      case 'agent':
        return {
          name: 'Agent',
          input: {
            description: 'A part of the work',
            prompt: call.prompt,
            subagent_type: 'general-purpose',
            run_in_background: call.background === true,
          },
        };
      case 'wait':
        return never(call);
      case 'mcp':
        return { name: `mcp__${call.server}__${call.tool}`, input: call.input };
    }
  },
  codex(call, _, request) {
    switch (call.kind) {
      case 'write':
        return patch(`*** Add File: ${call.path}\n${marked('+', call.text)}`);
      case 'edit':
        return patch(`*** Update File: ${call.path}\n@@\n${marked('-', call.from)}${marked('+', call.to)}`);
      case 'read':
        return { name: 'exec_command', input: { cmd: `cat '${call.path}'` } };
      case 'shell':
        return { name: 'exec_command', input: { cmd: call.command } };
      case 'agent':
        return { name: 'multi_agent_v1/spawn_agent', input: { message: call.prompt } };
      case 'wait':
        return { name: 'multi_agent_v1/wait_agent', input: { targets: spawned(request) } };
      case 'mcp':
        return { name: `mcp__${call.server}/${call.tool}`, input: call.input };
    }
  },
  gemini(call, project) {
    switch (call.kind) {
      case 'write':
        return { name: 'write_file', input: { file_path: join(project, call.path), content: call.text } };
      case 'edit':
        return {
          name: 'replace',
          input: {
            file_path: join(project, call.path),
            instruction: 'An edit of the script',
            old_string: call.from,
            new_string: call.to,
          },
        };
      case 'read':
        return { name: 'read_file', input: { file_path: join(project, call.path) } };
      case 'shell':
        return { name: 'run_shell_command', input: { command: call.command } };
      case 'agent':
        return { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: call.prompt } };
      case 'wait':
        return never(call);
      case 'mcp':
        return { name: `mcp_${call.server}_${call.tool}`, input: call.input };
    }
  },
  opencode(call, project) {
    switch (call.kind) {
      case 'write':
        return { name: 'write', input: { filePath: join(project, call.path), content: call.text } };
      case 'edit':
        return {
          name: 'edit',
          input: { filePath: join(project, call.path), oldString: call.from, newString: call.to },
        };
      case 'read':
        return { name: 'read', input: { filePath: join(project, call.path) } };
      case 'shell':
        return { name: 'bash', input: { command: call.command, description: 'A command of the script' } };
      case 'agent':
        return {
          name: 'task',
          input: { description: 'A part of the work', prompt: call.prompt, subagent_type: 'general' },
        };
      case 'wait':
        return never(call);
      case 'mcp':
        return { name: `${call.server}_${call.tool}`, input: call.input };
    }
  },
};

/** Codex's own patches: a text, not JSON. */
function patch(change: string): Tool {
  return { name: 'apply_patch', input: {}, text: `*** Begin Patch\n${change}*** End Patch\n` };
}

const marked = (mark: string, text: string): string =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${mark}${line}\n`)
    .join('');

/** The agents that Codex said it has started. */
const spawned = ({ messages }: Request): string[] =>
  messages
    .flatMap(({ results }) => results)
    .map(({ text }) => /"agent_id":\s*"([^"]+)"/.exec(text)?.[1])
    .filter((id) => id !== undefined);

function never({ kind }: Call): never {
  throw new Error(`this client has nothing for "${kind}"`);
}

/** The turns of a script for a client: Codex starts every sub-agent in the background, and has a tool to wait for it. */
export function turnsFor(client: ClientName, turns: readonly Turn[]): readonly Turn[] {
  if (client !== 'codex') return turns;
  const waits = ({ calls = [] }: Turn) => calls.some((call) => call.kind === 'agent' && !call.background);
  return turns.flatMap((turn) => (waits(turn) ? [turn, { calls: [{ kind: 'wait' }] }] : [turn]));
}

/** How an answer without a call is said: a sub-agent of Gemini has to hand it in. */
export function last(client: ClientName, text: string, { tools }: Request): Tool[] {
  if (client !== 'gemini' || !tools.includes('complete_task')) return [];
  return [{ name: 'complete_task', input: { result: { response: text } } }];
}
