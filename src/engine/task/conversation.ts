/** The conversation in a task's journal: messages, tool outputs and decisions, whole or trimmed for a resumed agent. */

import type { Summariser } from '../../checkpoint/context/summary.ts';
import { createTrimmer } from '../../checkpoint/context/trim.ts';
import type { CheckpointContext, Decision, Message, ToolOutput } from '../../checkpoint/record/record.ts';
import { looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import { type LoadBlob, unpackValue } from '../../checkpoint/values/pack.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Position, Storage } from '../../storage/contract.ts';
import type { Services } from '../api/services.ts';
import { attemptKey } from './context-counts.ts';
import type { Entry, EntryOf, ToolCall } from './entries.ts';
import { liveEntries } from './journal.ts';
import { blobLoader } from './packing.ts';
import type { Head } from './records/head.ts';

export type ContextItem =
  | { readonly kind: 'message'; readonly value: Message }
  | { readonly kind: 'tool'; readonly value: ToolOutput }
  | { readonly kind: 'decision'; readonly value: Decision };

export type ContextServices = Pick<Services, 'storage' | 'config'> & {
  readonly summariser?: Summariser | undefined;
};

export async function readContext(
  host: ContextServices,
  head: Head,
  { all, upTo }: { all: boolean; upTo?: Position },
): Promise<CheckpointContext> {
  const items = contextItems(host.storage, head, { upTo });
  if (!all) {
    const trimmer = createTrimmer(host.config.checkpoints, host.summariser);
    for await (const item of items) await trimmer.add(item);
    return trimmer.finish();
  }
  const context = {
    messages: [] as Message[],
    tool_outputs: [] as ToolOutput[],
    decisions: [] as Decision[],
  };
  for await (const { kind, value } of items) {
    if (kind === 'message') context.messages.push(value);
    else if (kind === 'tool') context.tool_outputs.push(value);
    else context.decisions.push(value);
  }
  return context;
}

export interface ContextOptions {
  readonly upTo?: Position | undefined;
  /** Called with every entry. */
  readonly seen?: (entry: Entry) => void;
  /** Filled with the entry that each item's value comes from, as `{task}/{number}`. */
  readonly places?: Map<unknown, string>;
}

/** Oldest first. What a step recorded in an attempt that did not finish is left out. */
export async function* contextItems(
  storage: Storage,
  head: Head,
  { upTo, seen, places }: ContextOptions = {},
): AsyncGenerator<ContextItem> {
  const load = blobLoader(storage, head);
  const pending = new Map<string, ContextItem[]>();
  const unpack: Unpack = (stored) => (looksLikeReference(stored) ? orLost(stored, load) : stored);
  for await (const { task, seq, entry } of liveEntries(storage, head, upTo)) {
    seen?.(entry);
    const item = await itemOf(entry, unpack);
    if (item) {
      places?.set(item.value, `${task}/${seq}`);
      const within = (entry as EntryOf<'message'>).in;
      if (!within) yield item;
      else listAt(pending, attemptKey(within.step, within.attempt)).push(item);
    } else if (entry.t === 'step' || entry.t === 'failure') {
      const key = attemptKey(entry.id, entry.attempt);
      if (entry.t === 'step') yield* pending.get(key) ?? [];
      pending.delete(key);
      if (entry.tool && (entry.t === 'step' || entry.final)) {
        const call = await callOf(entry, entry.tool, unpack);
        places?.set(call.value, `${task}/${seq}`);
        yield call;
      }
    } else if (RESTARTS.has(entry.t)) {
      pending.clear();
    }
  }
}

/**
 * Another run continues from here: what was in progress before it starts again, with the same attempt, and says it again.
 */
const RESTARTS: ReadonlySet<Entry['t']> = new Set(['recovery', 'rollback', 'retry', 'fork']);

/** A promise only for what is in a blob: most of a conversation is not, and need not be waited for. */
type Unpack = (stored: unknown) => unknown;

/** Recovery goes back past what a run needs; other lost parts are marked in their place. */
async function orLost(stored: unknown, load: LoadBlob): Promise<unknown> {
  try {
    return await unpackValue(stored, load);
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    return phrase`[lost: ${error.message}]`;
  }
}

/** A tool call that has ended. */
async function callOf(
  entry: EntryOf<'step'> | EntryOf<'failure'>,
  { tool, input, status }: ToolCall,
  unpack: Unpack,
): Promise<ContextItem> {
  const call = { tool, input: await unpack(input), duration_ms: entry.ms, ...from(entry) };
  const value: ToolOutput =
    entry.t === 'step'
      ? { ...call, output: await unpack(entry.result), status: status ?? 'success' }
      : { ...call, output: entry.error.message, status: status ?? 'error' };
  return { kind: 'tool', value };
}

function from({ at, agent }: { at: string; agent: string }): { at: string; agent?: string } {
  return { at, ...(agent === '' ? {} : { agent }) };
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

async function itemOf(entry: Entry, unpack: Unpack): Promise<ContextItem | null> {
  switch (entry.t) {
    case 'message': {
      const role = entry.role as Message['role'];
      return { kind: 'message', value: { role, content: await unpack(entry.content), ...from(entry) } };
    }
    case 'tool': {
      const { tool, status, ms } = entry;
      const [input, output] = [await unpack(entry.input), await unpack(entry.output)];
      const timed = ms === undefined ? {} : { duration_ms: ms };
      return { kind: 'tool', value: { tool, input, output, status, ...timed, ...from(entry) } };
    }
    case 'decision': {
      const { what, why, alternatives } = entry;
      const more = { ...(why === undefined ? {} : { why }), ...(alternatives ? { alternatives } : {}) };
      return { kind: 'decision', value: { what, ...more, ...from(entry) } };
    }
    default:
      return null;
  }
}
