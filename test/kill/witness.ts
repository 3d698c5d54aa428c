/** What happened outside the store: a line per event, appended by the processes that die, read by who judges them. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export type Event =
  /** The process found the task in this status; null when there was none. */
  | { readonly what: 'found'; readonly status: string | null }
  /** A step's function began; `unknown` is since when it was in progress before, as reported to it. */
  | { readonly what: 'begin'; readonly id: string; readonly attempt: number; readonly unknown: string | null }
  | { readonly what: 'end'; readonly id: string; readonly attempt: number }
  /** These entries were handed to the store, and it said that they are durable. */
  | { readonly what: 'commit'; readonly n: number; readonly entries: readonly unknown[] }
  | { readonly what: 'acked'; readonly n: number };

export type Line = Event & { readonly run: number };
export type Note = (event: Event) => void;

/** Each line is one write to the end of the file: it is there whole when the process dies right after. */
export function noteTo(file: string, run: number): Note {
  return (event) => appendFileSync(file, `${JSON.stringify({ run, ...event })}\n`);
}

export function linesIn(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
