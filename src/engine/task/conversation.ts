/** The conversation in a task's journal: messages, tool outputs and decisions, whole or trimmed for a resumed agent. */

import { readContext as collectContext } from '../../checkpoint/context/context.ts';
import type { Summariser } from '../../checkpoint/context/summary.ts';
import type { ContextEntry } from '../../checkpoint/context/trim.ts';
import type { CheckpointContext, Message, ToolOutput } from '../../checkpoint/record/record.ts';
import { looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import { type LoadBlob, unpackValue } from '../../checkpoint/values/pack.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Position, Storage } from '../../storage/contract.ts';
import type { Services } from '../api/services.ts';
import { attemptKey } from './context-counts.ts';
import type { Entry, EntryOf, ToolCall } from './entries.ts';
import { type LiveEntry, liveParts } from './journal.ts';
import { blobLoader } from './packing.ts';
import type { Head } from './records/head.ts';

type ContextItem = ContextEntry;

export type ContextServices = Pick<Services, 'storage' | 'config'> & {
  readonly summariser?: Summariser | undefined;
};

export async function readContext(
  services: ContextServices,
  head: Head,
  { all, upTo }: { all: boolean; upTo?: Position },
): Promise<CheckpointContext> {
  const parts = contextParts(services.storage, head, { upTo });
  return collectContext(parts, all ? 'whole' : 'trimmed', services.config.checkpoints, services.summariser);
}

export interface ContextOptions {
  readonly upTo?: Position | undefined;
  /** Called with every entry; `last` ends the reading with that one. */
  readonly seen?: (one: LiveEntry) => 'last' | undefined;
  /** Filled with the entry that each item's value comes from, as `{task}/{number}`. */
  readonly places?: Map<unknown, string>;
}

/** Oldest first, in parts as they are read. What a step recorded in an attempt that did not finish is left out. */
export async function* contextParts(
  storage: Storage,
  head: Head,
  { upTo, seen, places }: ContextOptions = {},
): AsyncGenerator<readonly ContextItem[]> {
  const load = blobLoader(storage, head);
  const pending = new Map<string, ContextItem[]>();
  for await (const part of liveParts(storage, head, upTo)) {
    const items: ContextItem[] = [];
    let isLast = false;
    for (const one of part) {
      const { task, seq, entry } = one;
      isLast = seen?.(one) === 'last';
      let item = itemOf(entry, one.hash);
      if (item) {
        if (isPacked(item)) {
          await unpack(item, load);
          item = { ...item, hash: undefined };
        }
        places?.set(item.value, `${task}/${seq}`);
      }
      if (entry.t === 'step' || entry.t === 'failure') {
        const key = pending.size > 0 ? attemptKey(entry.id, entry.attempt) : '';
        if (entry.t === 'step') items.push(...(pending.get(key) ?? []));
        pending.delete(key);
        if (item) items.push(item);
      } else if (item) {
        const within = (entry as EntryOf<'message'>).in;
        if (!within) items.push(item);
        else listAt(pending, attemptKey(within.step, within.attempt)).push(item);
      } else if (RESTARTS.has(entry.t)) {
        pending.clear();
      }
      if (isLast) break;
    }
    if (items.length > 0) yield items;
    if (isLast) return;
  }
}

/** One by one. */
export async function* contextItems(
  storage: Storage,
  head: Head,
  options: ContextOptions = {},
): AsyncGenerator<ContextItem> {
  for await (const part of contextParts(storage, head, options)) for (const item of part) yield item;
}

/**
 * Another run continues from here: what was in progress before it starts again, with the same attempt, and says it again.
 */
const RESTARTS: ReadonlySet<Entry['t']> = new Set(['recovery', 'rollback', 'retry', 'fork']);

/** The members of an item that are stored packed. */
const PACKED = ['content', 'input', 'output'] as const;
type Members = { [Name in (typeof PACKED)[number]]?: unknown };

/** Most of a conversation is not in blobs, and need not be waited for. */
function isPacked({ kind, value }: ContextItem): boolean {
  if (kind === 'message') return looksLikeReference(value.content);
  return kind === 'tool' && (looksLikeReference(value.input) || looksLikeReference(value.output));
}

async function unpack({ value }: ContextItem, load: LoadBlob): Promise<void> {
  const members = value as Members;
  for (const name of PACKED)
    if (looksLikeReference(members[name])) members[name] = await orLost(members[name], load);
}

/** Recovery goes back past what a run needs; other lost parts are marked in their place. */
export async function orLost(stored: unknown, load: LoadBlob): Promise<unknown> {
  try {
    return await unpackValue(stored, load);
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    return phrase`[lost: ${error.message}]`;
  }
}

/** A tool call that has ended. */
function callOf(
  entry: EntryOf<'step'> | EntryOf<'failure'>,
  { tool, input, status }: ToolCall,
  hash: string,
): ContextItem {
  const call = { tool, input, duration_ms: entry.ms, ...from(entry) };
  const value: ToolOutput =
    entry.t === 'step'
      ? { ...call, output: entry.result, status: status ?? 'success' }
      : { ...call, output: entry.error.message, status: status ?? 'error' };
  return { kind: 'tool', value, hash };
}

function from({ at, agent }: { at: string; agent: string }): { at: string; agent?: string } {
  return { at, ...(agent === '' ? {} : { agent }) };
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** What the entry adds, its values as they are stored. */
function itemOf(entry: Entry, hash: string): ContextItem | null {
  switch (entry.t) {
    case 'message': {
      const role = entry.role as Message['role'];
      const { content, at, agent } = entry;
      const value = agent === '' ? { role, content, at } : { role, content, at, agent };
      return { kind: 'message', value, hash };
    }
    case 'tool': {
      const { tool, input, output, status, ms } = entry;
      const timed = ms === undefined ? {} : { duration_ms: ms };
      return { kind: 'tool', value: { tool, input, output, status, ...timed, ...from(entry) }, hash };
    }
    case 'decision': {
      const { what, why, alternatives } = entry;
      const more = { ...(why === undefined ? {} : { why }), ...(alternatives ? { alternatives } : {}) };
      return { kind: 'decision', value: { what, ...more, ...from(entry) }, hash };
    }
    case 'step':
      return entry.tool ? callOf(entry, entry.tool, hash) : null;
    case 'failure':
      return entry.tool && entry.final ? callOf(entry, entry.tool, hash) : null;
    default:
      return null;
  }
}
