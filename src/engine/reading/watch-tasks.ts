/**
 * Follows all tasks of a store: their rows are kept, and read again only where the store tells of a change. While it runs, a list
 * costs no reading.
 */

import type { Storage } from '../../storage/contract.ts';
import { createHints, type Hint } from '../../storage/hints.ts';
import { everyKey, everyTask } from '../../storage/walk.ts';
import { taskIn } from '../task/records/kind.ts';
import { QUESTION } from '../task/records/questions.ts';
import { readableState } from '../task/tasks.ts';
import { type RowFacts, type RowSource, readFacts, rowFrom, type TaskRow } from './row.ts';
import { isTask, type RowIndex } from './rows.ts';

export interface TaskChanges {
  readonly rows: readonly TaskRow[];
  /** Tasks that were removed. */
  readonly gone: readonly string[];
  /** How they were when watching began, not a change; newest first. */
  readonly initial: boolean;
}

export interface WatchTasksOptions {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Called once all tasks were told as they were when watching began. */
  readonly onWhole?: () => void;
}

const TICK = Symbol('a second has passed');
const READ = Symbol('there is more to read');

/** That a process died is no change of the store: so often one of its tasks is looked at. */
const TICK_MS = 1000;
/** Rows that are read in one go: a few milliseconds, for which what a page asks waits. */
const SLICE = 10;
/** Reading again what nothing was told of takes no more than this part of the time. */
const SHARE = 0.01;
/** Changes outside tasks are looked at together. */
const OUTSIDE_MS = 500;

/** Ends with the signal and when the store is closed. */
export async function* watchTasks(
  source: RowSource,
  { signal, publish, onWhole }: WatchTasksOptions & { readonly publish?: (index: RowIndex | null) => void },
): AsyncGenerator<TaskChanges> {
  const { storage } = source;
  const ending = new AbortController();
  const ended = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const hints = createHints<Hint | typeof TICK | typeof READ>(ended);
  const tick = setInterval(() => hints.tell(TICK), TICK_MS);
  const timers = new Set<NodeJS.Timeout>();
  const tellIn = (ms: number, hint: Hint | typeof READ): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      hints.tell(hint);
    }, ms);
    timers.add(timer);
  };
  const listening = (async () => {
    for await (const hint of storage.changes(ended)) hints.tell(hint);
  })().finally(() => ending.abort());

  const cache = createRowCache(source);
  /** Still to be read: at first all of them, then what might have changed untold. */
  let unread: string[] = [];
  let isInitial = true;
  let looked = Number.NEGATIVE_INFINITY;
  try {
    for await (const hint of hints.taken()) {
      if (hint === TICK) yield* some(await cache.lookAtOwners());
      else if (hint === READ) {
        const began = performance.now();
        const changed = await cache.read(unread.splice(0, SLICE));
        yield* some(changed, isInitial);
        if (isInitial && unread.length === 0) {
          isInitial = false;
          publish?.(cache);
          onWhole?.();
        }
        if (unread.length > 0) tellIn(isInitial ? 0 : (performance.now() - began) / SHARE, READ);
      } else if (hint !== null) yield* some(await cache.read([hint]));
      else if (performance.now() - looked < OUTSIDE_MS) tellIn(OUTSIDE_MS, null);
      else {
        const ids = new Set<string>();
        for await (const id of everyTask(storage, { reverse: true, limit: 10_000 })) ids.add(id);
        yield* some(cache.without(ids));
        const added = [...ids].filter((id) => !cache.has(id));
        if (!isInitial)
          yield* some(await cache.read([...added, ...cache.waiting(), ...(await asked(storage, ids))]));
        const isReading = unread.length > 0;
        unread = isInitial ? added : [...ids];
        if (!isReading) hints.tell(READ);
        looked = performance.now();
      }
    }
  } finally {
    publish?.(null);
    clearInterval(tick);
    for (const timer of timers) clearTimeout(timer);
    ending.abort();
    await listening;
  }
}

/** Tasks that somebody asked about. */
async function asked(storage: Storage, among: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const key of everyKey(storage, QUESTION.category)) {
    const task = taskIn(QUESTION, key);
    if (task !== null && among.has(task)) found.add(task);
  }
  return found;
}

function* some({ rows, gone }: Changed, initial = false): Generator<TaskChanges> {
  if (rows.length + gone.length > 0) yield { rows, gone, initial };
}

type Changed = Pick<TaskChanges, 'rows' | 'gone'>;

interface RowCache extends RowIndex {
  has(id: string): boolean;
  /** Those whose row also says what is outside them. */
  waiting(): string[];
  /** Reads them; what is not as it was. */
  read(ids: readonly string[]): Promise<Changed>;
  /** Drops those that are not there any more. */
  without(ids: ReadonlySet<string>): Changed;
  /** Whether those who run tasks still do. */
  lookAtOwners(): Promise<Changed>;
}

function createRowCache(source: RowSource): RowCache {
  const { storage } = source;
  const known = new Map<string, { readonly facts: RowFacts; readonly text: string }>();
  const unreadable = new Set<string>();
  let turn = 0;

  const keep = (facts: RowFacts): TaskRow | null => {
    const row = rowFrom(facts, source);
    const text = JSON.stringify(row);
    const before = known.get(row.id)?.text;
    known.set(row.id, { facts, text });
    return before === text ? null : row;
  };
  const read: RowCache['read'] = async (ids) => {
    const rows: TaskRow[] = [];
    const gone: string[] = [];
    for (const id of new Set(ids)) {
      const state = await readableState(storage, id);
      unreadable.delete(id);
      if (!state) {
        if (known.delete(id)) gone.push(id);
        if (await isTask(storage, id)) unreadable.add(id);
        continue;
      }
      const row = keep(await readFacts(source, state));
      if (row) rows.push(row);
    }
    return { rows, gone };
  };

  return {
    has: (id) => known.has(id),
    facts: () => [...known.values()].map(({ facts }) => facts).sort(byAge),
    unreadable: () => [...unreadable],
    waiting: () => [...known].filter(([, { facts }]) => facts.state.status === 'waiting').map(([id]) => id),
    read,
    without(ids) {
      const gone = [...known.keys()].filter((id) => !ids.has(id));
      for (const id of gone) known.delete(id);
      for (const id of unreadable) if (!ids.has(id)) unreadable.delete(id);
      return { rows: [], gone };
    },
    async lookAtOwners() {
      const held = Map.groupBy(
        [...known].filter(([, { facts }]) => facts.holder !== null),
        ([, { facts }]) => facts.holder!,
      );
      turn += 1;
      const suspects: string[] = [];
      for (const [holder, tasks] of held) {
        const [id] = tasks[turn % tasks.length]!; // All tasks of a process share its fate.
        if ((await storage.owner(id))?.holder !== holder) suspects.push(...tasks.map(([task]) => task));
      }
      const { rows, gone } = await read(suspects);
      // What depends on the time alone.
      const late = [...known.values()].flatMap(({ facts }) =>
        facts.state.status === 'waiting' && facts.state.data.timeout_at !== null ? (keep(facts) ?? []) : [],
      );
      return { rows: [...rows, ...late], gone };
    },
  };
}

function byAge(a: RowFacts, b: RowFacts): number {
  return a.state.task_id < b.state.task_id ? 1 : -1;
}
