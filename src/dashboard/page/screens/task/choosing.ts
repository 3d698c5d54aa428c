/** The row of a task that is looked at closely. */
import { computed, signal } from '@preact/signals';
import { call } from '../../net/api.ts';
import type { Step, Timeline } from '../../shapes/types.ts';
import { placeOf, rowAt, shown, thread } from '../../state/task.ts';

/** Its number; null: none. */
export const chosen = signal<number | null>(null);
/** It was fetched for itself: a mark may lead far from the rows in view. */
const fetched = signal<Step | null>(null);

export const chosenRow = computed<Step | null>(() => {
  const row = chosen.value;
  if (row === null) return null;
  const place = placeOf(row);
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
  const { rows } = await call<Timeline>('timeline', { task }, { from: row, limit: 1 });
  fetched.value = rows[0] ?? null;
}

/** The row of the checkpoint before or after the chosen one. */
export function chooseCheckpoint(direction: -1 | 1): void {
  const marks = (thread.peek()?.marks ?? []).filter(({ kind, row }) => kind === 'checkpoint' && row !== null);
  const at = chosen.peek() ?? (direction < 0 ? Number.POSITIVE_INFINITY : -1);
  const found = direction < 0 ? marks.findLast(({ row }) => row! < at) : marks.find(({ row }) => row! > at);
  if (found) chooseRow(found.row);
}
