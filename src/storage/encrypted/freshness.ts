/**
 * Whether what a task's records and its journal say of each other agrees. An old record in the place of a newer one, or a
 * journal without its last entries, opens like any other; but then one of them speaks of what the other does not have.
 */
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../contract.ts';
import { encode } from '../serialize.ts';
import type { Held } from './commits.ts';
import type { Journal, Stamps } from './journal.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './records.ts';

/** Throws CORRUPT when they do not. What cannot be read at all is for its readers to complain of. */
export async function assertFresh(
  inner: Storage,
  journal: Journal,
  records: Records,
  task: string,
): Promise<Held> {
  const { seq: end } = await inner.position(task);
  const stamps = await lastStamps(journal, task);
  const now: Record<string, number> = {};
  for (const [name, seq] of Object.entries(stamps)) {
    const record = await unlessCorrupt(() => records.get('tasks', `${task}/${name}`));
    if (record === UNREADABLE) continue;
    if (record === null || record.seq < seq) throw old(task, name);
    if (record.seq > end) throw short(task, name, record.seq, end);
    now[name] = record.seq;
  }
  return { stamps: now, end };
}

/** After a repair took entries away for good: records that speak of them are sealed anew. */
export async function restamp(
  inner: Storage,
  records: Records,
  keyring: Keyring,
  { task, end, fence }: { readonly task: string; readonly end: number; readonly fence: number | undefined },
): Promise<void> {
  const key = await keyring.find(task);
  const { keys } = await inner.page('tasks', { prefix: `${task}/`, limit: 10_000 });
  for (const name of key ? keys : []) {
    const record = await unlessCorrupt(() => records.get('tasks', name));
    if (record === UNREADABLE || record === null || record.seq <= end) continue;
    const data = records.seal(key!, 'tasks', name, end, encode(record.data));
    const write = { category: 'tasks', key: name, data, expect: record.revision };
    await inner.commit({ task, ...(fence === undefined ? {} : { fence }), records: [write] });
  }
}

async function lastStamps(journal: Journal, task: string): Promise<Stamps> {
  const last = await unlessCorrupt(async () => {
    for await (const entry of journal.read(task, { reverse: true, limit: 1 })) return entry;
    return null;
  });
  return last === UNREADABLE || last === null ? {} : last.stamps;
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
  return new CorruptError(`The record ${name} of task ${task} is older than its journal says.`, {
    data: { task, record: name },
    hint: 'An old copy was put in its place, past the store. Restore all of the store from one backup; nothing was changed.',
  });
}

function short(task: string, name: string, seq: number, end: number): CorruptError {
  return new CorruptError(
    `The journal of task ${task} has ${end} entries, but its record ${name} was written when it had ${seq}.`,
    {
      data: { task, record: name, entries: end, expected: seq },
      hint: 'Its end was taken away, past the store. Restore all of the store from one backup; nothing was changed.',
    },
  );
}
