/** Which snapshots of files, and which of their blobs, anything in the store refers to. */
import { phrase } from '../../phrase.ts';
import { type Span, withoutSpans } from '../../storage/ranges.ts';
import { everyTask } from '../../storage/walk.ts';
import { newestSnapshots } from '../../workspace/git/noted.ts';
import { NAMING_SNAPSHOTS, recordsOf, snapshotsIn, snapshotsInRecord } from '../task/layout.ts';
import { blobLoader } from '../task/packing.ts';
import { HEAD, loadHead } from '../task/records/head.ts';
import { keyOf } from '../task/records/kind.ts';
import { unknownForks } from './members.ts';
import type { Sweep } from './sweep.ts';

/** What a dry run would remove, and whose references do not count. */
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
 * References made after this check are to new snapshots, which stay: a process that gets a snapshot has renewed it. Only a
 * fork takes over an old one; it registers before it checks it, and is read last.
 */
export async function namedSnapshots(sweep: Sweep, going: Going): Promise<Set<string>> {
  const names = new Set<string>();
  const add = (value: unknown): void => {
    for (const id of snapshotsIn(value)) names.add(id);
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
  for (const category of NAMING_SNAPSHOTS)
    for (const key of await sweep.storage.list(category)) add(await sweep.storage.load(category, key));
  for (const snapshot of await newestSnapshots(sweep.storage, sweep.now)) names.add(snapshot);
  return names;
}

const TRIES = 10;

async function addTask(
  sweep: Sweep,
  task: string,
  going: Going,
  add: (value: unknown) => void,
): Promise<void> {
  const { storage } = sweep;
  // A rollback moves references from one record to another, with the head: both must be read before it or after it.
  for (let left = TRIES; !(await addRecords(sweep, task, going, add)); left--) {
    if (left === 0) throw new Error(phrase`it was rolled back repeatedly in the meantime`);
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
  const revision = async (): Promise<number> =>
    (await storage.get('tasks', keyOf(HEAD, task)))?.revision ?? 0;
  const before = await revision();
  const head = before === 0 ? null : await loadHead(storage, task);
  const load = blobLoader(storage, { task_id: task, lineage: head?.lineage ?? [] });
  for await (const { kind, category, key } of recordsOf(storage, task)) {
    if (going.keys.has(key) || (kind && kind.keeps !== 'all')) continue;
    add(await snapshotsInRecord(kind, await storage.load(category, key), load));
    await breathe();
  }
  return (await revision()) === before;
}
