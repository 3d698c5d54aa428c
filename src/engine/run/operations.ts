/** The entries of an operation, be it a task's step or an agent's tool call: written when it begins and when it ends. */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import type { NewBlob } from '../../storage/contract.ts';
import type { Danger } from '../api/context.ts';
import type { OwnWrite } from '../files/workspace-link.ts';
import type { EntryOf, FileSpan } from '../task/entries.ts';
import type { RunContext } from './run-context.ts';
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

/** `files` of an operation's end. */
export type Spanned = { readonly files?: FileSpan | undefined };

/** An operation that may change any file, such as a command, is a change of files when it has changed one. */
export function eventsAfter(danger: Danger | null, { files }: Spanned): readonly CheckpointTrigger[] {
  const changed = danger === 'file_change' || (files !== undefined && files.from !== files.to);
  return changed ? AFTER_CHANGE : AFTER_STEP;
}

const AFTER_CHANGE: readonly CheckpointTrigger[] = ['after_file_change', 'after_step'];
const AFTER_STEP: readonly CheckpointTrigger[] = ['after_step'];

/** What was done to files since a snapshot; `wrote`: what it wrote, or which files it can have changed, where that is known. */
export async function spanSince(
  active: Pick<RunContext, 'snapshot' | 'ownPart' | 'place'>,
  from: string | undefined,
  by: FileSpan['by'],
  wrote?: () => OwnWrite,
): Promise<Spanned> {
  const to = from === undefined ? undefined : await active.snapshot({ full: by === 'shell' });
  if (from === undefined || to === undefined) return {};
  const own = wrote ? await active.ownPart(from, to, wrote()) : null;
  const { place } = active;
  return { files: { from, to, by, ...(own ? { own } : {}), ...(place === undefined ? {} : { place }) } };
}
