/** What a journal entry is on a timeline: its row, or the end of one that has begun. Pure. */

import { onOneLine, valueOnOneLine } from '../../history/one-line.ts';
import type { RunEvent } from '../../history/run-records.ts';
import { commandFailed } from '../../task/command-step.ts';
import type { Entry, EntryOf } from '../../task/entries.ts';

export const ROW_KINDS = [
  ...(['step', 'tool', 'shell', 'edit', 'message', 'decision', 'wait', 'answer', 'sleep', 'agent'] as const),
  ...(['status', 'recovery', 'rollback', 'redo', 'take', 'fork', 'checkpoint'] as const),
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** `unknown`: its end was not recorded. `refused`: a tool call that did not run. */
export const ROW_STATUSES = ['success', 'failed', 'pending', 'unknown', 'skipped', 'refused'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

export interface NewRow {
  readonly kind: RowKind;
  readonly id: string;
  readonly name: string;
  /** `''` for the task itself. */
  readonly agent: string;
  readonly at: number;
  /** Null while it lasts, and for what takes no time. */
  readonly ms: number | null;
  readonly attempt: number;
  readonly status: RowStatus;
  readonly text: string;
  /** How many files it changed; null: some, and how many is not recorded. */
  readonly files: number | null;
}

type Operation = EntryOf<'begin' | 'step' | 'failure' | 'skip'>;

export function isOperation(entry: Entry): entry is Operation {
  return entry.t === 'begin' || entry.t === 'step' || entry.t === 'failure' || entry.t === 'skip';
}

/**
 * Of the changes of status, those that a person would tell: it started, it stopped. Of the checkpoints, those that were asked
 * for.
 */
export function isShown(entry: Entry, run: RunEvent | null, moved: boolean): boolean {
  if (entry.t === 'checkpoint') return entry.mark?.by === 'manual';
  if (entry.t !== 'status') return entry.t !== 'retry' || !moved;
  if (entry.to === 'in_progress') return run?.kind === 'began' && run.after === 'start';
  return run?.kind === 'ended' || (!moved && entry.to === 'cancelled');
}

/** Null for what has no row. */
export function rowOf(entry: Entry): NewRow | null {
  const at = Date.parse(entry.at);
  switch (entry.t) {
    case 'begin':
    case 'step':
    case 'failure':
    case 'skip':
      return operationRow(entry, at);
    case 'message':
      return {
        ...row('message', entry.role, entry.agent, at),
        text: valueOnOneLine(entry.content, LONGER) ?? '',
      };
    case 'tool': {
      const { tool, agent, status, ms = null } = entry;
      const ended = status === 'error' ? 'failed' : status;
      return { ...row('tool', tool, agent, at), ms, status: ended, text: valueOnOneLine(entry.output) ?? '' };
    }
    case 'decision':
      return { ...row('decision', 'decision', entry.agent, at), text: onOneLine(entry.what, LONGER) };
    case 'wait':
      return {
        ...row('wait', entry.kind, agentIn(entry.id), at, entry.id),
        status: 'pending',
        text: onOneLine(entry.prompt ?? '', LONGER),
      };
    case 'answer':
      return {
        ...row('answer', entry.outcome, agentIn(entry.id), at, entry.id),
        status:
          entry.outcome === 'answered' ? 'success' : entry.outcome === 'timed_out' ? 'failed' : 'skipped',
        text: entry.outcome === 'answered' ? (valueOnOneLine(entry.value) ?? '') : '',
      };
    case 'sleep':
      return { ...row('sleep', 'sleep', agentIn(entry.id), at, entry.id), ms: Date.parse(entry.until) - at };
    case 'agent':
      return {
        ...row('agent', entry.name, entry.id, at, entry.id),
        ms: entry.ms,
        status: entry.status,
        text: entry.error ? onOneLine(entry.error.message) : (valueOnOneLine(entry.result) ?? ''),
      };
    case 'recovery':
      return { ...row('recovery', 'recovery', '', at), text: onOneLine(entry.notes.join(' '), LONGER) };
    case 'retry':
      return row('status', 'retry', '', at);
    case 'rollback':
      return {
        ...row('rollback', entry.files ? 'files' : 'rollback', '', at),
        text: entry.checkpoint ?? '',
        files: entry.changed ? null : 0,
      };
    case 'redo':
      return { ...row('redo', 'redo', '', at), files: entry.changed ? null : 0 };
    case 'take':
      return { ...row('take', 'take', '', at), text: entry.from, files: entry.changed ? null : 0 };
    case 'fork':
      return { ...row('fork', 'fork', '', at), text: entry.checkpoint };
    case 'checkpoint':
      return row('checkpoint', 'checkpoint', '', at);
    case 'status':
      return {
        ...row('status', entry.to, '', at),
        status: entry.to === 'failed' ? 'failed' : 'success',
        text: onOneLine(entry.reason ?? '', LONGER),
      };
    default:
      return null;
  }
}

const LONGER = 120;

function row(kind: RowKind, name: string, agent: string, at: number, id = ''): NewRow {
  return { kind, id, name, agent, at, ms: null, attempt: 1, status: 'success', text: '', files: 0 };
}

function operationRow(entry: Operation, at: number): NewRow {
  const { id, name, agent } = entry;
  const begun = row(kindOf(entry), name, agent, at, id);
  switch (entry.t) {
    case 'begin':
      return {
        ...begun,
        attempt: entry.attempt,
        status: 'pending',
        text: subjectOf(entry),
        files: entry.snapshot === undefined ? 0 : (entry.paths?.length ?? null),
      };
    case 'step': {
      const { tool, ms, attempt, result } = entry;
      const text = valueOnOneLine(result) ?? '';
      const wrong = tool?.status === 'error' || commandFailed({ name, result: text });
      const status = tool?.status === 'unknown' ? 'unknown' : wrong ? 'failed' : 'success';
      return { ...begun, ms, attempt, status, text, files: filesOf(entry) };
    }
    case 'failure': {
      const { tool, ms, attempt, error } = entry;
      const status = tool?.status === 'unknown' ? 'unknown' : 'failed';
      return { ...begun, ms, attempt, status, text: onOneLine(error.message, LONGER), files: filesOf(entry) };
    }
    case 'skip': {
      const { reason } = entry;
      const refused = reason !== undefined;
      return { ...begun, status: refused ? 'refused' : 'skipped', text: onOneLine(reason ?? '', LONGER) };
    }
  }
}

function filesOf({ files }: EntryOf<'step' | 'failure'>): number | null {
  return files === undefined || files.from === files.to ? 0 : null;
}

/** What it is about: the files it changes, or what the tool is given. */
function subjectOf({ paths, tool }: EntryOf<'begin'>): string {
  return paths && paths.length > 0
    ? onOneLine(paths.join(', '))
    : tool
      ? (valueOnOneLine(tool.input) ?? '')
      : '';
}

function kindOf(entry: Operation): RowKind {
  if (entry.t === 'begin' && entry.danger === 'shell_command') return 'shell';
  if (entry.t === 'begin' && entry.danger === 'file_change') return 'edit';
  if (entry.t !== 'begin' && entry.t !== 'skip' && entry.files?.by === 'shell') return 'shell';
  if (entry.name === 'tool:shell') return 'shell';
  if (entry.name.startsWith('files.') && !entry.name.startsWith('files.read ')) return 'edit';
  return entry.t !== 'skip' && entry.tool ? 'tool' : entry.name.startsWith('tool:') ? 'tool' : 'step';
}

/** Ids are `{agent}/{name}#{occurrence}`. */
function agentIn(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('/')));
}
