/** The row of a task that is looked at closely. */
import { computed, signal } from '@preact/signals';
import { toastError } from '../../kit/toast.tsx';
import { call } from '../../net/api.ts';
import type { Step, Timeline } from '../../shapes/types.ts';
import { indexOfRow, rowAt, shown, thread } from '../../state/task.ts';

/** Its number; null: none. */
export const chosen = signal<number | null>(null);
/** It was fetched for itself: a mark may lead far from the rows in view. */
const fetched = signal<Step | null>(null);

export const chosenRow = computed<Step | null>(() => {
  const row = chosen.value;
  if (row === null) return null;
  const place = indexOfRow(row);
  const known = place < 0 ? undefined : rowAt(place);
  return known ?? (fetched.value?.row === row ? fetched.value : null);
});

export function chooseRow(row: number | null): void {
  chosen.value = row;
  if (row !== null && chosenRow.peek() === null) void fetchRow(row);
}

async function fetchRow(row: number): Promise<void> {
  const task = shown.peek()?.task.id;
  if (task === undefined) return;
  try {
    const { rows } = await call<Timeline>('timeline', { task }, { from: row, limit: 1 });
    fetched.value = rows[0] ?? null;
  } catch (error) {
    toastError(error);
  }
}

const isPoint = ({ kind, row }: Timeline['marks'][number]): boolean =>
  (kind === 'checkpoint' || kind === 'turn') && row !== null;

/** Rows that are looked through for a checkpoint in one go. */
const WINDOW = 500;

/** The row of the checkpoint before or after the chosen one. The thread draws one of many: those between are looked up. */
export async function chooseCheckpoint(direction: -1 | 1): Promise<void> {
  const task = shown.peek()?.task.id;
  const { marks = [], total = 0 } = thread.peek() ?? {};
  const at = chosen.peek() ?? (direction < 0 ? total : -1);
  const drawn = marks.filter(isPoint);
  const far = direction < 0 ? drawn.findLast(({ row }) => row! < at) : drawn.find(({ row }) => row! > at);
  if (task === undefined || !far) return;
  chooseRow((await nearestPoint(task, at, far.row!, direction)) ?? far.row);
}

/** From the chosen row towards one that is known, which is reached at the latest. */
async function nearestPoint(
  task: string,
  at: number,
  far: number,
  direction: -1 | 1,
): Promise<number | null> {
  for (let near = at + direction; (far - near) * direction > 0; near += WINDOW * direction) {
    const end = direction < 0 ? Math.max(far, near - WINDOW + 1) : Math.min(far, near + WINDOW - 1);
    const [from, to] = [Math.min(near, end), Math.max(near, end)];
    const { marks } = await call<Timeline>('timeline', { task }, { from, limit: to - from + 1 });
    const points = marks.filter(isPoint);
    const found = direction < 0 ? points.at(-1) : points[0];
    if (found) return found.row;
  }
  return null;
}
