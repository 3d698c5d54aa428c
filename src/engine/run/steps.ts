/** Steps: run once, recorded, retried if requested. */

import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { phrase } from '../../phrase.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { sleepFor } from '../../system/time-limit.ts';
import { checkDuration, checkFunction, checkName } from '../api/checks.ts';
import type { Danger, RetryOptions, StepContext, StepOptions } from '../api/context.ts';
import { ask, type Ended, type StepInfo, tell } from '../api/hooks.ts';
import type { FileWrite } from '../files/workspace-link.ts';
import { type StoredError, storedError, type ToolCall } from '../task/entries.ts';
import { type Remembered, recall } from '../task/memory.ts';
import { takeDown } from '../task/shelf.ts';
import { delayBefore, runLimited } from './attempts.ts';
import {
  eventsAfter,
  type Operation,
  type Spanned,
  spanSince,
  tellStarted,
  writeBegin,
  writeFailure,
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

export interface StepCall<T> {
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
export async function runStep<T>(core: RunContext, call: StepCall<T>): Promise<T | undefined> {
  checkName('A step', call.name);
  checkFunction(phrase`Step ${call.name}`, call.fn);
  if (call.options.timeout_ms !== undefined)
    checkDuration(phrase`The time limit of step ${call.name}`, call.options.timeout_ms);
  const scope = scopeOf(call.agent, call.name);
  const id = `${scope}#${core.occurrence(scope)}`;
  const known = recall(core.memory.steps, id);
  if (known) {
    await replayVariables(core, id, call.agent);
    return told(core, known) as Promise<T | undefined>;
  }
  return runIdentified(core, call, id, core.memory.tried.get(id) ?? core.nextIndex());
}

/** The recorded result of a step. */
async function told(core: RunContext, known: Remembered): Promise<unknown> {
  if (known.status === 'failed') throw revived(known.error);
  return known.status === 'success' ? core.unpack(takeDown(known.result)) : undefined;
}

function runIdentified<T>(
  core: RunContext,
  call: StepCall<T>,
  id: string,
  index: number,
): Promise<T | undefined> {
  return throughSafePoint(core, async () => {
    if (call.options.when && !(await call.options.when())) {
      await core.writer.write({ t: 'skip', id, name: call.name, agent: call.agent, index, at: nowIso(core) });
      return undefined;
    }
    return runAttempts(core, call, id, index);
  });
}

async function runAttempts<T>(core: RunContext, call: StepCall<T>, id: string, index: number): Promise<T> {
  const retry: RetryOptions = { ...core.retry, ...call.options.retry };
  /** Attempts are counted on across retries of the task, each of which may make as many again. */
  const earlier = core.memory.earlier.get(id) ?? 0;
  for (let attempt = (core.memory.attempts.get(id) ?? 0) + 1; ; attempt++) {
    const began = performance.now();
    const { name, agent } = call;
    const operation = { id, name, agent, index, at: nowIso(core), attempt: earlier + attempt };
    try {
      return await attemptOnce(core, call, operation, began);
    } catch (failed) {
      if (!(failed instanceof AttemptFailed)) throw failed;
      const { reason, spanned } = failed;
      const again = attempt < retry.attempts && (await retry.when(reason, attempt));
      const ms = millisecondsSince(began);
      const error = core.redact(storedError(reason));
      const { blobs = [], ...tool } = again ? {} : packCall(core, call, error.message);
      const kept = packContext(core, call.options.context);
      const failure = { ms, error, final: !again, ...tool, ...kept.entry, ...spanned };
      const event = again ? {} : { event: eventsAfter(dangerOf(call), spanned) };
      const options = { blobs: [...blobs, ...kept.blobs], ...event };
      await writeFailure(core, operation, failure, options, reason);
      if (!again) throw reason;
      await pauseBetween(core, delayBefore(attempt + 1, retry));
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
  core: RunContext,
  call: StepCall<T>,
  operation: Operation,
  began: number,
): Promise<T> {
  const { options } = call;
  const { id, name, agent, attempt } = operation;
  const info: StepInfo = { task: core.task, id, name, agent, attempt };
  const added = await askBefore(core, call, info);
  const cutOff = core.memory.begun.get(id);
  const danger = dangerOf(call);
  core.show({ agent, step: name });
  const snapshot = danger ? await core.snapshot() : undefined;
  const context =
    cutOff?.context === undefined ? (options.context ?? call.tool?.input) : await core.unpack(cutOff.context);
  const kept = packContext(core, options.context === undefined ? undefined : context);
  if (danger) {
    const before = packContext(core, context);
    const paths = call.files ? { paths: [...call.files.paths] } : {};
    const begin = { danger, ...(snapshot ? { snapshot } : {}), ...paths, ...before.entry };
    await writeBegin(core, operation, begin, before.blobs);
  }
  const unknown = cutOff ? await core.settle(cutOff, snapshot) : null;
  const filesOf = () =>
    spanSince(
      core,
      snapshot,
      danger === 'shell_command' ? 'shell' : call.tool ? 'tool' : 'step',
      call.files?.wrote,
    );
  tellStarted(core, operation, danger, unknown !== null);
  await core.safePoint.stay(); // Hooks, snapshots and commits take time.
  let result: T;
  try {
    const run = (signal: AbortSignal) => call.fn({ id, attempt, signal, unknown, added, context });
    result = await insideStep.run({ step: id, attempt }, () =>
      core.around(id, () => runLimited(run, phrase`Step ${name}`, options.timeout_ms, core.stopSignal)),
    );
  } catch (error) {
    if (core.stopSignal.aborted) throw core.stopSignal.reason; // It did not fail, it was interrupted.
    const spanned = await filesOf();
    await tellAfter(core, call, { ...info, error, duration_ms: millisecondsSince(began) });
    throw new AttemptFailed(error, spanned);
  }
  const packed = core.pack(result, call.tool ? 'tool_results' : 'step_results');
  const { blobs, ...tool } = packCall(core, call, result);
  const ms = millisecondsSince(began);
  const spanned = await filesOf();
  const reads = call.reads?.() ?? [];
  const read = reads.length > 0 ? { reads: [...reads] } : {};
  const step = { ms, result: packed.stored, ...kept.entry, ...spanned, ...read, ...tool };
  await writeStep(core, operation, danger, step, [...packed.blobs, ...blobs, ...kept.blobs]);
  await tellAfter(core, call, { ...info, error: null, duration_ms: ms });
  return result;
}

/** What makes the step a tool call of the conversation. */
function packCall(
  core: RunContext,
  call: StepCall<unknown>,
  output: unknown,
): { tool?: ToolCall; blobs: readonly NewBlob[] } {
  if (!call.tool) return { blobs: [] };
  const { stored, blobs, bytes } = core.pack(call.tool.input ?? null, 'tool_inputs');
  return { tool: { tool: call.tool.name, input: stored, bytes: bytes + roughSize(output) }, blobs };
}

/** The context of the step, for the checkpoints that name it. The input of a tool is kept with its result. */
function packContext(
  core: RunContext,
  given: unknown,
): { entry: { context?: unknown }; blobs: readonly NewBlob[] } {
  if (given === undefined) return { entry: {}, blobs: [] };
  const { stored, blobs } = core.pack(given, 'step_results');
  return { entry: { context: stored }, blobs };
}

function askBefore<T>(
  core: RunContext,
  call: StepCall<T>,
  info: StepInfo,
): Promise<Readonly<Record<string, unknown>>> {
  if (!call.tool) return ask(core.hooks.beforeStep, 'beforeStep', info);
  return ask(core.hooks.beforeTool, 'beforeTool', { ...info, input: call.tool.input });
}

async function tellAfter(core: RunContext, call: StepCall<unknown>, ended: StepInfo & Ended): Promise<void> {
  if (!call.tool) await tell(core.hooks.afterStep, 'afterStep', ended);
  else await tell(core.hooks.afterTool, 'afterTool', { ...ended, input: call.tool.input });
}

/** `true` only says that it has external effects. */
function dangerOf(call: StepCall<unknown>): Danger | null {
  const { dangerous = false } = call.options;
  if (dangerous === true) return 'external_api';
  return dangerous === false ? null : dangerous;
}

/** Between attempts nothing is in progress: the task can be stopped here. */
async function pauseBetween(core: RunContext, ms: number): Promise<void> {
  if (insideStep.getStore()) return sleepFor(ms, core.stopSignal);
  core.safePoint.leave();
  try {
    await sleepFor(ms, core.stopSignal);
  } finally {
    await core.safePoint.enter();
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
