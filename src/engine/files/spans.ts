/** Which changes to files are the task's own, read off its journal: spans of snapshots between which it was at work. Pure. */
import type { Entry, EntryOf } from '../entries.ts';

export interface OwnSpan {
  readonly from: string;
  /** Null: until now. */
  readonly to: string | null;
  /** The operation was cut off: whether others changed files before the task went on is not known. */
  readonly doubtful: boolean;
  /** It can have changed no others. */
  readonly paths?: readonly string[];
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

interface Begun {
  readonly from: string;
  readonly paths?: readonly string[];
  /** There is a checkpoint in the middle of it, with these files. */
  readonly cutAt?: string;
}

export function readSpans(): SpanReader {
  let spans: OwnSpan[] = [];
  let newest: string | null = null;
  /** Operations under way that could change anything, and the files before the first of them: together they are one span. */
  const open = new Set<string>();
  let start: string | null = null;
  /** Those of which it is known which files they change: each is a span of its own. */
  const single = new Map<string, Begun>();
  /** What was cut off, until the files are known again. */
  let doubts: Begun[] = [];

  const add = (span: OwnSpan): void => {
    const last = spans.at(-1);
    if (span.from === span.to) return;
    const follows = last?.to === span.from && last.doubtful === span.doubtful;
    if (follows && !last.paths && !span.paths) spans = [...spans.slice(0, -1), { ...last, to: span.to }];
    else spans.push(span);
  };
  const doubt = ({ from, paths }: Begun): void => {
    // The first that could have changed anything covers the others of its kind.
    if (paths) doubts.push({ from, paths });
    else if (doubts.every((earlier) => earlier.paths)) doubts.push({ from });
  };
  const inDoubt = (to: string | null) => doubts.map((begun): OwnSpan => ({ ...begun, to, doubtful: true }));
  const note = (snapshot: string): void => {
    for (const span of inDoubt(snapshot)) add(span);
    doubts = [];
    newest = snapshot;
  };
  const begin = ({ id, snapshot, paths }: EntryOf<'begin'>): void => {
    if (snapshot === undefined) return;
    note(snapshot);
    if (paths) single.set(id, { from: snapshot, paths });
    else {
      if (open.size === 0) start = snapshot;
      open.add(id);
    }
  };
  const end = ({ id, files }: EntryOf<'step'> | EntryOf<'failure'>): void => {
    const alone = single.get(id);
    if (alone) {
      single.delete(id);
      if (!files) doubt(alone);
      else if (alone.cutAt) {
        const { cutAt: from, paths } = alone;
        add({ from, to: (files.own ?? files).to, doubtful: false, paths: paths! });
      } else {
        const { from, to } = files.own ?? files;
        add({ from, to, doubtful: false });
      }
      if (files) newest = files.to;
    } else if (open.delete(id) && open.size === 0) {
      if (!files) doubt({ from: start! });
      else {
        add({ from: start!, to: files.to, doubtful: false });
        newest = files.to;
      }
    }
  };
  const forget = (): void => {
    open.clear();
    single.clear();
  };

  return {
    take(entry) {
      switch (entry.t) {
        case 'begin':
          begin(entry);
          break;
        case 'step':
        case 'failure':
          end(entry);
          break;
        case 'recovery':
          if (open.size > 0) doubt({ from: start! });
          for (const begun of single.values()) doubt(begun);
          forget();
          break;
        case 'rollback':
          // What was under way there ended in what was taken out; its files were put back, or left as they are by choice.
          forget();
          doubts = [];
          if (entry.snapshot !== undefined) newest = entry.snapshot;
          break;
        case 'fork':
          forget();
          break;
      }
    },
    cut(snapshot) {
      spans = [];
      if (snapshot === undefined) return;
      newest = snapshot;
      if (open.size > 0) start = snapshot;
      for (const [id, begun] of single)
        if (begun.from !== snapshot) single.set(id, { ...begun, from: snapshot, cutAt: snapshot });
      doubts = doubts.map((begun) => ({ ...begun, from: snapshot }));
    },
    spans() {
      const underWay: Begun[] = [...(open.size > 0 ? [{ from: start! }] : []), ...single.values()];
      const doubtful = [...doubts, ...underWay].map(
        ({ from, paths }): OwnSpan => ({ from, to: null, doubtful: true, ...(paths ? { paths } : {}) }),
      );
      return [...spans, ...doubtful];
    },
    newest: () => (open.size + single.size + doubts.length > 0 ? null : newest),
  };
}
