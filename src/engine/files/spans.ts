/** Which changes to files are the task's own, from its journal: spans of snapshots between which it was running. Pure. */
import type { Entry, EntryOf } from '../task/entries.ts';
import type { LostFiles } from '../task/lost-files.ts';

interface OwnSpan {
  readonly from: string;
  /** Null: until now. */
  readonly to: string | null;
  /** The operation was interrupted: whether others changed files since they were last looked at is not known. */
  readonly doubtful: boolean;
  /** Snapshots on the way, oldest first: they tell a part where the first or the last cannot be read. */
  readonly via?: readonly string[];
  /** It can have changed no others. */
  readonly paths?: readonly string[];
  /** Nobody knows whether the task did anything here: what is new since is others'. */
  readonly unseen?: boolean;
  /** Set if it may include changes of others at the same time. */
  readonly during?: During;
}

/** In milliseconds. */
export interface During {
  readonly since: number;
  readonly until: number;
  /** The files were looked at by then: what others began later is not in it. */
  readonly by?: number;
}

interface OpenEnd {
  readonly snapshot: string;
  readonly since: number;
  /** One operation is in progress; with the files that it can change, where that is known. */
  readonly begun: boolean;
  readonly paths?: readonly string[];
}

export interface SpanReader {
  /** Adds the next live entry; `next`: when the one after it came. */
  take(entry: Entry, next?: number): void;
  /** Forgets what came before; operations in progress count from this snapshot on. */
  cut(snapshot: string | undefined): void;
  /** Oldest first; those with nothing between them are one. */
  spans(): OwnSpan[];
  /** The first operation that could change anything, even what no snapshot has; null if there was none. */
  ran(): { readonly since: number; readonly from: string } | null;
  /** The files as the journal last knew them; null while an operation is in progress. */
  newest(): string | null;
  /** Where it ends; null where more than one operation is in progress, or one was interrupted. */
  openEnd(): OpenEnd | null;
}

interface Begun {
  /** The one operation that it is, and the files it found. */
  readonly of?: { readonly id: string; readonly found: string };
  readonly from: string;
  readonly since: number;
  readonly paths?: readonly string[];
  readonly unseen?: boolean;
  /** There is a checkpoint in the middle of it, with these files. */
  readonly cutAt?: string;
  /** The files when they were last looked at while it ran. */
  readonly seen?: { readonly snapshot: string; readonly at: number };
}

/** What came after `own` is others'. */
type End = { readonly own: string; readonly to: string } & Omit<During, 'since'>;

export function readSpans(): SpanReader {
  let spans: OwnSpan[] = [];
  let newest: string | null = null;
  /** Operations in progress that could change anything, and the files before the first of them: they are one span. */
  const open = new Set<string>();
  let start: Begun | null = null;
  /** How the last of them ended; null where that is not known. */
  let ended: End | null = null;
  /** Ended by their results; their steps may follow. */
  const answered = new Set<string>();
  let first: Begun | null = null;
  /** Those of which it is known which files they change: each is a span of its own. */
  const single = new Map<string, Begun>();
  /** Interrupted operations, until the files are known again. */
  let doubts: Begun[] = [];

  const add = (span: OwnSpan): void => {
    const last = spans.at(-1);
    if (span.from === span.to) return;
    const follows =
      last?.to === span.from &&
      last.doubtful === span.doubtful &&
      !last.unseen === !span.unseen &&
      !last.during === !span.during;
    if (!follows || last.paths || span.paths) spans.push(span);
    else {
      const via = [...(last.via ?? []), span.from, ...(span.via ?? [])];
      const [a, b] = [last.during, span.during];
      const during = a && b && { ...b, since: Math.min(a.since, b.since), until: Math.max(a.until, b.until) };
      spans = [...spans.slice(0, -1), { ...last, to: span.to, via, ...(during && { during }) }];
    }
  };
  const doubt = (cutOff: Begun): void => {
    const [sure, begun] = atLastLook(cutOff);
    for (const span of sure) add(span);
    // The first that could have changed anything covers the others of its kind.
    if (begun.paths || doubts.every((earlier) => earlier.paths ?? earlier.unseen)) doubts.push(begun);
  };
  const inDoubt = ({ from, paths, unseen, since }: Begun, to: string | null, until: number): OwnSpan => ({
    from,
    to,
    doubtful: true,
    ...(paths ? { paths } : { during: { since, until } }),
    ...(unseen ? { unseen } : {}),
  });
  /** Up to the last look it was running, as if it had ended there; only what came later is in doubt. */
  const atLastLook = ({ seen, ...begun }: Begun): [OwnSpan[], Begun] => {
    if (!seen) return [[], begun];
    const { snapshot, at } = seen;
    const during = { since: begun.since, until: at, by: at };
    const sure = { from: begun.from, to: snapshot, doubtful: false, during };
    const rest = { from: snapshot, since: at, ...(begun.of ? { of: begun.of } : {}) };
    return [begun.from === snapshot ? [] : [sure], rest];
  };
  const note = (snapshot: string, at: number): void => {
    for (const begun of doubts) add(inDoubt(begun, snapshot, at));
    doubts = [];
    newest = snapshot;
  };
  const begin = ({ id, at, snapshot, paths }: EntryOf<'begin'>): void => {
    if (snapshot === undefined) return;
    const since = Date.parse(at);
    note(snapshot, since);
    if (paths) single.set(id, { of: { id, found: snapshot }, from: snapshot, since, paths });
    else {
      if (open.size === 0) {
        start = { of: { id, found: snapshot }, from: snapshot, since };
        ended = null;
      }
      first ??= { from: snapshot, since };
      open.add(id);
    }
  };
  const end = ({ id, at, ms, files }: EntryOf<'step'> | EntryOf<'failure'>, next?: number): void => {
    const late = files && endInDoubt(id, files.from);
    const alone = single.get(id) ?? (late?.paths && late);
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
    } else if (answered.delete(id)) newest = files?.to ?? newest;
    else if (open.delete(id) || late) {
      if (late) start = late;
      // The next operation starts only after the snapshot, unless several run at once.
      const by = next === undefined || single.size > 0 ? {} : { by: next };
      const until = Date.parse(at) + ms;
      ended = files ? { own: (files.own ?? files).to, to: files.to, until, ...by } : null;
      if (open.size === 0) close();
    }
  };
  /** With its result it has ended, whether or not all files were looked at after it. */
  const answer = ({ id, at, snapshot }: EntryOf<'result'>, next?: number): void => {
    if (snapshot === undefined || !open.delete(id)) return;
    answered.add(id);
    const by = next === undefined ? {} : { by: next };
    ended = { own: snapshot, to: snapshot, until: Date.parse(at), ...by };
    if (open.size === 0) close();
  };
  /** Its process was killed, and not the operation: its end came after all, before anything else began. */
  const endInDoubt = (id: string, found: string): Begun | undefined => {
    const late = doubts.find(({ of }) => of?.id === id && of.found === found);
    doubts = doubts.filter((begun) => begun !== late);
    return late;
  };
  /** At a checkpoint. Only at a prompt is an interrupted call over: at others, its end may still come. */
  const look = ({ at, mark: { snapshot, by } = { n: 0 } }: EntryOf<'checkpoint'>): void => {
    if (snapshot === undefined) return;
    if (by === 'before_turn' && doubts.length > 0) note(snapshot, Date.parse(at));
    if (open.size > 0) start = { ...start!, seen: { snapshot, at: Date.parse(at) } };
  };
  /** No operation is in progress any more that could change anything. */
  const close = (): void => {
    const { from, since } = start!;
    if (!ended) doubt(start!);
    else {
      const { own, to, ...until } = ended;
      add({ from, to: own, doubtful: false, during: { since, ...until } });
      newest = to;
    }
  };
  /** It was refused after it had begun, and did not run; others may have ended meanwhile. */
  const drop = (id: string): void => {
    single.delete(id);
    if (open.delete(id) && open.size === 0 && ended) close();
  };
  /** What the task did here is not known any more: any later change may be its own. */
  const lose = (known: string | null, at: number): void => {
    const from = newest ?? known;
    if (from !== null) doubts.push({ from, since: at, unseen: true });
  };
  /** The same where checkpoints tell more of it. */
  const loseBetween = (lost: LostFiles, at: number): void => {
    if (newest !== null && newest !== lost.from) doubt({ from: newest, since: at });
    note(lost.from, at);
    for (const { from, to, doubtful = false, since, until, paths } of lost.spans)
      add({ from, to, doubtful, ...(paths ? { paths } : { during: { since, until } }) });
    newest = lost.to;
    const { open } = lost;
    if (!open) doubts.push({ from: lost.to, since: at, unseen: true });
    else if (open.length > 0) doubts.push({ from: lost.to, since: at, paths: open });
  };
  /** All that could change anything; `of`: if it is one. */
  const together = ({ of, ...begun }: Begun): Begun => (open.size > 1 || !of ? begun : { ...begun, of });
  const inProgress = (): Begun[] => [...(open.size > 0 ? [together(start!)] : []), ...single.values()];
  const forget = (): void => {
    open.clear();
    single.clear();
  };

  return {
    take(entry, next) {
      switch (entry.t) {
        case 'begin':
          begin(entry);
          break;
        case 'step':
        case 'failure':
          end(entry, next);
          break;
        case 'result':
          answer(entry, next);
          break;
        case 'skip':
          drop(entry.id);
          break;
        case 'recovery': {
          const lost = entry.mended?.lost;
          // Operations in progress at the damage are covered by the checkpoints after it.
          for (const begun of inProgress()) if (begun.from !== lost?.from) doubt(begun);
          forget();
          if (lost) loseBetween(lost, Date.parse(entry.at));
          else if (entry.mended) lose(entry.mended.snapshot ?? null, Date.parse(entry.at));
          break;
        }
        case 'rollback':
          // What was in progress there ended in the removed part; its files were restored, or left as they are by choice.
          forget();
          doubts = [];
          if (entry.files && entry.snapshot !== undefined)
            add({ from: entry.files.before, to: entry.snapshot, doubtful: false });
          if (entry.snapshot !== undefined) newest = entry.snapshot;
          break;
        case 'take':
          if (!entry.changed) break;
          // Nobody ran it: what was in progress had been cut off before.
          for (const begun of inProgress()) doubt(begun);
          forget();
          note(entry.changed.from, Date.parse(entry.at));
          add({ from: entry.changed.from, to: entry.changed.to, doubtful: false });
          newest = entry.changed.to;
          break;
        case 'fork':
          forget();
          break;
        case 'checkpoint':
          look(entry);
          break;
      }
    },
    cut(snapshot) {
      spans = [];
      first = open.size > 0 ? start : null;
      if (snapshot === undefined) return;
      newest = snapshot;
      if (open.size > 0) start = { from: snapshot, since: start!.since };
      for (const [id, begun] of single)
        if (begun.from !== snapshot) single.set(id, { ...begun, from: snapshot, cutAt: snapshot });
      doubts = doubts.map((begun) => ({ ...begun, from: snapshot, cutAt: snapshot }));
    },
    spans() {
      const [sure, rest] = open.size > 0 ? atLastLook(start!) : [[], null];
      const left = [...doubts, ...(rest ? [rest] : []), ...single.values()];
      return [...spans, ...sure, ...left.map((begun) => inDoubt(begun, null, Infinity))];
    },
    ran: () => first,
    newest: () => (open.size + single.size + doubts.length > 0 ? null : newest),
    openEnd() {
      const [one, ...more] = inProgress();
      if (doubts.length + more.length > 0 || open.size > 1) return null;
      if (one)
        return { snapshot: one.from, since: one.since, begun: true, ...(one.paths && { paths: one.paths }) };
      return newest === null ? null : { snapshot: newest, since: 0, begun: false };
    },
  };
}
