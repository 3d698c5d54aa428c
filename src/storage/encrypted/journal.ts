/** Reading a journal: every entry opened in its place, in one unbroken chain, and no gap that nobody noted. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { START } from '../chain.ts';
import type { JournalEntry, JournalRange, Storage } from '../contract.ts';
import { assertRange } from '../query.ts';
import { decode } from '../serialize.ts';
import type { Place } from './aead.ts';
import type { Cuts } from './cuts.ts';
import { type DataKey, previousOf } from './data-key.ts';
import type { Keyring } from './keyring.ts';

/** When each of a task's own records was last written, by the number of entries there were then. */
export type Stamps = Readonly<Record<string, number>>;

/** `hash` is that of the chain over what was written, which its writer can foretell. */
export interface OpenedEntry extends JournalEntry {
  readonly stamps: Stamps;
  /** Of the chain over what is stored. */
  readonly stored: string;
  /** The part that is kept of the hash before it. */
  readonly previous: string;
}

export interface Journal {
  read(task: string, range?: JournalRange): AsyncGenerator<OpenedEntry>;
}

export function placeOfEntry(store: string, task: string, seq: number): Place {
  return { store, task, kind: 'entry', id: `${seq}` };
}

/** What is sealed: the hash of the chain over what was written, when the task's records were last written, then the entry. */
export function entryText(hash: string, stamps: Stamps, text: string): string {
  return `${hash}${JSON.stringify(stamps)}\n${text}`;
}

const HASH_CHARACTERS = 64;

export function openJournal(inner: Storage, keyring: Keyring, cuts: Cuts): Journal {
  async function* read(task: string, range: JournalRange = {}): AsyncGenerator<OpenedEntry> {
    assertRange(range);
    const { seq: end } = await inner.position(task);
    const { from = 1, to = end, reverse = false, limit } = range;
    const [first, last] = reverse ? [Math.min(to, end), from] : [from, Math.min(to, end)];
    const step = reverse ? -1 : 1;
    const key = await keyring.find(task);
    let expected = first;
    let before: OpenedEntry | null = null;
    let count = 0;
    for await (const entry of inner.read(task, range)) {
      const opened = openEntry(keyring.store, key, task, entry);
      await passOver(task, expected, entry.seq - step, step);
      if (before && Math.abs(entry.seq - before.seq) === 1) assertLinked(task, before, opened, reverse);
      yield opened;
      before = opened;
      expected = entry.seq + step;
      count += 1;
    }
    if (count !== limit) await passOver(task, expected, last, step);
  }

  /** Entries that are not there must have been cut. */
  const passOver = async (task: string, from: number, to: number, step: number): Promise<void> => {
    if ((to - from) * step < 0) return;
    const [low, high] = step > 0 ? [from, to] : [to, from];
    if (!(await cuts.cover(task, low, high))) throw missing(task, low, high);
  };

  return { read };
}

function openEntry(store: string, key: DataKey | null, task: string, entry: JournalEntry): OpenedEntry {
  const { seq, hash: stored, data } = entry;
  const opened = key?.openText(placeOfEntry(store, task, seq), data);
  const isFirst = seq === 1 && opened && opened.previous !== previousOf(START.hash);
  if (!opened || opened.seq !== seq || isFirst) throw notOurs(task, seq);
  const line = opened.text.indexOf('\n');
  if (opened.text[HASH_CHARACTERS] !== '{' || line < 0) throw notOurs(task, seq); // as an older version sealed it
  const hash = opened.text.slice(0, HASH_CHARACTERS);
  const stamps = JSON.parse(opened.text.slice(HASH_CHARACTERS, line)) as Stamps;
  return { seq, hash, stored, stamps, previous: opened.previous, data: decode(opened.text.slice(line + 1)) };
}

function assertLinked(task: string, a: OpenedEntry, b: OpenedEntry, reverse: boolean): void {
  const [older, newer] = reverse ? [b, a] : [a, b];
  if (newer.previous !== previousOf(older.stored)) throw notOurs(task, newer.seq);
}

function notOurs(task: string, seq: number): CorruptError {
  return new CorruptError(phrase`Entry ${seq} of task ${task} is not what was sealed there.`, {
    data: { task, seq },
    hint: phrase`It was changed or put there past the store. What comes before it can be read; nothing was changed.`,
  });
}

function missing(task: string, from: number, to: number): CorruptError {
  return new CorruptError(phrase`Entries ${from} to ${to} of task ${task} are missing.`, {
    data: { task, from, to },
    hint: phrase`They were taken out past the store. Restore it from a backup; nothing was changed.`,
  });
}
