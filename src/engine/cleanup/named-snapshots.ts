/** Which snapshots of files, and which of their blobs, anything in the store speaks of. */
import { isFitted, unfitRecord } from '../../checkpoint/values/fit.ts';
import { phrase } from '../../phrase.ts';
import { encode } from '../../storage/serialize.ts';
import { everyKey, everyTask } from '../../storage/walk.ts';
import { newestSnapshots } from '../../workspace/git/noted.ts';
import { blobLoader } from '../task/packing.ts';
import { type Span, withoutSpans } from '../task/ranges.ts';
import { loadHead } from '../task/records/head.ts';
import { unknownForks } from './members.ts';
import type { Sweep } from './sweep.ts';

/** What goes in a dry run, and so names nothing. */
export interface Going {
  readonly keys: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, readonly Span[]>;
}

/** By the task that cannot be read, where there is one. */
export class Unreadable extends Error {
  readonly task: string;
  constructor(task: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.task = task;
  }
}

/**
 * What is named later than this looks is young, and stays for that: whoever is handed a snapshot has renewed it. Only a
 * fork takes over an old one; it says so before it makes sure of it, and is asked about last.
 */
export async function namedSnapshots(sweep: Sweep, going: Going): Promise<Set<string>> {
  const names = new Set<string>();
  const add = (value: unknown): void => {
    for (const [id] of encode(value).matchAll(ID)) names.add(id);
  };
  const known = new Set<string>();
  for await (const task of everyTask(sweep.storage)) {
    known.add(task);
    try {
      await addTask(sweep, task, going, add);
    } catch (error) {
      throw new Unreadable(task, error);
    }
  }
  for (const { data } of await unknownForks(sweep, known)) add(data);
  for (const category of ['snapshots', 'restores', 'displaced'])
    for (const key of await sweep.storage.list(category)) add(await sweep.storage.load(category, key));
  for (const snapshot of await newestSnapshots(sweep.storage, sweep.now)) names.add(snapshot);
  return names;
}

const ID = /\b(?:snapshot|file)\/[0-9a-f]{64}\b/g;
const TRIES = 10;

async function addTask(
  sweep: Sweep,
  task: string,
  going: Going,
  add: (value: unknown) => void,
): Promise<void> {
  const { storage } = sweep;
  // A rollback moves names from one record to another, with the head: both must be read before it or after it.
  for (let left = TRIES; !(await addRecords(sweep, task, going, add)); left--) {
    if (left === 0) throw new Error(phrase`it was rolled back again and again meanwhile`);
  }
  for (const [from, to] of withoutSpans(
    [[1, (await storage.position(task)).seq]],
    going.entries.get(task) ?? [],
  )) {
    for await (const { data } of storage.read(task, { from, to })) {
      add(data);
      await sweep.breathe();
    }
  }
}

/** False when the task changed in the middle of it. */
async function addRecords(
  { storage, breathe }: Sweep,
  task: string,
  going: Going,
  add: (value: unknown) => void,
): Promise<boolean> {
  const revision = async (): Promise<number> => (await storage.get('tasks', `${task}/head`))?.revision ?? 0;
  const before = await revision();
  const head = before === 0 ? null : await loadHead(storage, task);
  const load = blobLoader(storage, { task_id: task, lineage: head?.lineage ?? [] });
  const addWhole = async (data: unknown): Promise<void> => {
    add(isFitted(data) ? await unfitRecord(data, load) : data);
  };
  for await (const key of everyKey(storage, 'tasks', { prefix: `${task}/` })) {
    if (going.keys.has(key)) continue;
    const data = await storage.load('tasks', key);
    await addWhole(data);
    const put_away = (data as { checkpoints?: unknown } | null)?.checkpoints;
    if (Array.isArray(put_away)) for (const one of put_away) await addWhole((one as { data: unknown }).data);
    await breathe();
  }
  return (await revision()) === before;
}
