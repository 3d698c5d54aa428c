/** Copies records to another store. Those of a task contain hashes of its journal, which differ there. */

import type { CheckpointsConfig } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, RecordWrite, Storage } from '../../storage/contract.ts';
import { KEYS } from '../../storage/encrypted/names.ts';
import { encode } from '../../storage/serialize.ts';
import { keysIn } from '../../storage/walk.ts';
import { blobLoader } from '../task/packing.ts';
import { loadHead } from '../task/records/head.ts';
import { hashAt, hashesIn } from '../transfer/journal.ts';
import { type Settling, settleRecord } from '../transfer/settle.ts';

const AT_ONCE = 200;
const MOST_CHARACTERS = 4 * 1024 * 1024;

export async function categoriesOf(store: Storage): Promise<string[]> {
  return (await store.categories()).filter((category) => category !== KEYS);
}

/** Copies the missing ones; returns how many there are in total. */
export async function copyTaskRecords(
  from: Storage,
  to: Storage,
  { task, fence }: Claim,
  config: CheckpointsConfig,
): Promise<number> {
  const keys = await keysIn(from, 'tasks', `${task}/`);
  const there = new Set(await keysIn(to, 'tasks', `${task}/`));
  const missing = keys.filter((key) => !there.has(key));
  if (missing.length === 0) return keys.length;
  const hashes = await hashesIn(to, task);
  const settling = await settlingIn(from, task, { hashes, hashOf: (of, seq) => hashAt(to, of, seq), config });
  const write = batches((records) => to.commit({ task, fence, records }));
  for (const key of missing) {
    const { data, blobs } = await settleRecord(key, await from.load('tasks', key), settling);
    if (blobs.length > 0) await to.putBlobs(task, blobs);
    await write.add({ category: 'tasks', key, data, expect: 0 });
  }
  await write.end();
  return keys.length;
}

/** The same for records outside tasks. */
export async function copyOutside(from: Storage, to: Storage): Promise<number> {
  let count = 0;
  const write = batches((records) => to.commit({ task: null, records }));
  for (const category of await categoriesOf(from)) {
    const there = new Set(await keysIn(to, category));
    for (const key of await keysIn(from, category)) {
      count++;
      if (!there.has(key))
        await write.add({ category, key, data: await from.load(category, key), expect: 0 });
    }
  }
  await write.end();
  return count;
}

/** Where the original records are read from, and which hashes the copies get. */
export async function settlingIn(
  store: Storage,
  task: string,
  given: Pick<Settling, 'hashes' | 'hashOf' | 'config'>,
): Promise<Settling> {
  const head = await loadHead(store, task);
  return { ...given, moved: (path) => path, load: head ? blobLoader(store, head) : async () => null };
}

/** The task comes after those it was forked from: it contains their hashes. */
export async function parentsFirst(store: Storage, tasks: Iterable<string>): Promise<string[]> {
  const parents = new Map<string, string[]>();
  for (const task of tasks)
    parents.set(task, (await loadHead(store, task))?.lineage.map((share) => share.task) ?? []);
  const ordered = new Set<string>();
  const visit = (task: string, below: readonly string[]): void => {
    if (ordered.has(task) || !parents.has(task)) return;
    if (below.includes(task)) throw itsOwnParent(task);
    for (const parent of parents.get(task)!) visit(parent, [...below, task]);
    ordered.add(task);
  };
  for (const task of parents.keys()) visit(task, []);
  return [...ordered];
}

function itsOwnParent(task: string): CorruptError {
  return new CorruptError(phrase`Task ${task} says that it was forked from itself.`, {
    data: { task },
    hint: phrase`Restore the store from a backup.`,
  });
}

interface Batches {
  add(write: RecordWrite & { readonly data: unknown }): Promise<void>;
  end(): Promise<void>;
}

function batches(commit: (records: readonly RecordWrite[]) => Promise<unknown>): Batches {
  let waiting: RecordWrite[] = [];
  let characters = 0;
  const end = async (): Promise<void> => {
    if (waiting.length > 0) await commit(waiting);
    waiting = [];
    characters = 0;
  };
  return {
    end,
    async add(write) {
      waiting.push(write);
      characters += encode(write.data).length;
      if (waiting.length >= AT_ONCE || characters > MOST_CHARACTERS) await end();
    },
  };
}
