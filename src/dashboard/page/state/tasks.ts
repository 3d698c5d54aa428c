/** The tasks of the project, kept up to date by the stream. */
import { computed, signal } from '@preact/signals';
import { call } from '../net/api.ts';
import type { Question, Status, TaskList, TaskRow } from '../shapes/types.ts';
import { SECTIONS, type Section, sectionOf } from './display-status.ts';
import { mayCall } from './session.ts';

const rows = signal<ReadonlyMap<string, TaskRow>>(new Map());
export const questions = signal<readonly Question[]>([]);
export const unreadable = signal<readonly string[]>([]);
/** Null until they are loaded. */
export const loaded = signal<boolean>(false);
/** There are more that have ended than were loaded. */
export const moreEnded = signal(false);
/** How many there are of each status in all; null where that is not known. */
const counts = signal<Readonly<Record<string, number>> | null>(null);

const OPEN: readonly Status[] = ['queued', 'in_progress', 'paused', 'waiting', 'failed'];
const ENDED: readonly Status[] = ['completed', 'cancelled'];
const PAGE = 100;

let wanted = PAGE;

/** Told by the stream while a list is on its way, null for what is gone: the list may be older than that. */
type RowChanges = Map<string, TaskRow | null>;
const onTheirWay = new Set<RowChanges>();
let asked = 0;
let taken = 0;

/** All that have not ended, and the newest of those that have. */
export async function loadTasks(): Promise<void> {
  asked += 1;
  const number = asked;
  const told: RowChanges = new Map();
  onTheirWay.add(told);
  try {
    const [open, ended] = await Promise.all([
      call<TaskList>('tasks', {}, { status: OPEN, all: true }),
      call<TaskList>('tasks', {}, { status: ENDED, limit: wanted }),
    ]);
    if (number < taken) return; // One that was asked for later is there already.
    taken = number;
    rows.value = changedBy(new Map([...open.tasks, ...ended.tasks].map((row) => [row.id, row])), told);
    unreadable.value = [...new Set([...open.unreadable, ...ended.unreadable])];
    moreEnded.value = ended.more;
    counts.value = ended.counts ?? open.counts ?? null;
    loaded.value = true;
  } finally {
    onTheirWay.delete(told);
  }
  void loadQuestions();
}

function changedBy(list: ReadonlyMap<string, TaskRow>, told: RowChanges): ReadonlyMap<string, TaskRow> {
  const next = new Map(list);
  for (const [id, row] of told) {
    if (row) next.set(id, row);
    else next.delete(id);
  }
  return next;
}

export async function loadMore(): Promise<void> {
  wanted += PAGE;
  await loadTasks();
}

export async function loadQuestions(): Promise<void> {
  if (!mayCall('questions')) return;
  try {
    questions.value = (await call<{ questions: readonly Question[] }>('questions')).questions;
  } catch {
    // Their rows still say that there are some.
  }
}

/** What the stream told. */
export function takeChanges(changed: readonly TaskRow[], gone: readonly string[]): void {
  const told: RowChanges = new Map([
    ...changed.map((row) => [row.id, row] as const),
    ...gone.map((id) => [id, null] as const),
  ]);
  for (const list of onTheirWay) for (const [id, row] of told) list.set(id, row);
  if (!loaded.peek()) return;
  rows.value = changedBy(rows.peek(), told);
  const known = new Set(questions.peek().map(({ task }) => task));
  if ([...told].some(([id, row]) => known.has(id) || (row?.questions ?? 0) > 0)) void loadQuestions();
}

export const taskRow = (id: string): TaskRow | undefined => rows.value.get(id);

/** The text that names have to contain. */
export const wantedText = signal('');
export type Filter = 'all' | 'waiting' | 'running' | 'failed';
export const filter = signal<Filter>('all');

const SHOWN: Readonly<Record<Filter, readonly Section[]>> = {
  all: SECTIONS,
  waiting: ['needs'],
  running: ['running'],
  failed: ['broken'],
};

/** Each section with its tasks, the one that changed last first. */
export const sections = computed<ReadonlyMap<Section, readonly TaskRow[]>>(() => {
  const text = wantedText.value.trim().toLowerCase();
  const found = new Map<Section, TaskRow[]>(SHOWN[filter.value].map((section) => [section, []]));
  for (const row of rows.value.values()) {
    if (text !== '' && !`${row.name} ${row.id} ${row.detail ?? ''}`.toLowerCase().includes(text)) continue;
    found.get(sectionOf(row))?.push(row);
  }
  for (const list of found.values()) list.sort(byChange);
  return found;
});

export const taskCount = computed(() => rows.value.size);

const byChange = (a: TaskRow, b: TaskRow): number =>
  a.updated_at === b.updated_at ? (a.id < b.id ? 1 : -1) : a.updated_at < b.updated_at ? 1 : -1;
