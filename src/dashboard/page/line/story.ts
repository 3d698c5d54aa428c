/** The story of a task, from its timeline as the server tells it. Pure. */
import type { Step, Timeline } from '../shapes/types.ts';
import type { Story } from './geometry.ts';

/** More steps than this would touch each other on the line. */
const MOST_BEADS = 240;

/** `running`: it is not over, so its line reaches to now. */
export function storyOf(timeline: Timeline, now: number, running: boolean): Story {
  const from = timeline.started_at === null ? now : Date.parse(timeline.started_at);
  const marks = timeline.marks.map((mark) => ({ ...mark, at: Math.max(from, Date.parse(mark.at)) }));
  const rows = timeline.total <= MOST_BEADS && timeline.rows.length === timeline.total ? timeline.rows : [];
  const last = Math.max(
    from,
    timeline.last_at === null ? 0 : Date.parse(timeline.last_at),
    ...marks.map(({ at }) => at),
    ...rows.map(({ at, ms }) => Date.parse(at) + (ms ?? 0)),
  );
  const ended = timeline.ended_at === null ? null : Date.parse(timeline.ended_at);
  const to = ended ?? (running ? Math.max(last, now) : last);
  return {
    from,
    to,
    marks,
    gaps: [
      ...timeline.gaps.map((gap) => ({ from: Date.parse(gap.from), to: Date.parse(gap.to) })),
      ...tailOf(last, to, from),
    ],
    dead: timeline.dead.flatMap(({ from_row, after_seq, rollback_seq, redone }) => {
      const rollback = marks.find(({ seq, kind }) => seq === rollback_seq && kind === 'rollback');
      if (!rollback || redone) return [];
      const checkpoint = marks.find(({ id, kind }) => id === rollback.id && kind !== 'rollback');
      const begun = checkpoint?.at ?? timeOfRow(timeline, from_row) ?? from;
      return [{ from: begun, to: rollback.at, after: after_seq, before: rollback_seq }];
    }),
    beads: rows.filter(isBead).map(({ at }) => Date.parse(at)),
  };
}

/** A pause at the end for which nothing has happened is idle time like any other: a night of waiting does not fill the line. */
const SHORTEST_TAIL_MS = 60_000;

function tailOf(last: number, to: number, from: number): Story['gaps'] {
  return to - last > Math.max(SHORTEST_TAIL_MS, (last - from) / 4) ? [{ from: last, to }] : [];
}

const isBead = ({ kind }: Step): boolean =>
  ['step', 'tool', 'shell', 'edit', 'message', 'decision'].includes(kind);

function timeOfRow({ rows, marks }: Timeline, row: number): number | null {
  const found =
    rows.find((one) => one.row === row) ?? marks.find((one) => one.row !== null && one.row >= row);
  return found ? Date.parse(found.at) : null;
}
