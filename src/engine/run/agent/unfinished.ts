/** Tool calls that an earlier run left open. */
import { roughSize } from '../../../checkpoint/values/rough-size.ts';
import { phrase } from '../../../phrase.ts';
import type { UnfinishedCall } from '../../api/agent-events.ts';
import type { Danger } from '../../api/context.ts';
import type { EntryOf, ToolCall } from '../../task/entries.ts';
import { writeFailure, writeStep } from '../operations.ts';
import type { RunContext } from '../run-context.ts';
import type { Operation } from '../writing.ts';

/** A call whose result has not come yet. */
export interface OpenCall extends Operation {
  readonly began: number | null;
  /** Null: it only reads, and nothing of it was written. */
  readonly danger: Danger | null;
  readonly tool: ToolCall;
  /** Its begin, in this run, has the input. */
  readonly inputWritten?: boolean;
  readonly blobs: ReturnType<RunContext['pack']>['blobs'];
  /** The files before it, and the only ones that it can change, where that is known. */
  readonly snapshot?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  /** What other calls changed since it began. */
  readonly others?: Set<string>;
}

export interface SettledCalls {
  readonly unfinished: readonly UnfinishedCall[];
  /** What calls changed whose result is known. */
  readonly changed: readonly string[];
}

export const UNKNOWN = {
  name: 'OutcomeUnknown',
  message: phrase`It was in progress when the run ended: it may or may not have taken effect.`,
};

/** `leave`: a result of it may come after all. */
export async function settleUnfinished(
  active: RunContext,
  leave: (call: string, left: OpenCall) => void,
): Promise<SettledCalls> {
  const left = [...active.memory.begun.values()].filter(isCall);
  const now = left.length > 0 ? await active.snapshot() : undefined;
  const changed: string[] = [];
  const settled = left.map(async (begin): Promise<UnfinishedCall[]> => {
    const { danger, at, tool, snapshot, paths } = begin;
    const { files } = await active.settle(begin, now);
    const operation = operationIn(begin);
    const answered = active.memory.results.get(begin.id);
    if (answered) {
      const known = snapshot !== undefined && answered.snapshot !== undefined;
      const its = known ? await active.changedBetween(snapshot, answered.snapshot!) : files?.changed;
      changed.push(...(its ?? []));
      await endAnswered(active, begin, answered);
      return [];
    }
    leave(tool.call, { ...operation, danger, tool, blobs: [], began: null, snapshot, paths });
    const failure = { ms: 0, error: UNKNOWN, final: true, tool: { ...tool, status: 'unknown' as const } };
    await writeFailure(active, operation, failure, {}, UNKNOWN);
    const input = await active.unpack(tool.input);
    return [{ id: tool.call, name: tool.tool, input, began_at: at, files }];
  });
  return { unfinished: (await Promise.all(settled)).flat(), changed };
}

type Call = EntryOf<'begin'> & { tool: ToolCall & { call: string } };

function isCall(entry: EntryOf<'begin'>): entry is Call {
  return entry.tool?.call !== undefined;
}

/** Its result was recorded, and the run ended before it had looked at all files. */
function endAnswered(
  active: RunContext,
  begin: Call,
  { at, result, status }: EntryOf<'result'>,
): Promise<void> {
  const { input: _, ...tool } = begin.tool;
  const call = { ...tool, bytes: tool.bytes + roughSize(result), ...(status ? { status } : {}) };
  const ms = Math.max(0, Date.parse(at) - Date.parse(begin.at));
  return writeStep(active, operationIn(begin), begin.danger, { ms, tool: call }, []);
}

export function operationIn({ id, name, agent, index, at, attempt }: Operation): Operation {
  return { id, name, agent, index, at, attempt };
}
