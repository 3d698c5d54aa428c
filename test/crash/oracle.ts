/**
 * The one judge of all campaigns. What was acknowledged must be there, what was in progress is there whole or not at
 * all, every blob that a stored value names is there, and nothing else is.
 */
import { ERROR_CODES, type ErrorCode } from '../../src/errors.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { canonical, isShared, type Lane, type LaneState, type Value } from './workload.ts';

/** How far a lane is: operations up to `acked` were acknowledged; those up to `tried` may have happened. */
export interface Progress {
  readonly lane: Lane;
  acked: number;
  /** Default: one more than `acked`. */
  tried?: number | undefined;
}

/** Thrown where a promise of the stores did not hold. */
export class Broken extends Error {}

/** Checks all lanes; each lane's `acked` becomes what is really there, so that a writer can go on from it. */
export async function checkLanes(storage: Storage, lanes: readonly Progress[]): Promise<void> {
  for (const progress of lanes) {
    progress.acked = await checkLane(storage, progress);
    progress.tried = undefined;
  }
}

/** Which operation of the lane the store's content ends with. */
export async function checkLane(
  storage: Storage,
  { lane, acked, tried = acked + 1 }: Progress,
): Promise<number> {
  const seen = await observe(storage, lane.name);
  const text = canonical(seen);
  for (let n = acked; n <= tried; n++) {
    if (canonical(lane.state(n)) !== text) continue;
    await checkBlobs(storage, seen);
    return n;
  }
  throw new Broken(describe(lane, acked, seen));
}

/** Everything of a lane that the store shows, read through the contract. */
export async function observe(storage: Storage, lane: string): Promise<LaneState> {
  const state: LaneState = { tasks: {}, records: {} };
  const inTasks = !lane.startsWith('store');
  if (inTasks) {
    for (const task of await every(storage, 'tasks', `${lane}-`)) {
      const journal: [number, Value][] = [];
      for await (const entry of storage.read(task)) journal.push([entry.seq, shape(entry.data)]);
      state.tasks[task] = { seq: (await storage.position(task)).seq, journal };
    }
  }
  const categories = inTasks ? ['tasks'] : ['conversation', 'history', 'config'];
  for (const category of categories) {
    for (const key of await every(storage, category, inTasks ? `${lane}-` : `${lane}/`, true)) {
      const record = await storage.get(category, key);
      if (record === null) throw new Broken(`${category}/${key} is listed but does not load`);
      state.records[`${category}/${key}`] = shape(record.data);
    }
  }
  return state;
}

/** Nothing that the store itself finds wrong, but for views: they are not synced, so a crash may tear them. */
export async function checkVerify(storage: Storage): Promise<void> {
  for await (const problem of storage.verify()) {
    if (problem.code === 'VIEW_DAMAGED') continue;
    throw new Broken(`verify() reports ${problem.code} at ${problem.where}: ${problem.message}`);
  }
}

/** Any error where none is due, as a broken promise. */
export function broken(error: unknown): Broken {
  try {
    const code = codeOf(error);
    return new Broken(`${code} where nothing should fail: ${(error as Error).message}`, { cause: error });
  } catch (untyped) {
    return untyped as Broken;
  }
}

/** The code of an error of this project; anything else that a store throws is a fault of its own. */
export function codeOf(error: unknown): ErrorCode {
  const { code, hint } = (error ?? {}) as { code?: ErrorCode; hint?: unknown };
  if (error instanceof Broken) throw error;
  if (typeof code === 'string' && ERROR_CODES.includes(code) && typeof hint === 'string') return code;
  throw new Broken(
    `an error that is not one of the project's: ${error instanceof Error ? error.stack : error}`,
  );
}

async function every(storage: Storage, what: string, prefix: string, records = false): Promise<string[]> {
  const keys: string[] = [];
  for (let after: string | undefined; ; ) {
    const query = { prefix, limit: 1000, ...(after === undefined ? {} : { after }) };
    const page = records ? await storage.page(what, query) : await storage.tasks(query);
    keys.push(...page.keys);
    if (page.next === null) return keys;
    after = page.next;
  }
}

async function checkBlobs(storage: Storage, { tasks, records }: LaneState): Promise<void> {
  const task = Object.keys(tasks)[0];
  if (task === undefined) return;
  const values = [...Object.values(records), ...tasks[task]!.journal.map(([, value]) => value)];
  for (const id of new Set(values.flatMap((value) => value.blobs ?? []))) {
    const bytes = await storage.getBlob(isShared(id) ? null : task, id);
    if (bytes === null) throw new Broken(`a stored value of ${task} names blob ${id}, which is not there`);
  }
}

/** The fields in the order in which the model has them; anything else stays as it is, to be seen as different. */
function shape(data: unknown): Value {
  const { lane, op, text, blobs, ...rest } = (data ?? {}) as Value;
  return { lane, op, text, blobs, ...rest };
}

function describe(lane: Lane, acked: number, seen: LaneState): string {
  const want = lane.state(acked);
  const brief = (state: LaneState): string =>
    JSON.stringify({
      journals: Object.entries(state.tasks).map(([task, { seq, journal }]) => [
        task,
        seq,
        journal.map(([at, value]) => `${at}:${value.op}`).join(' '),
      ]),
      records: Object.entries(state.records).map(([place, value]) => `${place}:${value.op}`),
    });
  return `lane ${lane.name} was acknowledged up to ${acked}: expected ${brief(want)} (or one operation more), found ${brief(seen)}`;
}
