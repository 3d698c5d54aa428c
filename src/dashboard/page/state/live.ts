/** One stream for the tab: the list follows it always, a task while it is looked at. */
import { effect, signal } from '@preact/signals';
import { listen } from '../net/stream.ts';
import type { TaskRow } from '../shapes/types.ts';
import { route } from './route.ts';
import { loadSession } from './session.ts';
import { loadTasks, takeChanges, takeCounts } from './tasks.ts';

/** The end of the followed task's journal, as it was told last. */
export const journalEnd = signal<{ readonly task: string; readonly position: number } | null>(null);

/** The frame says that the server is gone, and this is asked for again once it is back. */
const ignored = (): void => {};

/** Listens for as long as the page is open; the task that is looked at is followed closely. */
export function stayLive(): void {
  const listener = {
    last: null as string | null,
    hear({ event, data }: { event: string; data: string }) {
      const value = JSON.parse(data) as Record<string, unknown>;
      if (event === 'tasks') takeChanges(value.rows as TaskRow[], value.gone as string[]);
      if (event !== 'task') takeCounts(value.counts as Record<string, number> | null);
      if (event === 'reset') void loadTasks().catch(ignored);
      if (event === 'task') journalEnd.value = { task: String(value.task), position: Number(value.position) };
    },
    again() {
      void loadSession().catch(ignored);
      void loadTasks().catch(ignored);
      if (journalEnd.peek()) journalEnd.value = { ...journalEnd.peek()! };
    },
  };
  followVisibility();
  let abort: AbortController | null = null;
  let before: string | null | undefined;
  effect(() => {
    const task = !seen.value ? undefined : 'task' in route.value ? route.value.task : null;
    if (task === before) return;
    before = task;
    abort?.abort();
    if (task === undefined) return;
    abort = new AbortController();
    void listen(listener, task, abort.signal);
  });
}

/**
 * A browser holds six connections to a server, for all its tabs: one that nobody sees gives its stream back, and is told what it
 * missed once it is seen again.
 */
const seen = signal(true);
/** A glance at another tab is not worth a new connection. */
const GLANCE_MS = 3_000;

function followVisibility(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (!document.hidden) seen.value = true;
    else
      timer = setTimeout(() => {
        seen.value = false;
      }, GLANCE_MS);
  };
  document.addEventListener('visibilitychange', look);
  look();
}
