/** `tasks/{task}/versions`: the task's place in git, beside its journal, since going back in the task does not undo it. */
import { parseTracker, type VersionTracker } from '../../drift/tracker.ts';
import { CorruptError } from '../../errors.ts';
import type { RecordWrite, Storage } from '../../storage/contract.ts';

export function trackerRecord(tracker: VersionTracker): RecordWrite {
  return { category: 'tasks', key: keyOf(tracker.task_id), data: { version: '1.0', ...tracker } };
}

/** Null for a task that never was in a repository. */
export async function loadTracker(storage: Storage, task: string): Promise<VersionTracker | null> {
  const stored = await storage.load('tasks', keyOf(task));
  return stored === null ? null : openTracker(task, stored);
}

/** What was stored, if it is of this task. */
export function openTracker(task: string, stored: unknown): VersionTracker {
  const { version, ...rest } = (stored ?? {}) as Record<string, unknown>;
  const tracker = version === '1.0' ? parseTracker(rest) : null;
  if (tracker?.task_id === task) return tracker;
  throw new CorruptError(`What is kept of task ${task}'s place in git is not whole.`, {
    data: { task },
    hint: `Remove the record tasks/${keyOf(task)} from the store: it is made anew when the task is resumed.`,
  });
}

function keyOf(task: string): string {
  return `${task}/versions`;
}
