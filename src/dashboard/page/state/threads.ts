/** The timelines of tasks in the list: fetched as they come into view, a few at a time, again when a task grew. */
import { signal } from '@preact/signals';
import { call } from '../net/api.ts';
import type { TaskRow, Timeline } from '../shapes/types.ts';
import { mayCall } from './session.ts';

const AT_ONCE = 3;
/** Enough to draw every step of a short task. */
const ROWS = 120;
/** As many places for marks as can be told apart. */
const BINS = 40;

interface Known {
  readonly version: string;
  readonly timeline: Timeline | null;
}

const known = signal<ReadonlyMap<string, Known>>(new Map());
const queue = new Map<string, TaskRow>();
let busy = 0;

/** The thread of a task, as far as it is known; it is fetched where it is not. */
export function threadOf(row: TaskRow): Timeline | null {
  const found = known.value.get(row.id);
  if (found?.version !== versionOf(row) && mayCall('timeline')) {
    queue.set(row.id, row);
    queueMicrotask(work);
  }
  return found?.timeline ?? null;
}

const versionOf = ({ position, updated_at, status }: TaskRow): string =>
  `${position ?? updated_at} ${status}`;

function work(): void {
  while (busy < AT_ONCE) {
    const next = queue.entries().next();
    if (next.done) return;
    const [id, row] = next.value;
    queue.delete(id);
    if (known.peek().get(id)?.version === versionOf(row)) continue;
    busy += 1;
    void fetchOne(row).finally(() => {
      busy -= 1;
      work();
    });
  }
}

async function fetchOne(row: TaskRow): Promise<void> {
  const before = known.peek().get(row.id)?.timeline ?? null;
  // The line stays as it was: the task's own screen says what is wrong.
  const timeline = await call<Timeline>(
    'timeline',
    { task: row.id },
    { from: 0, limit: ROWS, bins: BINS },
  ).catch(() => before);
  known.value = new Map(known.peek()).set(row.id, { version: versionOf(row), timeline });
}
