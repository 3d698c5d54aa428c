/** The time of a timeline, without the stretches in which nothing happened. Pure. */
import type { TimelineIndex } from './index.ts';
import { ROW_STATUSES } from './row-of.ts';

/** Nothing happened: to be folded. */
export interface Gap {
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  readonly after_row: number;
}

export interface Bin {
  readonly from: string;
  readonly to: string;
  /** The first row in it; null where there is none. */
  readonly row: number | null;
  readonly rows: number;
  readonly failed: number;
  /** How many rows each agent has in it; `''` is the task itself. */
  readonly agents: Readonly<Record<string, number>>;
}

export interface Axis {
  readonly gaps: readonly Gap[];
  /** What is left between them. */
  readonly parts: readonly { readonly from: number; readonly to: number }[];
}

const SHORTEST_GAP_MS = 1000;
/** A gap is folded if it is longer than this part of the time in which something happened. */
const WORTH_FOLDING = 1 / 20;

export function axisOf({ rows, began, last }: TimelineIndex): Axis {
  if (began === null || last === null) return { gaps: [], parts: [] };
  const idle: number[] = [];
  let quiet = 0;
  for (let row = 1; row < rows.length; row++) {
    const ms = rows.get('idle', row);
    if (ms < SHORTEST_GAP_MS) continue;
    idle.push(row);
    quiet += ms;
  }
  const least = Math.max(0, last - began - quiet) * WORTH_FOLDING;
  const gaps: Gap[] = [];
  const parts: { from: number; to: number }[] = [];
  let from = began;
  for (const row of idle) {
    const ms = Math.round(rows.get('idle', row));
    const to = rows.get('at', row);
    if (ms < least || to - ms < from) continue;
    gaps.push({
      from: new Date(to - ms).toISOString(),
      to: new Date(to).toISOString(),
      ms,
      after_row: row - 1,
    });
    parts.push({ from, to: to - ms });
    from = to;
  }
  parts.push({ from, to: Math.max(from, last) });
  return { gaps, parts };
}

/** About so many of equal length; none goes across a gap. */
export function binsOf({ rows, lanes }: TimelineIndex, { parts }: Axis, count: number): Bin[] {
  const whole = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const length = Math.max(1, whole / Math.max(1, count));
  const edges = parts.flatMap(({ from, to }) => {
    const pieces = Math.max(1, Math.round((to - from) / length));
    return Array.from({ length: pieces }, (_, at) => ({
      from: from + ((to - from) * at) / pieces,
      to: from + ((to - from) * (at + 1)) / pieces,
    }));
  });
  const bins = edges.map(({ from, to }) => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    row: null as number | null,
    rows: 0,
    failed: 0,
    agents: {} as Record<string, number>,
  }));
  const failed = ROW_STATUSES.indexOf('failed');
  let bin = 0;
  for (let row = 0; row < rows.length; row++) {
    const at = rows.get('at', row);
    while (bin > 0 && at < edges[bin]!.from) bin--;
    while (bin < bins.length - 1 && at >= edges[bin + 1]!.from) bin++;
    const one = bins[bin];
    if (!one) continue;
    one.row ??= row;
    one.rows++;
    if (rows.get('status', row) === failed) one.failed++;
    const { agent } = lanes[rows.get('agent', row)]!;
    one.agents[agent] = (one.agents[agent] ?? 0) + 1;
  }
  return bins;
}
