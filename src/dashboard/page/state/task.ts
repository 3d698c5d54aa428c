/** The task that is looked at: what is known of it, its thread, and the rows of it that were needed so far. */
import { batch, computed, effect, signal } from '@preact/signals';
import { call } from '../net/api.ts';
import type { Shown, Step, Timeline } from '../shapes/types.ts';
import { firstChanged } from './changed.ts';
import { journalEnd } from './live.ts';
import { taskRow } from './tasks.ts';

/** Rows that are fetched together. */
const PAGE = 200;
/** Parts of the thread: as many as can be told apart on a wide screen. */
const BINS = 160;
/** With a filter so many rows come at once. */
const MATCHING = 1_000;

interface RowFilter {
  /** Undefined: of all. */
  readonly agent?: string | undefined;
  readonly failed: boolean;
}

/** The rows that a filter lets through, from the first on, and how many there are. */
interface Matching {
  readonly rows: readonly Step[];
  readonly total: number;
}

const NONE: RowFilter = { failed: false };

export const shown = signal<Shown | null>(null);
export const thread = signal<Timeline | null>(null);
export const failure = signal<unknown>(null);
export const rowFilter = signal<RowFilter>(NONE);
const pages = signal<ReadonlyMap<number, readonly Step[]>>(new Map());
const matching = signal<Matching | null>(null);

let current: string | null = null;
let fetching = new Set<number>();

const isFiltered = ({ agent, failed }: RowFilter): boolean => failed || agent !== undefined;

/** How many rows the list has. */
export const rowCount = computed(() =>
  isFiltered(rowFilter.value) ? (matching.value?.total ?? 0) : (thread.value?.total ?? 0),
);

/** The row at a place of the list, as far as it was fetched. */
export function rowAt(place: number): Step | undefined {
  if (isFiltered(rowFilter.value)) return matching.value?.rows[place];
  return pages.value.get(Math.floor(place / PAGE))?.[place % PAGE];
}

/** The place of a row in the list; -1 where the filter hides it. */
export function indexOfRow(row: number): number {
  if (!isFiltered(rowFilter.value)) return row < (thread.value?.total ?? 0) ? row : -1;
  return matching.value?.rows.findIndex((one) => one.row === row) ?? -1;
}

/** Looks at a task until the returned function is called. */
export function lookAt(task: string): () => void {
  current = task;
  fetching = new Set();
  batch(() => {
    shown.value = null;
    thread.value = null;
    failure.value = null;
    rowFilter.value = NONE;
    pages.value = new Map();
    matching.value = null;
  });
  const stop = effect(() => {
    // Whatever is heard of it: its own event, or its row in the list.
    void journalEnd.value;
    const row = taskRow(task);
    void `${row?.position} ${row?.updated_at} ${row?.status} ${row?.holder}`;
    refreshSoon(task);
  });
  return () => {
    stop();
    if (current === task) current = null;
  };
}

let busy = false;
let again = false;

/** One at a time; what is heard meanwhile is looked up once more. */
function refreshSoon(task: string): void {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  void refresh(task).finally(() => {
    busy = false;
    if (again && current !== null) {
      again = false;
      refreshSoon(current);
    }
  });
}

/** What was found upstream when it was last looked at from here: while another process runs the task, only that one records it. */
export const behind = signal<{ readonly task: string; readonly commits: number } | null>(null);

export async function refresh(task: string): Promise<void> {
  try {
    const [found, timeline] = await Promise.all([
      call<Shown>('show', { task }, { brief: true }),
      call<Timeline>('timeline', { task }, { from: 0, limit: PAGE, bins: BINS }),
    ]);
    if (current !== task) return;
    const changed = firstChanged(thread.peek(), timeline);
    batch(() => {
      shown.value = found;
      thread.value = timeline;
      failure.value = null;
      keepBefore(Math.floor(changed / PAGE), timeline.rows);
    });
    if (isFiltered(rowFilter.peek()))
      await fetchMatching(
        task,
        (matching.peek()?.rows ?? []).filter(({ row }) => row < changed),
      );
  } catch (error) {
    if (current === task) failure.value = error;
  }
}

/** Pages from this one on may have changed: they are fetched again as they are needed. */
function keepBefore(page: number, first: readonly Step[]): void {
  const next = new Map([...pages.peek()].filter(([number, rows]) => number < page && rows.length === PAGE));
  pages.value = next.set(0, first);
  const from = seen.from;
  queueMicrotask(() => need(from, seen.to));
}

let seen = { from: 0, to: 0 };

/** The rows in view have to be there. */
export function need(from: number, to: number): void {
  seen = { from, to };
  const task = current;
  if (task === null) return;
  if (isFiltered(rowFilter.peek())) {
    const known = matching.peek();
    if (known && to > known.rows.length && known.rows.length < known.total)
      void fetchMatching(task, known.rows);
    return;
  }
  const last = Math.min(to, thread.peek()?.total ?? 0) - 1;
  for (let page = Math.floor(from / PAGE); page <= Math.floor(last / PAGE); page += 1) {
    const known = pages.peek().get(page);
    const whole = Math.min(PAGE, (thread.peek()?.total ?? 0) - page * PAGE);
    if ((known && known.length >= whole) || fetching.has(page)) continue;
    void fetchPage(task, page);
  }
}

async function fetchPage(task: string, page: number): Promise<void> {
  fetching.add(page);
  try {
    const { rows } = await call<Timeline>('timeline', { task }, { from: page * PAGE, limit: PAGE });
    if (current === task) pages.value = new Map(pages.peek()).set(page, rows);
  } catch (error) {
    if (current === task) failure.value = error;
  } finally {
    fetching.delete(page);
  }
}

export async function filterRows(filter: RowFilter): Promise<void> {
  rowFilter.value = filter;
  matching.value = null;
  if (current !== null && isFiltered(filter)) await fetchMatching(current, []);
}

let turn = 0;

/** The next of them. An answer that comes after a later question is not wanted any more. */
async function fetchMatching(task: string, known: readonly Step[]): Promise<void> {
  turn += 1;
  const own = turn;
  const isWanted = () => current === task && own === turn;
  const { agent, failed } = rowFilter.peek();
  const from = (known.at(-1)?.row ?? -1) + 1;
  try {
    const found = await call<Timeline>('timeline', { task }, { from, limit: MATCHING, agent, failed });
    if (isWanted()) matching.value = { rows: [...known, ...found.rows], total: found.matching };
  } catch (error) {
    if (isWanted()) failure.value = error;
  }
}
