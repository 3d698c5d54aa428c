/** Steps: run once, recorded, retried if requested. */

import { looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { sleepFor } from '../../system/time-limit.ts';
import { checkDuration, checkFunction, checkName } from '../api/checks.ts';
import type { Danger, RetryOptions, StepContext, StepOptions } from '../api/context.ts';
import { ask, type Ended, type StepInfo, tell } from '../api/hooks.ts';
import type { FileWrite } from '../files/workspace-link.ts';
import type { ToolCall } from '../task/entries.ts';
import { type Remembered, recall } from '../task/memory.ts';
import { takeKept } from '../task/off-heap.ts';
import { type StoredError, storedError } from '../task/stored-error.ts';
import { delayBefore, runLimited } from './attempts.ts';
import {
  type EndedStep,
  eventsAfter,
  type Spanned,
  spanSince,
  tellStarted,
  writeBegin,
  writeFailure,
  writeSkip,
  writeStep,
} from './operations.ts';
import { replayVariables } from './replay.ts';
import {
  insideStep,
  millisecondsSince,
  nowIso,
  type RunContext,
  scopeOf,
  throughSafePoint,
} from './run-context.ts';
import type { Operation } from './writing.ts';

interface StepCall<T> {
  readonly name: string;
  readonly agent: string;
  readonly fn: (step: StepContext) => Promise<T> | T;
  readonly options: StepOptions;
  /** Set when the step is a tool call. */
  readonly tool?: { readonly name: string; readonly input: unknown };
  /** Set if the files it changes are known in advance, with its changes afterwards. */
  readonly files?: { readonly paths: readonly string[]; wrote(): FileWrite | null };
  /** The files it read, once it has. */
  readonly reads?: () => readonly string[];
}

/** The identity is taken at the call, so that steps that run side by side keep theirs. */
export async function runStep<T>(active: RunContext, call: StepCall<T>): Promise<T | undefined> {
  checkName(phrase`A step`, call.name);
  if (typeof call.fn !== 'function') checkFunction(phrase`Step ${call.name}`, call.fn);
  if (call.options.timeout_ms !== undefined)
    checkDuration(phrase`The time limit of step ${call.name}`, call.options.timeout_ms);
  const scope = scopeOf(call.agent, call.name);
  const id = `${scope}#${active.occurrence(scope)}`;
  const known = recall(active.memory.steps, id);
  if (known) {
    if (active.memory.setInside.has(id)) await replayVariables(active, id, call.agent);
    return resultOf(active, known) as T | undefined | Promise<T | undefined>;
  }
  return runIdentified(active, call, id, active.memory.tried.get(id) ?? active.nextIndex());
}

/** The recorded result of a step; a promise if it is in a blob. */
function resultOf(active: RunContext, known: Remembered): unknown {
  if (known.status === 'failed') throw revived(known.error);
  if (known.status === 'skipped') return undefined;
  const stored = takeKept(known.result);
  return looksLikeReference(stored) ? active.unpack(stored) : stored;
}

function runIdentified<T>(
  active: RunContext,
  call: StepCall<T>,
  id: string,
  index: number,
): Promise<T | undefined> {
  const run = async (): Promise<T | undefined> => {
    if (call.options.when && !(await call.options.when())) {
      const { name, agent } = call;
      await writeSkip(active, { id, name, agent, index, at: nowIso(active) });
      return undefined;
    }
    return runAttempts(active, call, id, index);
  };
  // Whether the task is still this run's is asked right before the step's function: if that comes first, once is enough.
  const functionFirst = !call.options.when && !hookBefore(active, call) && !dangerOf(call);
  return throughSafePoint(active, run, functionFirst ? 'asks itself' : undefined);
}

async function runAttempts<T>(active: RunContext, call: StepCall<T>, id: string, index: number): Promise<T> {
  const retry: RetryOptions = call.options.retry ? { ...active.retry, ...call.options.retry } : active.retry;
  /** Attempts are counted on across retries of the task, each of which may make as many again. */
  const earlier = active.memory.earlier.get(id) ?? 0;
  for (let attempt = (active.memory.attempts.get(id) ?? 0) + 1; ; attempt++) {
    const began = performance.now();
    const { name, agent } = call;
    const operation = { id, name, agent, index, at: nowIso(active), attempt: earlier + attempt };
    try {
      return await attemptOnce(active, call, operation, began);
    } catch (failed) {
      if (!(failed instanceof AttemptFailed)) throw failed;
      const { reason, spanned } = failed;
      const again = attempt < retry.attempts && (await retry.when(reason, attempt));
      const ms = millisecondsSince(began);
      const error = active.redact(storedError(reason));
      const { blobs = [], tool } = again ? {} : packCall(active, call, error.message);
      const kept = packContext(active, call.options.context);
      const failure = { ms, error, final: !again, ...(tool && { tool }), ...kept.entry, ...spanned };
      const event = again ? {} : { event: eventsAfter(dangerOf(call), spanned) };
      const options = { blobs: [...blobs, ...kept.blobs], ...event };
      await writeFailure(active, operation, failure, options, reason);
      if (!again) throw reason;
      await pauseBetween(active, delayBefore(attempt + 1, retry));
    }
  }
}

/** What the user's function threw, apart from what writing or a hook throws. */
class AttemptFailed {
  readonly reason: unknown;
  readonly spanned: Spanned;
  constructor(reason: unknown, spanned: Spanned) {
    this.reason = reason;
    this.spanned = spanned;
  }
}

async function attemptOnce<T>(
  active: RunContext,
  call: StepCall<T>,
  operation: Operation,
  began: number,
): Promise<T> {
  const { options } = call;
  const { id, name, agent, attempt } = operation;
  const info = (): StepInfo => ({ task: active.task, id, name, agent, attempt });
  const added = hookBefore(active, call) ? await askBefore(active, call, info()) : {};
  const cutOff = active.memory.begun.get(id);
  const danger = dangerOf(call);
  active.began(operation);
  const snapshot = danger ? await active.snapshot() : undefined;
  const context =
    cutOff?.context === undefined
      ? (options.context ?? call.tool?.input)
      : await active.unpack(cutOff.context);
  const kept = packContext(active, options.context === undefined ? undefined : context);
  if (danger) {
    const before = packContext(active, context);
    const paths = call.files ? { paths: [...call.files.paths] } : {};
    const begin = { danger, ...(snapshot ? { snapshot } : {}), ...paths, ...before.entry };
    await writeBegin(active, operation, begin, before.blobs);
  }
  const unknown = cutOff ? await active.settle(cutOff, snapshot) : null;
  const filesOf = (): Promise<Spanned> =>
    spanSince(
      active,
      snapshot,
      danger === 'shell_command' ? 'shell' : call.tool ? 'tool' : 'step',
      call.files?.wrote,
    );
  tellStarted(active, operation, danger, unknown !== null);
  await active.safePoint.stay(); // Hooks, snapshots and commits take time.
  let result: T;
  try {
    const { timeout_ms } = options;
    const run = (signal: AbortSignal) => call.fn({ id, attempt, signal, unknown, added, context });
    const limited = () =>
      timeout_ms === undefined
        ? run(active.stopSignal)
        : runLimited(run, phrase`Step ${name}`, timeout_ms, active.stopSignal);
    result = await insideStep.run({ step: id, attempt }, () => active.around(id, limited));
  } catch (error) {
    if (active.stopSignal.aborted) throw active.stopSignal.reason; // It did not fail, it was interrupted.
    const spanned = await filesOf();
    await tellAfter(active, call, () => ({ ...info(), error, duration_ms: millisecondsSince(began) }));
    throw new AttemptFailed(error, spanned);
  } finally {
    active.ended(id);
  }
  const packed = active.pack(result, call.tool ? 'tool_results' : 'step_results');
  const { blobs, tool } = packCall(active, call, result);
  const ms = millisecondsSince(began);
  const step: EndedStep = { ms, result: packed.stored, ...kept.entry };
  if (snapshot !== undefined) Object.assign(step, await filesOf());
  const reads = call.reads?.() ?? [];
  if (reads.length > 0) step.reads = [...reads];
  if (tool) step.tool = tool;
  await writeStep(active, operation, danger, step, [...packed.blobs, ...blobs, ...kept.blobs]);
  if (hookAfter(active, call))
    await tellAfter(active, call, () => ({ ...info(), error: null, duration_ms: ms }));
  return result;
}

/** What makes the step a tool call of the conversation. */
function packCall(
  active: RunContext,
  call: StepCall<unknown>,
  output: unknown,
): { tool?: ToolCall; blobs: readonly NewBlob[] } {
  if (!call.tool) return { blobs: [] };
  const { stored, blobs, bytes } = active.pack(call.tool.input ?? null, 'tool_inputs');
  return { tool: { tool: call.tool.name, input: stored, bytes: bytes + roughSize(output) }, blobs };
}

/** The context of the step, for the checkpoints that name it. The input of a tool is kept with its result. */
function packContext(
  active: RunContext,
  given: unknown,
): { entry: { context?: unknown }; blobs: readonly NewBlob[] } {
  if (given === undefined) return { entry: {}, blobs: [] };
  const { stored, blobs } = active.pack(given, 'step_results');
  return { entry: { context: stored }, blobs };
}

function hookBefore({ hooks }: RunContext, { tool }: StepCall<unknown>): unknown {
  return tool ? hooks.beforeTool : hooks.beforeStep;
}

function hookAfter({ hooks }: RunContext, { tool }: StepCall<unknown>): unknown {
  return tool ? hooks.afterTool : hooks.afterStep;
}

function askBefore<T>(
  active: RunContext,
  call: StepCall<T>,
  info: StepInfo,
): Promise<Readonly<Record<string, unknown>>> {
  if (!call.tool) return ask(active.hooks.beforeStep, 'beforeStep', info);
  return ask(active.hooks.beforeTool, 'beforeTool', { ...info, input: call.tool.input });
}

async function tellAfter(
  { hooks }: RunContext,
  { tool }: StepCall<unknown>,
  ended: () => StepInfo & Ended,
): Promise<void> {
  if (!tool && hooks.afterStep) await tell(hooks.afterStep, 'afterStep', ended());
  if (tool && hooks.afterTool) await tell(hooks.afterTool, 'afterTool', { ...ended(), input: tool.input });
}

/** `true` only says that it has external effects. */
function dangerOf(call: StepCall<unknown>): Danger | null {
  const { dangerous = false } = call.options;
  if (dangerous === true) return 'external_api';
  return dangerous === false ? null : dangerous;
}

/** Between attempts nothing is in progress: the task can be stopped here. */
async function pauseBetween(active: RunContext, ms: number): Promise<void> {
  if (insideStep.getStore()) return sleepFor(ms, active.stopSignal);
  active.safePoint.leave();
  try {
    await sleepFor(ms, active.stopSignal);
  } finally {
    await active.safePoint.enter();
  }
}

/** The error a step ended with, as far as it can be restored. */
export function revived(stored: StoredError): Error {
  const error = Object.assign(new Error(stored.message), { name: stored.name });
  const { code, data, hint } = stored;
  if (code !== undefined) Object.assign(error, { code });
  if (data !== undefined) Object.assign(error, { data, hint });
  if (stored.stack !== undefined) error.stack = stored.stack;
  return error;
}
