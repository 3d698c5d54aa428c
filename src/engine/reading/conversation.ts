/** The conversation of a task, a page at a time, out of its journal: as it is now, also while it runs. */
import type { Storage } from '../../storage/contract.ts';
import { type Entry, type EntryOf, parseEntry } from '../task/entries.ts';
import { createJoiner } from '../task/joined.ts';
import { blobLoader } from '../task/packing.ts';
import { isDead } from '../task/records/head.ts';
import { unpacked } from './entry.ts';
import { fitted } from './fitting.ts';
import { deadOf } from './timeline/dead.ts';
import type { TimelineIndex } from './timeline/index.ts';
import { timelineOf } from './timeline/kept.ts';
import type { EntryAt } from './timeline/said.ts';

export interface ConversationPage {
  readonly task: string;
  readonly position: number;
  readonly total: number;
  readonly messages: readonly SaidMessage[];
}

export interface SaidMessage {
  readonly index: number;
  /** Its entry, and in whose journal that is. */
  readonly seq: number;
  readonly task: string;
  /** Who says it; `tool` for a call with its result, `decision` for what an agent decided. */
  readonly role: string;
  readonly agent: string | null;
  readonly at: string;
  /** What can be read of it; null for what is no text. */
  readonly text: string | null;
  readonly content: unknown;
  /** More of it is in the entry. */
  readonly truncated: boolean;
  readonly tool: { readonly name: string; readonly status: string; readonly ms: number | null } | null;
  /** The agent's own id of it. */
  readonly ref: string | null;
}

export interface ConversationQuery {
  /** The first message; default: so that the newest are returned. */
  readonly from?: number | undefined;
  readonly limit: number;
}

/** The whole of a message is in its entry. */
const MOST = 100_000;

export async function readConversation(
  storage: Storage,
  task: string,
  { from, limit }: ConversationQuery,
): Promise<ConversationPage> {
  const { index } = await timelineOf(storage, task);
  const live = liveIn(index);
  const first = Math.min(from ?? Math.max(0, live.length - limit), live.length);
  const wanted = live.slice(first, first + limit).map((row) => saidAt(index, row));
  const places = wanted.flatMap(({ at, input, result }) => [at, input, result]);
  const found = await entriesAt(storage, index, places);
  const load = blobLoader(storage, index.head);
  const messages: SaidMessage[] = [];
  for (const [number, { at, input, result }] of wanted.entries()) {
    const entry = found.get(entryKey(at));
    if (entry) {
      const all = joined(entry, found.get(entryKey(input)), found.get(entryKey(result)));
      const whole = (await unpacked(all, load)) as MessageEntry;
      const { seq, journal } = at;
      messages.push({ index: first + number, seq, task: index.journals[journal]!, ...messageOf(whole) });
    }
  }
  return { task, position: index.position.seq, total: live.length, messages };
}

/** A message, and the entries that have the input and the result of a call. */
interface SaidAt {
  readonly at: EntryAt;
  readonly input: EntryAt;
  readonly result: EntryAt;
}

const entryKey = ({ journal, seq }: EntryAt): string => `${journal}/${seq}`;

/** The rows of those that count. */
function liveIn({ head, said: { entries } }: TimelineIndex): number[] {
  const live: number[] = [];
  for (let row = 0; row < entries.length; row++)
    if (!isDead(deadOf(head, entries.get('journal', row)), entries.get('seq', row))) live.push(row);
  return live;
}

function saidAt({ said: { entries } }: TimelineIndex, row: number): SaidAt {
  return {
    at: { journal: entries.get('journal', row), seq: entries.get('seq', row) },
    input: { journal: entries.get('input_journal', row), seq: entries.get('input', row) },
    result: { journal: entries.get('result_journal', row), seq: entries.get('result', row) },
  };
}

/** Read in one go from each journal. */
async function entriesAt(
  storage: Storage,
  { journals }: TimelineIndex,
  wanted: readonly EntryAt[],
): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const [journal, task] of journals.entries()) {
    const numbers = new Set(
      wanted.filter((one) => one.journal === journal && one.seq > 0).map(({ seq }) => seq),
    );
    if (numbers.size === 0) continue;
    const range = { from: Math.min(...numbers), to: Math.max(...numbers) };
    for await (const { seq, data } of storage.read(task, range))
      if (numbers.has(seq)) found.set(entryKey({ journal, seq }), parseEntry(data, seq));
  }
  return found;
}

/** As it is to be read; the others are undefined where they are not needed, or gone. */
function joined(entry: Entry, begin: Entry | undefined, told: Entry | undefined): Entry {
  const join = createJoiner();
  if (begin) join(begin);
  if (told) join(told);
  return join(entry);
}

type MessageEntry = EntryOf<'message' | 'tool' | 'decision' | 'step' | 'failure'>;

function messageOf(entry: MessageEntry): Omit<SaidMessage, 'index' | 'seq' | 'task'> {
  const agent = entry.agent === '' ? null : entry.agent;
  const about = { agent, at: entry.at, ref: null, tool: null };
  switch (entry.t) {
    case 'message': {
      const { value, truncated } = fitted(entry.content, MOST);
      const text = textOf(value);
      return { ...about, role: entry.role, text, content: value, truncated, ref: entry.ref ?? null };
    }
    case 'decision': {
      const { what, why = null, alternatives = [] } = entry;
      const { value, truncated } = fitted({ what, why, alternatives }, MOST);
      return { ...about, role: 'decision', text: what, content: value, truncated };
    }
    case 'tool':
      return { ...about, ...callOf(entry.tool, entry.status, entry.ms ?? null, entry.input, entry.output) };
    case 'step':
    case 'failure': {
      const { tool, ms } = entry;
      const wrong = entry.t === 'failure';
      const output = wrong ? entry.error.message : entry.result;
      const status = tool?.status ?? (wrong ? 'error' : 'success');
      const told = callOf(tool?.tool ?? entry.name, status, ms, tool?.input, output);
      return { ...about, ...told, ref: tool?.call ?? null };
    }
  }
}

function callOf(name: string, status: string, ms: number | null, input: unknown, output: unknown) {
  const { value, truncated } = fitted({ input: input ?? null, output: output ?? null }, MOST);
  const said = (value as { output?: unknown } | null)?.output ?? null;
  return { role: 'tool', text: textOf(said), content: value, truncated, tool: { name, status, ms } };
}

/** A text, or the texts of its parts, as models have them. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part: unknown) => {
    const { text } = (part ?? {}) as { text?: unknown };
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length === 0 ? null : texts.join('\n');
}
