/**
 * Trims what a resumed agent gets: the newest messages and tool outputs whole, older ones as one summary in front. Nothing
 * is destroyed: the journal keeps everything. Entries come one by one, oldest first, so that a long history is never held
 * whole.
 */
import type { CheckpointsConfig } from '../../config/types.ts';
import { addDecision, addMessage, addTool, noFacts } from '../facts/collect.ts';
import type { CheckpointContext, Decision, Message, ToolOutput } from '../record/record.ts';
import { roughSize } from '../values/rough-size.ts';
import { renderFacts, type Summariser } from './summary.ts';

export type TrimSettings = Pick<CheckpointsConfig, 'keep_messages' | 'keep_tool_outputs'>;

export type ContextEntry = (
  | { readonly kind: 'message'; readonly value: Message }
  | { readonly kind: 'tool'; readonly value: ToolOutput }
  | { readonly kind: 'decision'; readonly value: Decision }
) & {
  /** Of the journal at the entry that it is from, if that has all of the value. */
  readonly hash?: string | undefined;
};

interface Trimmer {
  /** A promise only while the summariser is running: wait for it before the next one. */
  add(entry: ContextEntry): Promise<void> | undefined;
  finish(): Promise<CheckpointContext>;
}

export function createTrimmer(settings: TrimSettings, summariser?: Summariser): Trimmer {
  const digest = summariser ? summariserDigest(summariser) : factsDigest();
  const messages = createWindow(settings.keep_messages);
  const outputs = createWindow(settings.keep_tool_outputs);
  const decisions: { value: Decision; number: number }[] = [];
  let number = 0;
  /** The newest entry that was trimmed. */
  let newest: { number: number; at: string | undefined } | null = null;

  const trim = (trimmed: Older, at: number): Promise<void> | undefined => {
    if (!newest || at > newest.number) newest = { number: at, at: trimmed.value.at };
    return digest.take(trimmed);
  };

  return {
    add(entry) {
      number += 1;
      const { kind } = entry;
      if (kind === 'decision') decisions.push({ value: entry.value, number });
      const window = kind === 'message' ? messages : kind === 'tool' ? outputs : null;
      const dropped = window?.push(entry, number);
      return dropped ? trim(dropped.entry, dropped.number) : undefined;
    },

    async finish() {
      const context = {
        messages: messages.values() as Message[],
        tool_outputs: outputs.values() as ToolOutput[],
        decisions: decisions.map(({ value }) => value),
      };
      if (!newest) return context;
      for (const decision of decisions) {
        if (decision.number < newest.number) await digest.take({ kind: 'decision', value: decision.value });
      }
      const content = await digest.text();
      const { at } = newest;
      const summary: Message = { role: 'summary', content, ...(at === undefined ? {} : { at }) };
      return { ...context, messages: [summary, ...context.messages] };
    },
  };
}

type Older = ContextEntry;

/** What becomes of older entries. */
interface Digest {
  take(older: Older): Promise<void> | undefined;
  text(): string | Promise<string>;
}

/** Keeps the facts of each entry, but not the entry itself. */
function factsDigest(): Digest {
  const facts = noFacts();
  return {
    take({ kind, value, hash }) {
      if (kind === 'message') addMessage(facts, value, hash);
      else if (kind === 'tool') addTool(facts, value, hash);
      else addDecision(facts, value);
      return undefined;
    },
    text: () => renderFacts(facts),
  };
}

/** How many characters a summariser gets at once. */
const LARGEST_PART = 4_000_000;

function summariserDigest(summariser: Summariser): Digest {
  /** In the order of the parts, whichever is ready first. */
  const texts: Promise<string>[] = [];
  let part = nothing();
  let size = 0;
  const hand = async (): Promise<void> => {
    const input = part;
    part = nothing();
    size = 0;
    texts.push(Promise.resolve(input).then(summariser));
    await texts.at(-1);
  };
  return {
    take({ kind, value }) {
      if (kind === 'message') part.messages.push(value);
      else if (kind === 'tool') part.tool_outputs.push(value);
      else part.decisions.push(value);
      size += roughSize(value);
      return size > LARGEST_PART ? hand() : undefined;
    },
    async text() {
      if (size > 0) await hand();
      return (await Promise.all(texts)).join('\n\n');
    },
  };
}

function nothing(): { messages: Message[]; tool_outputs: ToolOutput[]; decisions: Decision[] } {
  return { messages: [], tool_outputs: [], decisions: [] };
}

interface Window {
  /** The one that no longer fits, with its number. */
  push(entry: ContextEntry, number: number): Numbered | undefined;
  values(): ContextEntry['value'][];
}

interface Numbered {
  readonly entry: ContextEntry;
  readonly number: number;
}

/** The newest `size` values, in a ring. */
function createWindow(size: number): Window {
  const ring: Numbered[] = [];
  let oldest = 0;
  return {
    push(entry, number) {
      const pushed = { entry, number };
      if (size === 0) return pushed;
      if (ring.length < size) {
        ring.push(pushed);
        return undefined;
      }
      const dropped = ring[oldest]!;
      ring[oldest] = pushed;
      oldest = (oldest + 1) % size;
      return dropped;
    },
    values: () => [...ring.slice(oldest), ...ring.slice(0, oldest)].map(({ entry }) => entry.value),
  };
}
