/** One stream for the tab: the list follows it always, a task while it is looked at. */
import { effect, signal } from '@preact/signals';
import { listen } from '../net/stream.ts';
import type { TaskRow } from '../shapes/types.ts';
import { route } from './route.ts';
import { loadSession } from './session.ts';
import { loadTasks, takeChanges } from './tasks.ts';

/** The end of the followed task's journal, as it was told last. */
export const told = signal<{ readonly task: string; readonly position: number } | null>(null);

/** Listens for as long as the page is open; the task that is looked at is followed closely. */
export function stayLive(): void {
  const listener = {
    last: null as string | null,
    hear({ event, data }: { event: string; data: string }) {
      if (event === 'reset') void loadTasks();
      const value = JSON.parse(data) as Record<string, unknown>;
      if (event === 'tasks') takeChanges(value.rows as TaskRow[], (value.gone as string[] | undefined) ?? []);
      if (event === 'task') told.value = { task: String(value.task), position: Number(value.position) };
    },
    again() {
      void loadSession();
      void loadTasks();
      if (told.peek()) told.value = { ...told.peek()! };
    },
  };
  let abort: AbortController | null = null;
  let before: string | null | undefined;
  effect(() => {
    const task = 'task' in route.value ? route.value.task : null;
    if (task === before) return;
    before = task;
    abort?.abort();
    abort = new AbortController();
    void listen(listener, task, abort.signal);
  });
}
