/** What our plugin of opencode tells: flat fields, with the session that a sub-agent works for. */
import { resolve } from 'node:path';
import type { ClientEvents, HookEvent, Payload, Where } from '../client.ts';
import type { ToolKind } from '../hook-events.ts';
import { asText, recordOf, textOf } from '../payload.ts';

export const opencodeEvents = (): ClientEvents => ({
  read(payload) {
    const where = whereOf(payload);
    const event = where && eventOf(where, payload);
    return event ? [event] : [];
  },
  /** The plugin throws what is denied, and tells the model the rest. */
  answer: (_, verdict) => verdict,
});

function eventOf(where: Where, payload: Payload): HookEvent | null {
  const id = asText(payload.call_id ?? '');
  switch (payload.event) {
    case 'session.created':
      return { ...where, kind: 'start' };
    case 'chat.message': {
      const content = asText(payload.prompt ?? '');
      if (where.agent !== undefined) return { ...where, kind: 'notice', content };
      const ref = textOf(payload, 'message_id');
      return { ...where, kind: 'prompt', content, ...(ref === undefined ? {} : { ref }) };
    }
    case 'tool.execute.before': {
      const [tool, input] = [asText(payload.tool ?? ''), payload.args ?? null];
      return { ...where, kind: 'call', id, tool, input, ...toolOf(tool, input, where.cwd) };
    }
    case 'tool.execute.after': {
      const { exit } = recordOf(payload.metadata);
      const is_error = typeof exit === 'number' && exit !== 0;
      return { ...where, kind: 'result', id, output: payload.output ?? null, is_error, ...callOf(payload) };
    }
    case 'tool.error': {
      const reason = asText(payload.error ?? '');
      if (REFUSED.test(reason)) return { ...where, kind: 'calls_over', calls: [{ id, reason }] };
      return { ...where, kind: 'result', id, output: reason, is_error: true, ...callOf(payload) };
    }
    case 'session.idle':
      return where.agent === undefined
        ? { ...where, kind: 'stop', busy: false }
        : { ...where, kind: 'agent_end', output: null, is_error: false };
    case 'session.deleted':
      return where.agent === undefined ? { ...where, kind: 'end' } : null;
    default:
      return null;
  }
}

/**
 * A tool that did not run, by the words of opencode's permissions and of our plugin. Every other error is that of a tool that did: it
 * failed, took too long or was broken off, and may have changed files before.
 */
const REFUSED =
  /^(?:The user has specified a rule which prevents|The user rejected permission|The user dismissed|Vibe Engine)/;

/** As the call was told, which a host that was started since has not heard. */
function callOf(payload: Payload): { tool?: string; input?: unknown } {
  const tool = textOf(payload, 'tool');
  return tool === undefined ? {} : { tool, input: payload.args ?? null };
}

function whereOf(payload: Payload): Where | null {
  const [session, cwd] = [textOf(payload, 'session_id'), textOf(payload, 'cwd')];
  if (session === undefined || cwd === undefined) return null;
  const id = textOf(payload, 'agent_id');
  const agent = id === undefined ? {} : { agent: `${textOf(payload, 'agent_type') ?? 'agent'}-${id}` };
  return { session, cwd, ...agent };
}

const WRITING: ReadonlySet<string> = new Set(['write', 'edit', 'multiedit']);
const READING =
  /^(?:read|list|ls|glob|grep|webfetch|websearch|codesearch|todowrite|todoread|task|skill|question|plan_enter|plan_exit|lsp.*|vibe_.*)$/;

function toolOf(tool: string, input: unknown, cwd: string): ToolKind {
  if (READING.test(tool)) return { danger: null };
  const path = recordOf(input).filePath;
  if (WRITING.has(tool))
    return { danger: 'file_change', ...(typeof path === 'string' ? { writes: [resolve(cwd, path)] } : {}) };
  return { danger: tool === 'bash' ? 'shell_command' : 'external_api' };
}
