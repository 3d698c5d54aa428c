/** The tool calls of an agent: written before the tool runs, and again when its result comes. */
import { roughSize } from '../../../checkpoint/values/rough-size.ts';
import { EngineError, type VibeError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { RecordedEvent, UnfinishedCall } from '../../api/agent-events.ts';
import { checkName } from '../../api/checks.ts';
import type { Danger } from '../../api/context.ts';
import { ask, tell } from '../../api/hooks.ts';
import type { EntryOf, ToolCall } from '../../task/entries.ts';
import {
  type Operation,
  type Spanned,
  spanSince,
  tellStarted,
  writeBegin,
  writeFailure,
  writeStep,
} from '../operations.ts';
import { millisecondsSince, nowIso, type RunContext } from '../run-context.ts';
import { agentPath } from './paths.ts';
import { createTurnFiles } from './turn-files.ts';

export interface AgentCalls {
  /** Returns why it is refused: by a hook, or since another agent is changing one of its files. */
  begin(event: EventOf<'tool_call'>): Promise<VibeError | null>;
  end(event: EventOf<'tool_result'>): Promise<void>;
  drop(event: EventOf<'tool_dropped'>): Promise<void>;
  /**
   * Ends one whose result will not come: what it changed is its own, and whether it is done is not known. If it changed
   * nothing, it counts as refused.
   */
  endUnknown(call: string): Promise<void>;
  /** Calls an earlier run left open: from now on the conversation has them with an unknown outcome. */
  settleUnfinished(): Promise<UnfinishedCall[]>;
}

export type DangerOf = (tool: string, input: unknown) => Danger;
type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;

/** A call whose result has not come yet. */
interface OpenCall extends Operation {
  readonly began: number | null;
  /** Null: it only reads, and nothing of it was written. */
  readonly danger: Danger | null;
  readonly tool: ToolCall;
  readonly blobs: ReturnType<RunContext['pack']>['blobs'];
  /** The files before it, and the only ones that it can change, where that is known. */
  readonly snapshot?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  /** What other calls changed since it began. */
  readonly others?: Set<string>;
}

export function createCalls(active: RunContext, dangerOf: DangerOf): AgentCalls {
  const open = new Map<string, OpenCall>();
  const turn = createTurnFiles(active);

  const operationOf = (tool: string, call: string, agent: string): Operation => {
    const scope = `${agent}/tool:${tool}@${call}`;
    const id = `${scope}#${active.occurrence(scope)}`;
    return { id, name: `tool:${tool}`, agent, index: active.nextIndex(), at: nowIso(active), attempt: 1 };
  };

  const refuse = async (operation: Operation, refused: VibeError): Promise<VibeError> => {
    await writeSkip(active, operation, refused.message);
    return refused;
  };

  const finish = async (call: string, output: unknown, status: Pick<ToolCall, 'status'>): Promise<void> => {
    const ended = open.get(call) ?? unseen(call, operationOf('unknown', call, ''));
    open.delete(call);
    const { began, danger, tool, snapshot, paths, others: _, blobs: before, ...operation } = ended;
    const ms = began === null ? 0 : millisecondsSince(began);
    const { stored, blobs } = active.pack(output, 'tool_results');
    const result = {
      ...tool,
      bytes: tool.bytes + roughSize(output),
      ...status,
    };
    const by = danger === 'shell_command' ? 'shell' : 'tool';
    const files = danger === null ? {} : await spanSince(active, snapshot, by, paths && (() => paths));
    if (open.size > 0) await noteForOthers(files);
    await writeStep(active, operation, danger, { ms, result: stored, tool: result, ...files }, [
      ...before,
      ...blobs,
    ]);
    const { id, name, agent, attempt } = operation;
    if (!active.hooks.afterTool) return;
    await tell(active.hooks.afterTool, 'afterTool', {
      task: active.task,
      id,
      name,
      agent,
      attempt,
      input: await active.unpack(tool.input),
      error: status.status === 'error' ? output : null,
      duration_ms: ms,
    });
  };

  /** Calls that run at the same time, or wait to be refused, did not do this. */
  const noteForOthers = async ({ files }: Spanned): Promise<void> => {
    if (!files) return;
    const { from, to } = files.own ?? files;
    const changed = await active.changedBetween(from, to);
    for (const { others } of open.values()) for (const path of changed) others?.add(path);
  };

  /** Whether anything changed since it began that no other call did. */
  const mayHaveRun = async ({ snapshot, others }: OpenCall): Promise<boolean> => {
    const now = snapshot === undefined ? undefined : await active.snapshot({ full: true });
    if (snapshot === undefined || now === undefined) return true;
    return (await active.changedBetween(snapshot, now)).some((path) => !others?.has(path));
  };

  const drop = async (call: string, reason: string): Promise<void> => {
    const dropped = open.get(call);
    if (!dropped) return;
    open.delete(call);
    await writeSkip(active, dropped, reason);
  };

  return {
    async begin({ id: call, name: tool, input = null, agent: by, writes, danger = dangerOf(tool, input) }) {
      checkName(phrase`The call of a tool`, call);
      const operation = operationOf(tool, call, agentPath(by));
      const { id, name, agent, attempt } = operation;
      const vetoed = await vetoOf(active, { task: active.task, id, name, agent, attempt, input });
      if (vetoed) return refuse(operation, vetoed);
      const { stored, blobs, bytes } = active.pack(input, 'tool_inputs');
      const begun = { tool: { tool, input: stored, bytes, call } };
      active.show({ agent, step: name });
      if (danger === null) {
        open.set(call, { ...operation, ...begun, danger, blobs, began: performance.now() });
        return null;
      }
      const paths = writes && turn.namesOf(writes);
      const reserved = await turn.reserve(writes ?? []);
      if (reserved) return refuse(operation, reserved);
      const snapshot = await active.snapshot();
      const more = { ...(snapshot ? { snapshot } : {}), ...(paths ? { paths: [...paths] } : {}) };
      await writeBegin(active, operation, { ...begun, danger, ...more }, blobs);
      open.set(call, {
        ...operation,
        ...begun,
        danger,
        blobs: [],
        began: performance.now(),
        snapshot,
        paths,
        others: new Set(),
      });
      tellStarted(active, operation, danger);
      return null;
    },

    end: ({ id: call, output, is_error = false }) =>
      finish(call, output, is_error ? { status: 'error' } : {}),
    async endUnknown(call) {
      const left = open.get(call);
      if (left && !(await mayHaveRun(left)))
        await drop(call, phrase`No result came: it was refused, or broken off.`);
      else await finish(call, UNKNOWN.message, { status: 'unknown' });
    },

    drop: ({ id, reason = phrase`It was refused, and did not run.` }) => drop(id, reason),

    async settleUnfinished() {
      const left = [...active.memory.begun.values()].filter(isCall);
      const now = left.length > 0 ? await active.snapshot() : undefined;
      const settled = left.map(async (begin) => {
        const { id, name, agent, index, at, attempt, danger, tool, paths } = begin;
        const { files } = await active.settle(begin, now);
        const operation = { id, name, agent, index, at, attempt };
        open.set(tool.call, { ...operation, danger, tool, blobs: [], began: null, paths });
        const failure = { ms: 0, error: UNKNOWN, final: true, tool: { ...tool, status: 'unknown' as const } };
        await writeFailure(active, operation, failure, {}, UNKNOWN);
        const input = await active.unpack(tool.input);
        return { id: tool.call, name: tool.tool, input, began_at: at, files };
      });
      return Promise.all(settled);
    },
  };
}

type Call = EntryOf<'begin'> & { tool: ToolCall & { call: string } };

const UNKNOWN = {
  name: 'OutcomeUnknown',
  message: phrase`It was in progress when the run ended: it may or may not have taken effect.`,
};

function isCall(entry: EntryOf<'begin'>): entry is Call {
  return entry.tool?.call !== undefined;
}

function writeSkip(active: RunContext, { id, name, agent, index, at }: Operation, reason: string) {
  return active.writer.write({ t: 'skip', id, name, agent, index, at, reason });
}

/** The result of a call that was not announced. */
function unseen(call: string, operation: Operation): OpenCall {
  const tool = { tool: 'unknown', input: null, bytes: 0, call };
  return { ...operation, danger: 'external_api', began: null, tool, blobs: [] };
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
