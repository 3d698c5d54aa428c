/** The stream of changes: what other processes do appears, and nothing is missed in between. */
import { expect, test } from 'vitest';
import type { Dashboard } from '../../src/dashboard/server.ts';
import { configure } from '../cli/world.ts';
import { letters, untilStatus } from '../engine/letters.ts';
import { onEveryStore } from '../engine/stores.ts';
import { dashboards } from './open.ts';

interface Event {
  readonly event: string;
  readonly id: string;
  readonly data: {
    readonly rows?: readonly { readonly id: string; readonly short: string; readonly status: string }[];
    readonly gone?: readonly string[];
    readonly counts?: Readonly<Record<string, number>> | null;
    readonly task?: string;
    readonly position?: number;
  };
}

/** Reads events until one is found. */
async function listen(
  { port, key }: Dashboard,
  { last, task }: { readonly last?: string; readonly task?: string } = {},
): Promise<{ until(found: (event: Event) => boolean): Promise<Event>; stop(): void }> {
  const stop = new AbortController();
  const query = task === undefined ? '' : `?task=${task}`;
  const answer = await fetch(`http://127.0.0.1:${port}/api/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, ...(last === undefined ? {} : { 'last-event-id': last }) },
    signal: stop.signal,
  });
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Event> => {
    while (!text.includes('\n\n')) text += (await reader.read()).value;
    const block = text.slice(0, text.indexOf('\n\n'));
    text = text.slice(block.length + 2);
    const lines = block
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
    const { event = '', id = '', data = '{}' } = Object.fromEntries(lines) as Record<string, string>;
    return { event, id, data: JSON.parse(data) };
  };
  return {
    async until(found) {
      for (;;) {
        const event = await next();
        if (found(event)) return event;
      }
    },
    stop: () => stop.abort(),
  };
}

const tells =
  (id: string, status: string) =>
  ({ event, data }: Event): boolean =>
    event === 'tasks' && data.rows!.some((row) => row.id === id && row.status === status);

onEveryStore(
  (fresh) => {
    const open = dashboards();

    test('tells what changes, and after a break what was missed', async () => {
      const store = await fresh();
      configure(store);
      const server = await open({ dir: store.dir });
      const first = await listen(server);
      expect((await first.until(() => true)).event).toBe('reset');
      const definition = letters([]);
      const engine = await store.open({ tasks: [definition] });
      const { id } = await engine.start(definition, 'ab');
      const waiting = await first.until(tells(id, 'waiting'));
      expect(id.endsWith(waiting.data.rows!.find((row) => row.id === id)!.short)).toBe(true);
      first.stop();
      await engine.pause(id);
      await untilStatus(engine, id, 'paused');
      const again = await listen(server, { last: waiting.id });
      await again.until(tells(id, 'paused'));
      again.stop();
      const other = await listen(server, { last: 'another.3' });
      expect((await other.until(() => true)).event).toBe('reset');
      other.stop();
    });

    test('says how many tasks there are of each status, once it has read all', async () => {
      const store = await fresh();
      configure(store);
      const definition = letters([]);
      const engine = await store.open({ tasks: [definition] });
      const { id } = await engine.start(definition, 'a');
      await untilStatus(engine, id, 'waiting');
      const stream = await listen(await open({ dir: store.dir }));
      expect((await stream.until(() => true)).data.counts).toBe(null);
      await stream.until(({ data }) => data.counts?.waiting === 1);
      await engine.enqueue(definition, 'b');
      const now = await stream.until(({ data }) => data.counts?.queued === 1);
      expect(now.data.counts).toMatchObject({ waiting: 1, queued: 1 });
      await engine.cancel(id);
      await stream.until(({ data }) => data.counts?.waiting === 0 && data.counts.cancelled === 1);
      stream.stop();
    });

    test('follows one task closely', async () => {
      const store = await fresh();
      configure(store);
      const definition = letters([]);
      const engine = await store.open({ tasks: [definition] });
      const { id } = await engine.start(definition, 'a');
      await untilStatus(engine, id, 'waiting');
      const server = await open({ dir: store.dir });
      const stream = await listen(server, { task: id });
      const now = await stream.until(({ event }) => event === 'task');
      expect(now.data).toMatchObject({ task: id, position: (await engine.storage.position(id)).seq });
      await engine.answer(id, '!');
      await stream.until(({ event, data }) => event === 'task' && data.position! > now.data.position!);
      stream.stop();
    });

    test('a task that is not there, and a project without a store, are no reason to end', async () => {
      const store = await fresh();
      const server = await open({ dir: store.dir });
      const stream = await listen(server, { task: 'nothing' });
      await stream.until(({ event }) => event === 'reset');
      configure(store);
      const definition = letters([]);
      const { id } = await (await store.open({ tasks: [definition] })).start(definition, 'a');
      await stream.until(tells(id, 'waiting'));
      stream.stop();
    });
  },
  ['json', 'sqlite'],
);
