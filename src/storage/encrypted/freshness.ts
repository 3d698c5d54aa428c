/**
 * Whether a task's records and its journal agree. An old copy of a record, or a journal without its last entries, decrypts
 * like any other; but then one of them mentions what the other does not have.
 */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend } from '../backend.ts';
import type { Storage } from '../contract.ts';
import { recordsCommit } from '../prepare.ts';
import { keysIn } from '../walk.ts';
import type { Held } from './commits.ts';
import type { Ends } from './ends.ts';
import type { Journal, Stamps } from './journal.ts';
import type { Keyring } from './keyring.ts';
import { isOwnRecord, nameRightBelow } from './own-records.ts';
import type { Records } from './records.ts';
import type { Removals } from './removals.ts';

interface Parts {
  readonly plain: Storage;
  readonly journal: Journal;
  readonly records: Records;
  readonly removals: Removals;
  readonly ends: Ends;
}

/** Throws CORRUPT when they do not. What cannot be read at all is reported by its readers. */
export async function assertFresh(parts: Parts, task: string): Promise<Held> {
  const { plain, journal, records, ends } = parts;
  // Read in this order, so that concurrent writes do not make one look older than the other.
  const vouched = await lastStamps(journal, task);
  const found = await newestSeqs(plain, records, task);
  const at = await ends.find(task);
  const end = at.stored.seq;
  const stamps: Record<string, number> = {};
  for (const [key, seq] of found) {
    const name = nameRightBelow(key);
    if (seq === UNREADABLE) continue;
    if (seq > end) throw short(task, key, seq, end);
    if (name !== null && seq < (vouched[name] ?? 0)) throw old(task, name);
    if (name !== null && !isOwnRecord('tasks', key)) stamps[name] = seq;
  }
  const missing = Object.keys(vouched).filter((name) => !found.has(`${task}/${name}`));
  if (missing.length > 0) await assertRemoved(parts, task, missing);
  return { stamps, end: at };
}

async function assertRemoved(parts: Parts, task: string, names: readonly string[]): Promise<void> {
  const removed = await unlessCorrupt(() => parts.removals.load(task));
  const vouched = await lastStamps(parts.journal, task); // Read again: they may have been written with an entry since.
  for (const name of names) {
    const seq = vouched[name];
    if (seq !== undefined && (removed === UNREADABLE || (removed[name] ?? -1) < seq)) throw old(task, name);
  }
}

/** Where the journal ended when they were written: of records right below the task, and of the newest one further down. */
async function newestSeqs(
  plain: Storage,
  records: Records,
  task: string,
): Promise<Map<string, number | typeof UNREADABLE>> {
  const parts = (await keysIn(plain, 'tasks', `${task}/`)).map((key) => [key.split('/')[1]!, key] as const);
  const seqs = new Map<string, number | typeof UNREADABLE>();
  for (const key of new Map(parts).values()) {
    const record = await unlessCorrupt(() => records.get('tasks', key));
    if (record !== null) seqs.set(key, record === UNREADABLE ? UNREADABLE : record.seq);
  }
  return seqs;
}

/** After a repair removed entries: records that mention them are encrypted again. */
export async function restamp(
  inner: Backend,
  plain: Storage,
  records: Records,
  keyring: Keyring,
  { task, end, fence }: { readonly task: string; readonly end: number; readonly fence: number | undefined },
): Promise<void> {
  const key = await keyring.find(task);
  for (const name of key ? await keysIn(plain, 'tasks', `${task}/`) : []) {
    const record = await unlessCorrupt(() => records.get('tasks', name));
    if (record === UNREADABLE || record === null || record.seq <= end) continue;
    const text = records.seal(key!, 'tasks', name, end, record.text);
    const write = { category: 'tasks', key: name, text, expect: record.revision };
    await inner.commit(recordsCommit(task, [write], fence));
  }
}

/**
 * When the records were last written, according to the last entry. All entries of one commit name the position of its last
 * one: after a repair in between, that is beyond the end of the journal and beyond what the records were encrypted again
 * for.
 */
export async function lastStamps(journal: Journal, task: string): Promise<Stamps> {
  const last = await unlessCorrupt(async () => {
    for await (const [entry] of journal.read(task, { reverse: true, limit: 1 })) if (entry) return entry;
    return null;
  });
  if (last === UNREADABLE || last === null) return {};
  const { seq, stamps } = last;
  return Object.fromEntries(Object.entries(stamps).map(([name, at]) => [name, Math.min(at, seq)]));
}

const UNREADABLE: unique symbol = Symbol('unreadable');

async function unlessCorrupt<T>(read: () => Promise<T>): Promise<T | typeof UNREADABLE> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CorruptError) return UNREADABLE;
    throw error;
  }
}

function old(task: string, name: string): CorruptError {
  return new CorruptError(
    phrase`The record tasks/${task}/${name} is older than the journal says, or missing.`,
    {
      data: { task, record: `${task}/${name}` },
      hint: phrase`Something other than the store replaced it by an old copy, or removed it. Restore the whole store from one backup; nothing was changed.`,
    },
  );
}

function short(task: string, key: string, seq: number, end: number): CorruptError {
  return new CorruptError(
    phrase`The journal of task ${task} has ${end} entries, but its record tasks/${key} was written when it had ${seq}.`,
    {
      data: { task, record: key, entries: end, expected: seq },
      hint: phrase`Something other than the store removed its end. Restore the whole store from one backup; nothing was changed.`,
    },
  );
}
