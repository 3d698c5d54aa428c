/** Which changes to files are the task's own, read off its journal: spans of snapshots between which it was at work. Pure. */
import type { Entry } from '../entries.ts';

export interface OwnSpan {
  readonly from: string;
  /** Null: until now. */
  readonly to: string | null;
  /** The operation was cut off: whether others changed files before the task went on is not known. */
  readonly doubtful: boolean;
}

export interface SpanReader {
  /** Takes the next live entry in. */
  take(entry: Entry): void;
  /** Forgets what came before; operations under way count from this snapshot on. */
  cut(snapshot: string | undefined): void;
  /** Oldest first; those with nothing between them are one. */
  spans(): OwnSpan[];
  /** The files as the journal last knew them; null while an operation is under way. */
  newest(): string | null;
}

export function readSpans(): SpanReader {
  let spans: OwnSpan[] = [];
  let newest: string | null = null;
  /** Operations under way, and the files before the first of them: together they are one span. */
  const open = new Set<string>();
  let start: string | null = null;
  let doubtfulFrom: string | null = null;

  const add = (span: OwnSpan): void => {
    const last = spans.at(-1);
    if (span.from === span.to) return;
    if (last && last.to === span.from && last.doubtful === span.doubtful)
      spans = [...spans.slice(0, -1), { ...last, to: span.to }];
    else spans.push(span);
  };
  const note = (snapshot: string): void => {
    if (doubtfulFrom !== null) add({ from: doubtfulFrom, to: snapshot, doubtful: true });
    doubtfulFrom = null;
    newest = snapshot;
  };
  const cutOff = (): void => {
    if (open.size > 0) doubtfulFrom ??= start;
    open.clear();
  };

  return {
    take(entry) {
      switch (entry.t) {
        case 'begin':
          if (entry.snapshot === undefined) break;
          note(entry.snapshot);
          if (open.size === 0) start = entry.snapshot;
          open.add(entry.id);
          break;
        case 'step':
        case 'failure': {
          if (!open.delete(entry.id) || open.size > 0) break;
          if (!entry.files) doubtfulFrom ??= start;
          else {
            add({ from: start!, to: entry.files.to, doubtful: false });
            newest = entry.files.to;
          }
          break;
        }
        case 'recovery':
          cutOff();
          break;
        case 'rollback':
          // What was under way there ended in what was taken out; its files were put back, or left as they are by choice.
          open.clear();
          doubtfulFrom = null;
          if (entry.snapshot !== undefined) newest = entry.snapshot;
          break;
        case 'fork':
          open.clear();
          break;
      }
    },
    cut(snapshot) {
      spans = [];
      if (snapshot === undefined) return;
      newest = snapshot;
      if (open.size > 0) start = snapshot;
      if (doubtfulFrom !== null) doubtfulFrom = snapshot;
    },
    spans() {
      const from = open.size > 0 ? (doubtfulFrom ?? start) : doubtfulFrom;
      return from === null ? [...spans] : [...spans, { from, to: null, doubtful: true }];
    },
    newest: () => (open.size > 0 || doubtfulFrom !== null ? null : newest),
  };
}
