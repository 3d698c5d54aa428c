/** The tasks of the project, kept up to date by the stream. Of very many, those that somebody may want to see first. */
import { computed, signal } from '@preact/signals';
import { call } from '../net/api.ts';
import type { Question, Status, TaskList, TaskRow } from '../shapes/types.ts';
import { SECTIONS, type Section, sectionOf } from './display-status.ts';
import { mayCall } from './session.ts';

const rows = signal<ReadonlyMap<string, TaskRow>>(new Map());
export const questions = signal<readonly Question[]>([]);
export const unreadable = signal<readonly string[]>([]);
export const loaded = signal(false);

/** How many there are of each status in all; null until the server has read all. */
type Counts = Readonly<Record<string, number>>;
const counts = signal<Counts | null>(null);
/** The newest are here, and there are more. */
const isNewest = signal(false);
/** Whether what is not shown may be there all the same. */
export const isPartial = computed(() => isNewest.value && counts.value === null);

/** Where the tasks of a status stand, unless there is more to say of them. */
const STATUSES: Readonly<Record<Section, readonly Status[]>> = {
  needs: ['waiting'],
  broken: ['failed'],
  running: ['in_progress'],
  not_running: ['queued', 'paused'],
  done: ['completed', 'cancelled'],
};
const PAGE = 100;
const wanted = new Map<Section, number>(SECTIONS.map((section) => [section, PAGE]));

/** Told by the stream while a list is on its way, null for what is gone: the list may be older than that. */
type RowChanges = Map<string, TaskRow | null>;
const onTheirWay = new Set<RowChanges>();
let asked = 0;
let taken = 0;

/** The newest; of more than that those of each section that changed last, once the server knows all and need not read them. */
export async function loadTasks(): Promise<void> {
  asked += 1;
  const number = asked;
  const told: RowChanges = new Map();
  onTheirWay.add(told);
  try {
    const newest = await call<TaskList>('tasks', {}, { limit: PAGE });
    const isAll = !newest.more;
    const lists = isAll || counts.peek() === null ? [newest] : await Promise.all(SECTIONS.map(listOf));
    if (number < taken) return; // One that was asked for later is there already.
    taken = number;
    isNewest.value = !isAll && lists[0] === newest;
    const before = isNewest.peek() ? [...rows.peek()] : []; // Nothing says that they are gone.
    const found = lists.flatMap(({ tasks }) => tasks.map((row) => [row.id, row] as const));
    rows.value = changedBy(new Map([...before, ...found]), told);
    unreadable.value = [...new Set(lists.flatMap((list) => list.unreadable))];
    loaded.value = true;
  } finally {
    onTheirWay.delete(told);
  }
  // The list is there without what was searched for.
  void findTasks(wantedText.peek()).catch(() => {});
  void loadQuestions();
}

function listOf(section: Section): Promise<TaskList> {
  return call('tasks', {}, { status: STATUSES[section], sort: 'updated', limit: wanted.get(section) });
}

function changedBy(list: ReadonlyMap<string, TaskRow>, told: RowChanges): ReadonlyMap<string, TaskRow> {
  const next = new Map(list);
  for (const [id, row] of told) {
    if (row) next.set(id, row);
    else next.delete(id);
  }
  return next;
}

export async function loadMore(section: Section): Promise<void> {
  wanted.set(section, wanted.get(section)! + PAGE);
  await loadTasks();
}

/** Adds those with a text in their name, wherever they are in the list. */
export async function findTasks(text: string): Promise<void> {
  if (text.trim() === '' || counts.peek() === null || rows.peek().size >= sum(counts.peek()!)) return;
  const { tasks } = await call<TaskList>('tasks', {}, { find: text.trim(), sort: 'updated', limit: PAGE });
  rows.value = new Map([...tasks.map((row) => [row.id, row] as const), ...rows.peek()]);
}

const sum = (numbers: Counts): number => Object.values(numbers).reduce((all, one) => all + one, 0);

export async function loadQuestions(): Promise<void> {
  if (!mayCall('questions') || !loaded.peek() || isPartial.peek()) return; // Rows say themselves what they wait for.
  try {
    questions.value = (await call<{ questions: readonly Question[] }>('questions')).questions;
  } catch {
    // Their rows still say that there are some.
  }
}

/** What the stream told of all tasks. */
export function takeCounts(told: Counts | null): void {
  const isLater = isPartial.peek() && told !== null;
  counts.value = told;
  if (isLater) void loadTasks().catch(() => {}); // The frame says that the server is gone.
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

/** How many are in each section: those that are not here, too, unless a text is looked for. */
export const amounts = computed<ReadonlyMap<Section, number>>(() => {
  const here = new Map([...sections.value].map(([section, list]) => [section, list.length]));
  if (counts.value === null || wantedText.value.trim() !== '') return here;
  const elsewhere = { ...counts.value };
  for (const { status } of rows.value.values()) elsewhere[status] = (elsewhere[status] ?? 0) - 1;
  for (const [section, amount] of here) {
    const more = STATUSES[section].reduce((all, status) => all + Math.max(0, elsewhere[status] ?? 0), 0);
    here.set(section, amount + more);
  }
  return here;
});

const byChange = (a: TaskRow, b: TaskRow): number =>
  a.updated_at === b.updated_at ? (a.id < b.id ? 1 : -1) : a.updated_at < b.updated_at ? 1 : -1;
