/** The entries that a task's function and an agent's events have in common. */
import type { CheckpointTrigger, Decision } from '../../checkpoint/record/record.ts';
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import type { NewBlob } from '../../storage/contract.ts';
import type { Danger } from '../api/context.ts';
import type { OwnWrite } from '../files/workspace-link.ts';
import type { EntryOf, FileSpan } from '../task/entries.ts';
import { sizeBeside } from '../task/packing.ts';
import type { Answer } from './answers.ts';
import { nowIso, type RunContext } from './run-context.ts';
import type { Operation, WriteOptions } from './writing.ts';

type More<T extends 'begin' | 'step' | 'failure'> = Omit<EntryOf<T>, keyof Operation | 't'>;

export type EndedStep = More<'step'>;

/** Before it runs: without its end, its outcome is unknown. */
export function writeBegin(
  { writer }: RunContext,
  operation: Operation,
  begin: More<'begin'>,
  blobs: readonly NewBlob[],
): Promise<void> {
  const event = `before_${begin.danger}` as CheckpointTrigger;
  return writer.write({ t: 'begin', ...operation, ...begin }, { blobs, event });
}

export function tellStarted(
  active: RunContext,
  { id, name, attempt }: Operation,
  danger: Danger | null,
  unknown = false,
): void {
  active.emit({ type: 'step.started', task: active.task, id, name, attempt, unknown, danger });
}

export async function writeStep(
  active: RunContext,
  operation: Operation,
  danger: Danger | null,
  step: EndedStep,
  blobs: readonly NewBlob[],
): Promise<void> {
  const { id, name, attempt } = operation;
  await active.writer.write(
    { t: 'step', ...operation, ...step },
    { blobs, event: eventsAfter(danger, step) },
  );
  active.emit({ type: 'step.completed', task: active.task, id, name, attempt, duration_ms: step.ms });
}

/** `thrown` is what listeners get. */
export async function writeFailure(
  active: RunContext,
  operation: Operation,
  failure: More<'failure'>,
  options: WriteOptions,
  thrown: unknown,
): Promise<void> {
  const { id, name, attempt } = operation;
  const { final } = failure;
  await active.writer.write({ t: 'failure', ...operation, ...failure }, options);
  active.emit({ type: 'step.failed', task: active.task, id, name, attempt, error: thrown, final });
}

/** It does not run: its condition did not hold, or it was refused. */
export function writeSkip(
  { writer }: RunContext,
  { id, name, agent, index, at }: Omit<Operation, 'attempt'>,
  reason?: string,
): Promise<void> {
  return writer.write({ t: 'skip', id, name, agent, index, at, ...(reason === undefined ? {} : { reason }) });
}

type Made<T extends 'message' | 'decision'> = Omit<EntryOf<T>, 't' | 'at' | 'bytes' | 'mark'>;

/** `otherwise`: the event of a message that is not a person's. */
export async function writeMessage(
  active: RunContext,
  { content, ...message }: Made<'message'>,
  otherwise?: CheckpointTrigger,
): Promise<void> {
  const { agent, role } = message;
  const { stored, blobs, bytes } = active.pack(content, 'messages');
  const event = role === 'user' ? 'after_user_input' : otherwise;
  await active.writer.write(
    { t: 'message', at: nowIso(active), ...message, content: stored, ...sizeBeside(stored, bytes) },
    { blobs, ...(event === undefined ? {} : { event }) },
  );
  active.emit({ type: 'message', task: active.task, agent, role });
}

export function writeDecision(
  active: RunContext,
  decision: Decision,
  where: Pick<Made<'decision'>, 'agent' | 'in'>,
): Promise<void> {
  const { what, why, alternatives } = active.redact(decision);
  return active.writer.write({
    t: 'decision',
    at: nowIso(active),
    what,
    ...(why === undefined ? {} : { why }),
    ...(alternatives === undefined ? {} : { alternatives: alternatives as string[] }),
    bytes: roughSize(what) + roughSize(why ?? ''),
    ...where,
  });
}

/** `output` of one that failed is null. */
export async function writeAgentEnd(
  active: RunContext,
  agent: Pick<EntryOf<'agent'>, 'id' | 'name' | 'at' | 'ms' | 'error'>,
  output: unknown,
): Promise<void> {
  const { id, name, error } = agent;
  const status = error ? 'failed' : 'success';
  const { stored, blobs } = active.pack(output, 'agent_outputs');
  await active.writer.write(
    { t: 'agent', ...agent, status, result: stored },
    { blobs, event: 'after_subagent' },
  );
  active.emit({ type: 'agent.completed', task: active.task, id, name, status });
}

/** Asks, unless an earlier run has; the task is waiting from now on. */
export async function writeWait(
  active: RunContext,
  asked: Pick<EntryOf<'wait'>, 'id' | 'kind' | 'prompt' | 'timeout_at'>,
): Promise<EntryOf<'wait'>> {
  const known = active.memory.waits.get(asked.id);
  const prompt = active.redact(asked.prompt);
  const wait = known ?? { t: 'wait', at: nowIso(active), ...asked, prompt };
  if (!known) await active.writer.write(wait);
  await active.beginWaiting(wait);
  return wait;
}

export async function writeAnswer(active: RunContext, { entry, blobs }: Answer): Promise<void> {
  await active.writer.write(entry, { blobs, event: 'after_user_input' });
  await active.endWaiting();
}

/** Nobody needs the answer any more. */
export function withdrawWait({ writer, clock }: RunContext, id: string): Promise<void> {
  const nobody = { value: null, by: null, message: null };
  return writer.write({ t: 'answer', id, at: nowIso({ clock }), outcome: 'withdrawn', ...nobody });
}

/** `files` of an operation's end. */
export type Spanned = { readonly files?: FileSpan | undefined };

/** An operation that may change any file, such as a command, is a change of files when it has changed one. */
export function eventsAfter(danger: Danger | null, { files }: Spanned): readonly CheckpointTrigger[] {
  const changed = danger === 'file_change' || (files !== undefined && files.from !== files.to);
  return changed ? AFTER_CHANGE : AFTER_STEP;
}

const AFTER_CHANGE: readonly CheckpointTrigger[] = ['after_file_change', 'after_step'];
const AFTER_STEP: readonly CheckpointTrigger[] = ['after_step'];

/**
 * What was done to files since a snapshot. `wrote`: what it wrote, or which files it can have changed, where that is known;
 * `answered`: the files when its result was answered, if that was before this.
 */
export async function spanSince(
  active: Pick<RunContext, 'snapshot' | 'ownPart' | 'place'>,
  from: string | undefined,
  by: FileSpan['by'],
  wrote?: () => OwnWrite,
  answered?: string,
): Promise<Spanned> {
  const to = from === undefined ? undefined : await active.snapshot({ full: by === 'shell' });
  if (from === undefined || to === undefined) return {};
  const part = wrote ? await active.ownPart(from, to, wrote()) : null;
  // Nobody can tell who changed what after the answer: it is not the operation's.
  const own = part ?? (answered === undefined || answered === to ? null : { from, to: answered });
  const { place } = active;
  return { files: { from, to, by, ...(own ? { own } : {}), ...(place === undefined ? {} : { place }) } };
}
