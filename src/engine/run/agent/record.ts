/** The events of an agent as journal entries. A tool call is written before the tool runs, its result when it comes. */
import { roughSize } from '../../../checkpoint/values/rough-size.ts';
import { EngineError, InvalidInputError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { AgentEvent, UnfinishedCall } from '../../api/agent-events.ts';
import { checkName } from '../../api/checks.ts';
import type { Danger } from '../../api/context.ts';
import { ask, tell } from '../../api/hooks.ts';
import type { EntryOf, ToolCall } from '../../task/entries.ts';
import {
  type Operation,
  spanSince,
  tellStarted,
  writeBegin,
  writeFailure,
  writeStep,
} from '../operations.ts';
import { millisecondsSince, nowIso, type RunContext } from '../run-context.ts';

export interface AgentRecord {
  /** Calls an earlier run left open: from now on the conversation has them with an unknown outcome. */
  settleUnfinished(): Promise<UnfinishedCall[]>;
  /** Records the event; returns the veto if a hook refused the tool call. */
  take(event: Exclude<AgentEvent, { type: 'done' | 'wait' }>): Promise<EngineError | null>;
}

/** A call whose result has not come yet. */
interface OpenCall extends Operation {
  readonly began: number | null;
  readonly danger: Danger;
  readonly tool: ToolCall;
  /** The files before it. */
  readonly snapshot?: string | undefined;
}

const agent = '';

export function recordAgent(
  active: RunContext,
  dangerOf: (tool: string, input: unknown) => Danger,
): AgentRecord {
  const { writer } = active;
  const open = new Map<string, OpenCall>();

  const call = async ({
    id: call,
    name: tool,
    input = null,
  }: EventOf<'tool_call'>): Promise<EngineError | null> => {
    checkName(phrase`The call of a tool`, call);
    const scope = `/tool:${tool}@${call}`;
    const id = `${scope}#${active.occurrence(scope)}`;
    const [name, at, attempt] = [`tool:${tool}`, nowIso(active), 1];
    const refused = await vetoOf(active, { task: active.task, id, name, agent, attempt, input });
    if (refused) return refused;
    const { stored, blobs, bytes } = active.pack(input, 'tool_inputs');
    const danger = dangerOf(tool, input);
    const operation = { id, name, agent, index: active.nextIndex(), at, attempt };
    const begun = { danger, tool: { tool, input: stored, bytes, call } };
    active.show({ agent, step: name });
    const snapshot = await active.snapshot();
    await writeBegin(active, operation, { ...begun, ...(snapshot ? { snapshot } : {}) }, blobs);
    open.set(call, { ...operation, ...begun, began: performance.now(), snapshot });
    tellStarted(active, operation, danger);
    return null;
  };

  const result = async ({ id: call, output, is_error = false }: EventOf<'tool_result'>): Promise<void> => {
    const { began, danger, tool, snapshot, ...operation } = open.get(call) ?? unseen(active, call);
    open.delete(call);
    const ms = began === null ? 0 : millisecondsSince(began);
    const { stored, blobs } = active.pack(output, 'tool_results');
    const ended = {
      ...tool,
      bytes: tool.bytes + roughSize(output),
      ...(is_error ? { status: 'error' as const } : {}),
    };
    const files = await spanSince(active, snapshot, danger === 'shell_command' ? 'shell' : 'tool');
    await writeStep(active, operation, danger, { ms, result: stored, tool: ended, ...files }, blobs);
    const { id, name, attempt } = operation;
    if (!active.hooks.afterTool) return;
    await tell(active.hooks.afterTool, 'afterTool', {
      task: active.task,
      id,
      name,
      agent,
      attempt,
      input: await active.unpack(tool.input),
      error: is_error ? output : null,
      duration_ms: ms,
    });
  };

  const message = async ({ role, content }: EventOf<'message'>): Promise<void> => {
    const { stored, blobs, bytes } = active.pack(content, 'messages');
    await writer.write(
      { t: 'message', at: nowIso(active), agent, role, content: stored, bytes },
      { blobs, event: role === 'user' ? 'after_user_input' : 'after_step' },
    );
    active.emit({ type: 'message', task: active.task, agent, role });
  };

  const decision = (made: EventOf<'decision'>): Promise<void> => {
    const { what, why, alternatives } = active.redact(made);
    return writer.write({
      t: 'decision',
      at: nowIso(active),
      agent,
      what,
      ...(why === undefined ? {} : { why }),
      ...(alternatives === undefined ? {} : { alternatives: alternatives as string[] }),
      bytes: roughSize(what) + roughSize(why ?? ''),
    });
  };

  return {
    async settleUnfinished() {
      const left = [...active.memory.begun.values()].filter(isCall);
      const now = left.length > 0 ? await active.snapshot() : undefined;
      const settled = left.map(async (begin) => {
        const { id, name, index, at, attempt, danger, tool } = begin;
        const { files } = await active.settle(begin, now);
        const operation = { id, name, agent, index, at, attempt };
        open.set(tool.call, { ...operation, danger, tool, began: null });
        const failure = { ms: 0, error: UNKNOWN, final: true, tool: { ...tool, status: 'unknown' as const } };
        await writeFailure(active, operation, failure, {}, UNKNOWN);
        const input = await active.unpack(tool.input);
        return { id: tool.call, name: tool.tool, input, began_at: at, files };
      });
      return Promise.all(settled);
    },

    async take(event) {
      switch (event.type) {
        case 'tool_call':
          return call(event);
        case 'tool_result':
          await result(event);
          return null;
        case 'message':
          await message(event);
          return null;
        case 'decision':
          await decision(event);
          return null;
        default:
          throw noEvent(event);
      }
    },
  };
}

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;
type Call = EntryOf<'begin'> & { tool: ToolCall & { call: string } };

const UNKNOWN = {
  name: 'OutcomeUnknown',
  message: phrase`It was in progress when the run ended: it may or may not have taken effect.`,
};

function isCall(entry: EntryOf<'begin'>): entry is Call {
  return entry.tool?.call !== undefined;
}

/** From an untyped agent. */
function noEvent(event: never): InvalidInputError {
  const { type } = event as { type?: unknown };
  return new InvalidInputError(
    'USAGE',
    phrase`An agent yielded something that is not an event: ${String(type)}.`,
    {
      data: { type },
      hint: phrase`It may yield message, tool_call, tool_result, decision, wait and done.`,
    },
  );
}

/** The result of a call that was not announced. */
function unseen(active: RunContext, call: string): OpenCall {
  const scope = `/tool:unknown@${call}`;
  const tool = { tool: 'unknown', input: null, bytes: 0, call };
  const id = `${scope}#${active.occurrence(scope)}`;
  return {
    id,
    name: 'tool:unknown',
    agent,
    index: active.nextIndex(),
    at: nowIso(active),
    attempt: 1,
    danger: 'external_api',
    began: null,
    tool,
  };
}

async function vetoOf(
  active: RunContext,
  info: Parameters<NonNullable<RunContext['hooks']['beforeTool']>>[0],
): Promise<EngineError | null> {
  try {
    await ask(active.hooks.beforeTool, 'beforeTool', info);
    return null;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'HOOK_VETO') return error;
    throw error;
  }
}
