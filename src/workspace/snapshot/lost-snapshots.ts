/**
 * Restores past snapshots that cannot be read. A span is extended to the nearest readable one, and is in doubt there: others
 * may have changed files in between, so the user is asked. Pure.
 */

export interface SnapshotSpan {
  readonly from: string;
  readonly to: string;
  /** Others may have changed files between them, too: the user is asked whose the changes are. */
  readonly doubtful?: boolean;
  /** Snapshots on the way, oldest first: used where the first or the last cannot be read. */
  readonly via?: readonly string[];
  /** The task changed nothing but these files between them. */
  readonly paths?: readonly string[];
  /** Nobody knows whether the task did anything here: what is new since is others'. */
  readonly unseen?: boolean;
  /**
   * Spans of others in the same time, oldest first: what they changed is theirs. `doubtful`: others ran at the same time as
   * them, and the user is asked whose the changes are. `near`: shortly before or after, not in the same time.
   */
  readonly others?: readonly (Pick<SnapshotSpan, 'from' | 'to' | 'doubtful'> & { readonly near?: boolean })[];
}

interface ReadableSpans {
  /** `to` is null for one that lasts until now. */
  readonly spans: readonly ReadableSpan[];
  /** The state before the first change is lost. */
  readonly unknown: boolean;
}

type ReadableSpan = Omit<SnapshotSpan, 'to'> & { readonly to: string | null };

export function readableSpans(
  first: string,
  spans: readonly SnapshotSpan[],
  lost: ReadonlyMap<string, unknown>,
): ReadableSpans {
  const readable: ReadableSpan[] = [];
  let unknown = false;
  /** One whose end is lost. */
  let open: SnapshotSpan | null = null;
  for (const span of spans.flatMap((whole) => splitAtReadable(whole, lost))) {
    let here: SnapshotSpan | null = span;
    if (open && (lost.has(span.from) || span.from === open.to)) here = joined(open, span);
    else if (open) readable.push({ ...open, to: span.from, doubtful: true });
    else if (lost.has(span.from)) {
      const before = readable.at(-1)?.to ?? (lost.has(first) ? null : first);
      unknown ||= before === null;
      here = before === null ? null : { ...span, from: before, doubtful: true };
    }
    open = here && lost.has(here.to) ? here : null;
    if (here && !open) readable.push(here);
  }
  if (open) readable.push({ ...open, to: null, doubtful: true });
  return { spans: readable, unknown };
}

/** What lies between two snapshots on the way that can be read is known as exactly as before. */
function splitAtReadable(span: SnapshotSpan, lost: ReadonlyMap<string, unknown>): SnapshotSpan[] {
  const { from, to, via = [], ...rest } = span;
  if (!lost.has(from) && !lost.has(to)) return [span];
  const inside = via.filter((id) => !lost.has(id));
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined) return [span];
  return [
    ...(lost.has(from) ? [{ ...rest, from, to: first }] : []),
    { ...rest, from: lost.has(from) ? first : from, to: lost.has(to) ? last : to },
    ...(lost.has(to) ? [{ ...rest, from: last, to }] : []),
  ].filter((part) => part.from !== part.to);
}

/** Nothing is in doubt where one begins as the other ended. */
function joined(open: SnapshotSpan, next: SnapshotSpan): SnapshotSpan {
  const { paths: _, others: __, unseen: ___, ...rest } = open;
  const paths = open.paths && next.paths ? { paths: [...open.paths, ...next.paths] } : {};
  const doubtful = open.to !== next.from || open.doubtful || next.doubtful || false;
  const others = [...(open.others ?? []), ...(next.others ?? [])];
  const unseen = open.unseen && next.unseen ? { unseen: true } : {};
  return { ...rest, to: next.to, doubtful, others, ...paths, ...unseen };
}
