/** The entries of an operation, be it a task's step or an agent's tool call: written when it begins and when it ends. */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import type { NewBlob } from '../../storage/contract.ts';
import type { Danger } from '../api/context.ts';
import type { FileWrite } from '../files/workspace-link.ts';
import type { EntryOf, FileSpan } from '../task/entries.ts';
import type { RunContext } from './run-context.ts';
import type { WriteOptions } from './writing.ts';

export interface Operation {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly index: number;
  readonly attempt: number;
  readonly at: string;
}

type More<T extends 'begin' | 'step' | 'failure'> = Omit<EntryOf<T>, keyof Operation | 't'>;

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
  core: RunContext,
  { id, name, attempt }: Operation,
  danger: Danger | null,
  unknown = false,
): void {
  core.emit({ type: 'step.started', task: core.task, id, name, attempt, unknown, danger });
}

export async function writeStep(
  core: RunContext,
  operation: Operation,
  danger: Danger | null,
  step: More<'step'>,
  blobs: readonly NewBlob[],
): Promise<void> {
  const { id, name, attempt } = operation;
  await core.writer.write({ t: 'step', ...operation, ...step }, { blobs, event: eventsAfter(danger, step) });
  core.emit({ type: 'step.completed', task: core.task, id, name, attempt, duration_ms: step.ms });
}

/** `thrown` is what listeners get. */
export async function writeFailure(
  core: RunContext,
  operation: Operation,
  failure: More<'failure'>,
  options: WriteOptions,
  thrown: unknown,
): Promise<void> {
  const { id, name, attempt } = operation;
  const { final } = failure;
  await core.writer.write({ t: 'failure', ...operation, ...failure }, options);
  core.emit({ type: 'step.failed', task: core.task, id, name, attempt, error: thrown, final });
}

/** `files` of an operation's end. */
export type Spanned = { readonly files?: FileSpan | undefined };

/** An operation that may change any file, such as a command, is a change of files when it has changed one. */
export function eventsAfter(danger: Danger | null, { files }: Spanned): CheckpointTrigger[] {
  const changed = danger === 'file_change' || (files !== undefined && files.from !== files.to);
  return changed ? ['after_file_change', 'after_step'] : ['after_step'];
}

/** What was done to files since a snapshot; `wrote` if the files to change are known. */
export async function spanSince(
  core: Pick<RunContext, 'snapshot' | 'ownPart' | 'place'>,
  from: string | undefined,
  by: FileSpan['by'],
  wrote?: () => FileWrite | null,
): Promise<Spanned> {
  const to = from === undefined ? undefined : await core.snapshot({ full: by === 'shell' });
  if (from === undefined || to === undefined) return {};
  const own = wrote ? await core.ownPart(from, to, wrote()) : null;
  const { place } = core;
  return { files: { from, to, by, ...(own ? { own } : {}), ...(place === undefined ? {} : { place }) } };
}
