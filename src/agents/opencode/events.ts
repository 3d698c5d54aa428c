/** What our plugin of opencode tells: its hooks, as `{ hook, input, output, directory }`. */
import { resolve } from 'node:path';
import type { ClientEvents, Payload, Told, Where } from '../client.ts';
import type { ToolKind } from '../hook-events.ts';
import { asText, listOf, recordOf, textOf } from '../payload.ts';

export function opencodeEvents(): ClientEvents {
  /** Sub-agents are sessions of their own: the session that each belongs to, and what it is called. */
  const parents = new Map<string, { readonly parent: string; readonly name: string }>();

  const whereOf = (session: string, cwd: string): Where => {
    const names: string[] = [];
    let root = session;
    for (let up = parents.get(root); up; up = parents.get(root)) {
      names.unshift(up.name);
      root = up.parent;
    }
    return { session: root, cwd, ...(names.length === 0 ? {} : { agent: names.join('>') }) };
  };

  const ofEvent = (event: Payload, cwd: string): Told[] => {
    const properties = recordOf(event.properties);
    const session = textOf(properties, 'sessionID');
    if (session === undefined) return [];
    const where = whereOf(session, cwd);
    switch (event.type) {
      case 'session.created': {
        const info = recordOf(properties.info);
        const parent = textOf(info, 'parentID');
        if (parent !== undefined)
          parents.set(session, { parent, name: `${textOf(info, 'agent') ?? 'agent'}-${session}` });
        return [];
      }
      case 'session.idle':
        return where.agent === undefined
          ? [{ ...where, kind: 'stop', busy: false }]
          : [{ ...where, kind: 'agent_end', output: null, is_error: false }];
      case 'message.part.updated': {
        // A call that was refused has no end of its own.
        const part = recordOf(properties.part);
        const state = recordOf(part.state);
        if (part.type !== 'tool' || state.status !== 'error') return [];
        const calls = [{ id: asText(part.callID), reason: asText(state.error ?? '') }];
        return [{ ...where, kind: 'calls_over', calls }];
      }
      default:
        return [];
    }
  };

  return {
    read(payload) {
      const cwd = textOf(payload, 'directory') ?? '';
      const [input, output] = [recordOf(payload.input), recordOf(payload.output)];
      if (payload.hook === 'event') return ofEvent(input, cwd);
      const session = textOf(input, 'sessionID');
      if (session === undefined) return [];
      const where = whereOf(session, cwd);
      switch (payload.hook) {
        case 'chat.message': {
          const content = listOf(output.parts)
            .flatMap((part) => (part.type === 'text' ? asText(part.text) : []))
            .join('\n');
          if (where.agent !== undefined) return [{ ...where, kind: 'notice', content }];
          const ref = textOf(recordOf(output.message), 'id');
          return [{ ...where, kind: 'prompt', content, ...(ref === undefined ? {} : { ref }) }];
        }
        case 'tool.execute.before': {
          const [id, tool] = [asText(input.callID), asText(input.tool)];
          return [
            { ...where, kind: 'call', id, tool, input: output.args, ...toolOf(tool, output.args, cwd) },
          ];
        }
        case 'tool.execute.after': {
          const exit = recordOf(output.metadata).exit;
          const said = output.output ?? output.content ?? null;
          const is_error = typeof exit === 'number' && exit !== 0;
          return [{ ...where, kind: 'result', id: asText(input.callID), output: said, is_error }];
        }
        default:
          return [];
      }
    },

    answer: (_, { deny, context, notice }) => ({
      ...(deny === undefined ? {} : { deny }),
      ...(context === undefined ? {} : { context }),
      ...(notice === undefined ? {} : { notice }),
    }),
  };
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
