/**
 * `GET /api/stream`: what changes, as it changes. All streams share one look at the store; each event has a number, so that a
 * page that was away gets what it missed.
 */
import { randomBytes } from 'node:crypto';
import type { HttpReply, HttpStream } from '../system/process/http-service.ts';
import type { Language } from '../verbs/text/choose.ts';
import { translator } from '../verbs/text/translate.ts';
import type { Calls } from './calls.ts';
import { refusedReply } from './refusals.ts';
import { jsonText, reply, type Served } from './served.ts';
import { type Changes, type Row, watchTask, watchTasks } from './watch.ts';

const MOST_STREAMS = 16;
const HEARTBEAT_MS = 15_000;
/** A page that goes from one task to another opens its stream again. */
const LINGER_MS = 10_000;

export interface Streams {
  open(wanted: Wanted): Promise<HttpReply>;
  close(): void;
}

interface Wanted {
  /** Of the last event that the page got. */
  readonly last: string | null;
  /** A task that is followed closely. */
  readonly task: string | null;
  readonly language: Language;
}

export function openStreams(served: Served, calls: Calls): Streams {
  const open = new Set<(changes: Changes | null) => void>();
  let look: Look | null = null;
  let lingering: NodeJS.Timeout | undefined;

  const stop = (): void => {
    clearTimeout(lingering);
    look?.end();
    look = null;
  };
  const begin = async (out: HttpStream, { last, task, language }: Wanted): Promise<void> => {
    const translate = await translator(language);
    clearTimeout(lingering);
    look ??= lookAt({ ...served, ...calls }, (changes) => {
      for (const one of open) one(changes);
    });
    const seen = look;
    const tell = (event: string, data: unknown): void =>
      out.write(`event: ${event}\nid: ${seen.at()}\ndata: ${jsonText(data, served, translate)}\n\n`);
    const pass = (changes: Changes | null): void =>
      changes === null
        ? tell('reset', { counts: seen.counts() })
        : tell('tasks', { ...changes, counts: seen.counts() });
    pass(seen.since(last));
    open.add(pass);
    const beat = setInterval(() => out.write(': \n\n'), HEARTBEAT_MS);
    if (task !== null) void watchTask(served, task, (change) => tell('task', change), out.closed);
    const leave = (): void => {
      clearInterval(beat);
      open.delete(pass);
      if (open.size === 0) lingering = setTimeout(stop, LINGER_MS).unref();
    };
    if (out.closed.aborted) leave();
    else out.closed.addEventListener('abort', leave);
  };
  let opening = 0;
  return {
    async open(wanted) {
      if (open.size + opening >= MOST_STREAMS) return refusedReply('TOO_MANY_STREAMS', wanted.language);
      opening += 1;
      return reply(200, 'text/event-stream; charset=utf-8', (out) => {
        void begin(out, wanted).finally(() => {
          opening -= 1;
        });
      });
    },
    close: stop,
  };
}

/** One look at all tasks. */
interface Look {
  /** The id of the last event. */
  at(): string;
  /** What happened after an event; null where that is not known, or is more than is told. */
  since(last: string | null): Changes | null;
  /** How many tasks there are of each status; null until all are known. */
  counts(): Readonly<Record<string, number>> | null;
  end(): void;
}

/** Of more tasks than this, only those that somebody may have to look at are told one after the other while they are first read. */
const FEW = 200;
/** Of a store in which even those are too many, the page asks for the list once all are known. */
const MOST = 500;
const RESTING: readonly string[] = ['queued', 'completed', 'cancelled'];

/** `pass` is called with what changed; null: with more than is told. */
function lookAt(served: Served & Calls, pass: (changes: Changes | null) => void): Look {
  /** Another look, also of another process, counts on its own. */
  const name = randomBytes(6).toString('base64url');
  /** Every task as last seen, with the number of the event that told it; null once it is gone. */
  const seen = new Map<string, { readonly number: number; readonly row: Row | null }>();
  const counts: Record<string, number> = {};
  const looking = new AbortController();
  let number = 0;
  let isUpToDate = false;
  let told = 0;
  const see = (id: string, row: Row | null): void => {
    const before = seen.get(id)?.row;
    if (before) counts[before.status]! -= 1;
    if (row) counts[row.status] = (counts[row.status] ?? 0) + 1;
    seen.set(id, { number, row });
  };
  const onChanges = (changes: Changes, initial: boolean): void => {
    number += 1;
    for (const row of changes.rows) see(row.id, row);
    for (const id of changes.gone) see(id, null);
    const isMuch = initial && seen.size > FEW;
    const rows = isMuch ? changes.rows.filter(isOpen).slice(0, MOST - told) : changes.rows;
    if (isMuch) told += rows.length;
    if (rows.length + changes.gone.length > 0) pass({ rows, gone: changes.gone });
  };
  const onAll = (): void => {
    const isAgain = isUpToDate; // After a break: not all of it was told.
    isUpToDate = true;
    pass(isAgain ? null : { rows: [], gone: [] });
  };
  void watchTasks(served, { onChanges, onAll }, looking.signal);
  return {
    at: () => `${name}.${number}`,
    since(last) {
      const [of, at] = last?.split('.') ?? [];
      if (of !== name || !/^\d+$/.test(at ?? '')) return null;
      const missed = [...seen].filter(([, one]) => one.number > Number(at));
      if (missed.length > MOST) return null;
      return {
        rows: missed.flatMap(([, { row }]) => (row ? [row] : [])),
        gone: missed.flatMap(([id, { row }]) => (row ? [] : [id])),
      };
    },
    counts: () => (isUpToDate ? counts : null),
    end: () => looking.abort(),
  };
}

function isOpen({ status, questions }: Row): boolean {
  return questions > 0 || !RESTING.includes(status);
}
