/** The context of a checkpoint, read from the journal up to its position. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Position } from '../../storage/contract.ts';
import type { CheckpointContext, CheckpointRecord, Decision, Message, ToolOutput } from '../record/record.ts';
import { roughSize } from '../values/rough-size.ts';
import type { Summariser } from './summary.ts';
import { type ContextEntry, createTrimmer, type TrimSettings } from './trim.ts';

/** Oldest first, one by one or in parts. */
export type ContextEntries = AsyncIterable<ContextEntry | readonly ContextEntry[]>;

/** What the journal of a task holds up to a position. */
export type JournalReader = (
  task: string,
  upTo: Position,
) => ContextEntries | Promise<ContextEntries | undefined>;

/** `whole`: all of it. `trimmed`: as a resumed agent gets it. `none`: not read at all. */
export type ContextMode = 'whole' | 'trimmed' | 'none';

type Counts = CheckpointRecord['context'];

export async function readContext(
  entries: ContextEntries | undefined,
  mode: ContextMode,
  settings: TrimSettings,
  summariser?: Summariser,
): Promise<CheckpointContext> {
  const whole = emptyContext();
  if (mode === 'none' || !entries) return whole;
  const trimmer = mode === 'trimmed' ? createTrimmer(settings, summariser) : null;
  for await (const part of entries) {
    for (const entry of listOf(part)) {
      const busy = trimmer ? trimmer.add(entry) : put(whole, entry);
      if (busy) await busy;
    }
  }
  return trimmer ? trimmer.finish() : whole;
}

/**
 * A checkpoint beyond the end of the journal, or with another hash at its end, belongs to a journal that no longer exists.
 */
export function assertWithin({ id, journal }: CheckpointRecord, end: Position): void {
  const same = journal.seq !== end.seq || journal.hash === end.hash;
  if (journal.seq <= end.seq && same) return;
  throw new CorruptError(
    phrase`The checkpoint ${id} refers to entry ${journal.seq} of a journal that ends ${same ? '' : 'differently '}at entry ${end.seq}.`,
    {
      data: { id, journal, end },
      hint: phrase`The journal was repaired or replaced. Recovery falls back to the checkpoint before it.`,
    },
  );
}

export async function countContext(entries: ContextEntries | undefined): Promise<Counts> {
  const counts = { messages: 0, tool_outputs: 0, decisions: 0, bytes: 0 };
  for await (const part of entries ?? []) {
    for (const { kind, value } of listOf(part)) {
      counts[MEMBER[kind]] += 1;
      counts.bytes += roughSize(value);
    }
  }
  return counts;
}

function listOf(part: ContextEntry | readonly ContextEntry[]): readonly ContextEntry[] {
  return Array.isArray(part) ? part : [part as ContextEntry];
}

const MEMBER = { message: 'messages', tool: 'tool_outputs', decision: 'decisions' } as const;

interface Collected {
  readonly messages: Message[];
  readonly tool_outputs: ToolOutput[];
  readonly decisions: Decision[];
}

function emptyContext(): Collected {
  return { messages: [], tool_outputs: [], decisions: [] };
}

function put(context: Collected, { kind, value }: ContextEntry): undefined {
  if (kind === 'message') context.messages.push(value);
  else if (kind === 'tool') context.tool_outputs.push(value);
  else context.decisions.push(value);
}
