/** The tool calls of an agent: written before the tool runs, and again when its result comes. */
import { roughSize } from '../../../checkpoint/values/rough-size.ts';
import { EngineError, type VibeError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { NewBlob } from '../../../storage/contract.ts';
import type { RecordedEvent } from '../../api/agent-events.ts';
import { checkName } from '../../api/checks.ts';
import type { Danger } from '../../api/context.ts';
import { ask, tell } from '../../api/hooks.ts';
import type { ToolCall } from '../../task/entries.ts';
import {
  type EndedStep,
  type Spanned,
  spanSince,
  tellStarted,
  writeBegin,
  writeSkip,
  writeStep,
} from '../operations.ts';
import { millisecondsSince, nowIso, type RunContext } from '../run-context.ts';
import type { Operation } from '../writing.ts';
import { agentPath } from './paths.ts';
import { createTurnFiles } from './turn-files.ts';
import { type OpenCall, operationIn, type SettledCalls, settleUnfinished, UNKNOWN } from './unfinished.ts';

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
  settleUnfinished(): Promise<SettledCalls>;
  /** Resolves when the files were looked at that a call with a recorded result may have changed. */
  looked(): Promise<void>;
  /** Others may write the files of the turn, which has ended. */
  freeFiles(): Promise<void>;
}

export type DangerOf = (tool: string, input: unknown) => Danger;
type EventOf<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type Unannounced = Pick<EventOf<'tool_result'>, 'name' | 'input' | 'agent'>;

/** Looking at all files after a command takes time. If it took too long, the next result is recorded, and answered, first. */
export interface Patience {
  readonly ms: number;
  /** What it took the last time. */
  last: number;
}

/** `patience`: recording a result first takes one more entry; default: never. */
export function createCalls(
  active: RunContext,
  dangerOf: DangerOf,
  patience: Patience = { ms: Number.POSITIVE_INFINITY, last: 0 },
): AgentCalls {
  const open = new Map<string, OpenCall>();
  let looking: Promise<void> = Promise.resolve();
  const turn = createTurnFiles(active);

  const operationOf = (tool: string, call: string, agent: string): Operation => {
    const scope = `${agent}/tool:${tool}@${call}`;
    const id = `${scope}#${active.occurrence(scope)}`;
    return { id, name: `tool:${tool}`, agent, index: active.nextIndex(), at: nowIso(active), attempt: 1 };
  };

  /** Of a call that began in an earlier process. */
  const since = (at: string): number => Math.max(0, Date.parse(nowIso(active)) - Date.parse(at));

  const refuse = async (operation: Operation, refused: VibeError): Promise<VibeError> => {
    active.ended(operation.id);
    await writeSkip(active, operation, refused.message);
    return refused;
  };

  /** Its announcement did not reach us: what it did to files is not known. */
  const unannounced = (
    call: string,
    { name: tool = 'unknown', input = null, agent }: Unannounced,
  ): OpenCall => {
    const { stored, blobs, bytes } = active.pack(input, 'tool_inputs');
    const operation = operationOf(tool, call, agentPath(agent));
    return {
      ...operation,
      danger: 'external_api',
      began: null,
      tool: { tool, input: stored, bytes, call },
      blobs,
    };
  };

  const finish = async (
    call: string,
    output: unknown,
    status: Pick<ToolCall, 'status'>,
    of: Unannounced = {},
  ): Promise<void> => {
    const ended = open.get(call) ?? unannounced(call, of);
    open.delete(call);
    active.ended(ended.id);
    const ms = ended.began === null ? since(ended.at) : millisecondsSince(ended.began);
    const { stored, blobs } = active.pack(output, 'tool_results');
    const end = async (
      more: Pick<EndedStep, 'result'>,
      blobs: readonly NewBlob[],
      answered?: string,
    ): Promise<void> => {
      const { danger, tool, inputWritten, snapshot, paths } = ended;
      const from = performance.now();
      const shell = danger === 'shell_command';
      const files =
        danger === null
          ? {}
          : await spanSince(active, snapshot, shell ? 'shell' : 'tool', paths && (() => paths), answered);
      if (shell) patience.last = performance.now() - from;
      if (open.size > 0) await noteForOthers(files);
      const { input: _, ...slim } = tool;
      const call = { ...(inputWritten ? slim : tool), bytes: tool.bytes + roughSize(output), ...status };
      await writeStep(active, operationIn(ended), danger, { ms, ...more, tool: call, ...files }, blobs);
      await tellEnded(ended, status.status === 'error' ? output : null, ms);
    };
    if (ended.danger === 'shell_command' && ended.snapshot !== undefined && patience.last > patience.ms) {
      const { id } = ended;
      // As the watch tells it, at once. What the whole look finds beyond that counts as others'.
      const answered = await active.snapshot();
      await active.writer.write(
        {
          t: 'result',
          id,
          at: nowIso(active),
          result: stored,
          ...status,
          ...(answered ? { snapshot: answered } : {}),
        },
        { blobs: [...ended.blobs, ...blobs] },
      );
      looking = end({}, [], answered);
      looking.catch(() => {}); // Thrown to the next event. Files since its begin count as changed by the call.
    } else await end({ result: stored }, [...ended.blobs, ...blobs]);
  };

  const tellEnded = async (ended: OpenCall, error: unknown, duration_ms: number): Promise<void> => {
    const { id, name, agent, attempt, tool } = ended;
    if (!active.hooks.afterTool) return;
    const input = await active.unpack(tool.input);
    await tell(active.hooks.afterTool, 'afterTool', {
      task: active.task,
      id,
      name,
      agent,
      attempt,
      input,
      error,
      duration_ms,
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
    active.ended(dropped.id);
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
      active.began(operation);
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
        inputWritten: true,
        blobs: [],
        began: performance.now(),
        snapshot,
        paths,
        others: new Set(),
      });
      tellStarted(active, operation, danger);
      return null;
    },

    end: ({ id: call, output, is_error = false, ...of }) =>
      finish(call, output, is_error ? { status: 'error' } : {}, of),
    async endUnknown(call) {
      const left = open.get(call);
      if (left && !(await mayHaveRun(left)))
        await drop(call, phrase`No result came: it was refused, or broken off.`);
      else await finish(call, UNKNOWN.message, { status: 'unknown' });
    },

    drop: ({ id, reason = phrase`It was refused, and did not run.` }) => drop(id, reason),

    async looked() {
      const now = looking;
      try {
        await now;
      } finally {
        if (looking === now) looking = Promise.resolve();
      }
    },

    freeFiles: turn.free,

    settleUnfinished: () => settleUnfinished(active, (call, left) => open.set(call, left)),
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
