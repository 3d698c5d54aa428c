/** Reads a journal: every entry is decrypted for its place, the chain is unbroken, and every gap is a noted cut. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, EntryText, JournalRange } from '../backend.ts';
import { START } from '../chain.ts';
import type { SealedItem } from './aead.ts';
import type { Cuts } from './cuts.ts';
import { type DataKey, previousOf } from './data-key.ts';
import type { Keyring } from './keyring.ts';

/** When each of a task's own records was last written, by the number of entries there were then. */
export type Stamps = Readonly<Record<string, number>>;

/** `hash` is that of the chain over what was written, which its writer can compute in advance. */
interface OpenedEntry extends EntryText {
  readonly stamps: Stamps;
  /** Of the chain over what is stored. */
  readonly stored: string;
  /** The part that is kept of the hash before it. */
  readonly previous: string;
}

export interface Journal {
  /** In parts; of one with damage in it, what comes before that. */
  read(task: string, range: JournalRange): AsyncGenerator<OpenedEntry[]>;
}

export function itemOfEntry(store: string, task: string, seq: number): SealedItem {
  return { store, task, kind: 'entry', id: `${seq}` };
}

/** What is sealed: the hash of the chain over what was written, when the task's records were last written, then the entry. */
export function entryText(hash: string, stamps: Stamps, text: string): string {
  if (stamps !== written.stamps) written = { stamps, text: JSON.stringify(stamps) };
  return `${hash}${written.text}\n${text}`;
}

/** Kept: they stay the same from one entry to the next, unless a record was written. */
let written: { readonly stamps: Stamps; readonly text: string } = { stamps: {}, text: '{}' };

const HASH_CHARACTERS = 64;

export function openJournal(inner: Backend, keyring: Keyring, cuts: Cuts): Journal {
  async function* read(task: string, range: JournalRange): AsyncGenerator<OpenedEntry[]> {
    const { seq: end } = await inner.position(task);
    const { from = 1, to = end, reverse = false, limit } = range;
    const [first, last] = reverse ? [Math.min(to, end), from] : [from, Math.min(to, end)];
    const step = reverse ? -1 : 1;
    const key = await keyring.find(task);
    let expected = first;
    let before: OpenedEntry | null = null;
    let count = 0;
    for await (const part of inner.read(task, range)) {
      const found: OpenedEntry[] = [];
      try {
        for (const entry of part) {
          const opened = openEntry(keyring.store, key, task, entry);
          if (entry.seq !== expected) await passOver(task, expected, entry.seq - step, step);
          if (before && Math.abs(entry.seq - before.seq) === 1) assertLinked(task, before, opened, reverse);
          found.push(opened);
          before = opened;
          expected = entry.seq + step;
        }
      } finally {
        count += found.length;
        yield found;
      }
    }
    if (count !== limit) await passOver(task, expected, last, step);
  }

  /** Missing entries must have been cut. */
  const passOver = async (task: string, from: number, to: number, step: number): Promise<void> => {
    if ((to - from) * step < 0) return;
    const [low, high] = step > 0 ? [from, to] : [to, from];
    if (!(await cuts.cover(task, low, high))) throw missing(task, low, high);
  };

  return { read };
}

function openEntry(store: string, key: DataKey | null, task: string, entry: EntryText): OpenedEntry {
  const { seq, hash: stored, text } = entry;
  const opened = key?.openText(itemOfEntry(store, task, seq), text);
  const isFirst = seq === 1 && opened && opened.previous !== previousOf(START.hash);
  if (!opened || opened.seq !== seq || isFirst) throw notOurs(task, seq);
  const line = opened.text.indexOf('\n');
  if (opened.text[HASH_CHARACTERS] !== '{' || line < 0) throw notOurs(task, seq); // as an older version sealed it
  const hash = opened.text.slice(0, HASH_CHARACTERS);
  const stamps = JSON.parse(opened.text.slice(HASH_CHARACTERS, line)) as Stamps;
  return { seq, hash, stored, stamps, previous: opened.previous, text: opened.text.slice(line + 1) };
}

function assertLinked(task: string, a: OpenedEntry, b: OpenedEntry, reverse: boolean): void {
  const [older, newer] = reverse ? [b, a] : [a, b];
  if (newer.previous !== previousOf(older.stored)) throw notOurs(task, newer.seq);
}

function notOurs(task: string, seq: number): CorruptError {
  return new CorruptError(phrase`Entry ${seq} of task ${task} does not decrypt to what was stored there.`, {
    data: { task, seq },
    hint: phrase`Something other than the store changed it or put it there. What comes before it can be read; nothing was changed.`,
  });
}

function missing(task: string, from: number, to: number): CorruptError {
  return new CorruptError(phrase`Entries ${from} to ${to} of task ${task} are missing.`, {
    data: { task, from, to },
    hint: phrase`Something other than the store removed them. Restore it from a backup; nothing was changed.`,
  });
}
