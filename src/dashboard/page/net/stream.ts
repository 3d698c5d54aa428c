/** The server's stream of changes. It reconnects by itself, and says where it was, so that nothing is missed. */
import { eventReader, type ServerEvent } from '../lib/events.ts';
import { ApiError, connection, request } from './api.ts';

interface Listener {
  /** The id of the last event, for the next connection; null begins again with everything. */
  last: string | null;
  hear(event: ServerEvent): void;
  /** Called on each connection after the first. */
  again(): void;
}

const FIRST_MS = 250;
const MOST_MS = 5_000;

/** Listens until aborted. `task` is followed closely. */
export async function listen(listener: Listener, task: string | null, abort: AbortSignal): Promise<void> {
  let pause = FIRST_MS;
  let connected = false;
  while (!abort.aborted && connection.peek() !== 'no_key') {
    let isFull = false;
    try {
      const query = task === null ? '' : `?task=${encodeURIComponent(task)}`;
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (listener.last !== null) headers['last-event-id'] = listener.last;
      const response = await request(`/api/stream${query}`, { headers, signal: abort });
      connection.value = 'live';
      pause = FIRST_MS;
      if (connected) listener.again();
      connected = true;
      await readAll(response, listener);
    } catch (error) {
      if (abort.aborted || connection.peek() === 'no_key') return;
      isFull = error instanceof ApiError && error.code === 'TOO_MANY_STREAMS';
    }
    if (abort.aborted) return;
    connection.value = isFull ? 'full' : 'gone';
    await rest(pause, abort);
    pause = Math.min(MOST_MS, pause * 2);
  }
}

async function readAll(response: Response, listener: Listener): Promise<void> {
  const read = eventReader();
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const event of read(value)) {
      if (event.id !== null) listener.last = event.id;
      listener.hear(event);
    }
  }
}

/** Waits; a page that comes to the front or online again does not wait longer. */
function rest(ms: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      document.removeEventListener('visibilitychange', end);
      abort.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    document.addEventListener('visibilitychange', end);
    abort.addEventListener('abort', end);
  });
}
