/**
 * What the writers write. A *lane* is one sequential writer; its operation number n and the state after it follow
 * from (seed, lane, n) alone. So a checker that knows only "lane 2 was acknowledged up to 17" knows everything that
 * must be there: the state after 17, or after 18, which may have been in progress.
 */
import { hash } from 'node:crypto';
import { filler, type Random, random } from './random.ts';

export type Op =
  | { kind: 'commit'; task: string; entries: Value[]; records: Write[]; blobs: BlobSpec[] }
  | { kind: 'cut'; task: string; from: number; to: number; records: Write[] }
  | { kind: 'remove-task'; task: string }
  | { kind: 'records'; records: Write[] };

const SHARED = 'file';

export function isShared(blobId: string): boolean {
  return blobId.startsWith(`${SHARED}/`);
}

export interface Value {
  lane: string;
  op: number;
  text: string;
  /** The blobs that this value needs: they must be there whenever it is. */
  blobs: string[];
}

export interface Write {
  category: string;
  key: string;
  /** Null removes the record. */
  data: Value | null;
}

export interface BlobSpec {
  /** Of `SHARED`: store-wide, and promised, so that a commit may bring it along. */
  kind: string;
  id: string;
  bytes: Buffer;
}

/** What a lane's tasks and records hold: what `oracle.ts` reads back from a store, in the same shape. */
export interface LaneState {
  tasks: Record<string, { seq: number; journal: [number, Value][] }>;
  records: Record<string, Value>;
}

export interface Lane {
  readonly name: string;
  /** Operation n, from 1. */
  op(n: number): Op;
  /** The state after operation n; 0 is the empty store. */
  state(n: number): LaneState;
}

/** Lanes whose name begins with "store" write records outside tasks; all others write tasks of their own. */
export function makeLane(seed: number, name: string): Lane {
  const ops: Op[] = [];
  const states: LaneState[] = [{ tasks: {}, records: {} }];
  const grow = (n: number): void => {
    while (ops.length < n) {
      const number = ops.length + 1;
      const rng = random(seed, name, number);
      const state = states.at(-1)!;
      const op = name.startsWith('store')
        ? planRecords(rng, name, number)
        : planTask(rng, name, number, state);
      ops.push(op);
      states.push(apply(state, op));
    }
  };
  return {
    name,
    op: (n) => {
      grow(n);
      return ops[n - 1]!;
    },
    state: (n) => {
      grow(n);
      return states[n]!;
    },
  };
}

/** Equal states have equal text. */
export function canonical(state: LaneState): string {
  const tasks = Object.keys(state.tasks).sort();
  const records = Object.keys(state.records).sort();
  return JSON.stringify({
    tasks: tasks.map((task) => [task, state.tasks[task]!.seq, state.tasks[task]!.journal]),
    records: records.map((place) => [place, state.records[place]]),
  });
}

/** A new task is begun when the last one was removed, so a lane's tasks are `{lane}-{first op}`. */
function planTask(rng: Random, lane: string, number: number, state: LaneState): Op {
  const task = Object.keys(state.tasks)[0] ?? `${lane}-${number}`;
  const there = state.tasks[task];
  if (there && rng.oneIn(25)) return { kind: 'remove-task', task };
  const live = there?.journal ?? [];
  if (live.length > 4 && rng.oneIn(6)) {
    const from = rng.below(live.length - 1);
    const to = Math.min(live.length - 1, from + rng.below(3));
    const head = { category: 'tasks', key: `${task}/state`, data: value(rng, lane, number, []) };
    return { kind: 'cut', task, from: live[from]![0], to: live[to]![0], records: [head] };
  }
  const blobs = rng.oneIn(2) ? [blob(rng, lane, number)] : [];
  const ids = blobs.map((each) => each.id);
  const entries = Array.from({ length: 1 + rng.below(3) }, (_, i) =>
    value(rng, lane, number, i === 0 ? ids : []),
  );
  return { kind: 'commit', task, entries, records: taskRecords(rng, task, lane, number, ids), blobs };
}

function taskRecords(rng: Random, task: string, lane: string, number: number, blobs: string[]): Write[] {
  const records: Write[] = [
    { category: 'tasks', key: `${task}/state`, data: value(rng, lane, number, blobs) },
  ];
  if (rng.oneIn(2)) {
    const key = `${task}/checkpoints/c${rng.below(4)}`;
    records.push({ category: 'tasks', key, data: rng.oneIn(4) ? null : value(rng, lane, number, []) });
  }
  return records;
}

function planRecords(rng: Random, lane: string, number: number): Op {
  const categories = rng.oneIn(2) ? ['conversation'] : ['conversation', 'history'];
  const key = `${lane}/r${rng.below(3)}`;
  const records = categories.map((category) => {
    const data = rng.oneIn(5) ? null : value(rng, lane, number, []);
    return { category, key, data };
  });
  // One record says how far the lane is, so that no two states are the same.
  records.push({ category: 'config', key: `${lane}/head`, data: value(rng, lane, number, []) });
  return { kind: 'records', records };
}

function value(rng: Random, lane: string, op: number, blobs: string[]): Value {
  // Mostly small, at times across one or several 512 B and 4 KB borders, where a write can tear.
  const length = rng.oneIn(12) ? 4000 + rng.below(5000) : rng.oneIn(4) ? 400 + rng.below(300) : rng.below(60);
  return { lane, op, text: filler(length, lane, op, rng.below(1e9)), blobs };
}

function blob(rng: Random, lane: string, op: number): BlobSpec {
  const length = rng.oneIn(5) ? 4000 + rng.below(6000) : 100 + rng.below(900);
  const bytes = Buffer.from(filler(length, 'blob', lane, op));
  const kind = rng.pick(['agent_outputs', 'tool_results', 'values', SHARED, SHARED, SHARED]);
  return { kind, id: `${kind}/${hash('sha256', bytes)}`, bytes };
}

function apply(before: LaneState, op: Op): LaneState {
  if (op.kind === 'records') return { ...before, records: write(before.records, op.records) };
  if (op.kind === 'remove-task') return { tasks: {}, records: {} };
  const { seq, journal } = before.tasks[op.task] ?? { seq: 0, journal: [] };
  const after =
    op.kind === 'cut'
      ? { seq, journal: journal.filter(([at]) => at < op.from || at > op.to) }
      : {
          seq: seq + op.entries.length,
          journal: [...journal, ...op.entries.map((entry, i): [number, Value] => [seq + 1 + i, entry])],
        };
  return { tasks: { [op.task]: after }, records: write(before.records, op.records) };
}

function write(before: Record<string, Value>, writes: readonly Write[]): Record<string, Value> {
  const after = { ...before };
  for (const { category, key, data } of writes) {
    if (data === null) delete after[`${category}/${key}`];
    else after[`${category}/${key}`] = data;
  }
  return after;
}
