/**
 * The thread of a task as shapes: one line from its start to now, in stretches that say what it was doing, with its marks,
 * the loops of what was rolled back and the branches of its forks. Pure.
 */
import type { MarkKind } from '../shapes/marks.ts';
import { foldedScale, type Scale, spread, through } from './scale.ts';

export interface Mark {
  readonly kind: MarkKind;
  readonly seq: number;
  readonly row: number | null;
  readonly at: number;
  readonly id: string | null;
  readonly text: string | null;
  readonly task: string | null;
}

/** Unique on a line: a fork's has entries of two journals, and several forks may leave at one place. */
export const nameOf = ({ kind, seq, task }: Mark): string => `${kind}-${task ?? ''}-${seq}`;

/** Rolled back: from the checkpoint to the rollback, by their times, and by their numbers, since times may be the same or out of order. */
interface Dead {
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly before: number;
}

export interface Story {
  readonly from: number;
  /** Its end, or now. */
  readonly to: number;
  readonly marks: readonly Mark[];
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly dead: readonly Dead[];
  /** Times of steps, where they are few enough to be seen. */
  readonly beads: readonly number[];
}

export interface PlacedMark {
  readonly mark: Mark;
  readonly x: number;
  /** How many marks stand here as one. */
  readonly count: number;
  /** It lies on a stretch that was rolled back. */
  readonly dead: boolean;
}

export type Stretch = 'ran' | 'waited' | 'dead' | 'paused';

export interface Shapes {
  readonly width: number;
  readonly marks: readonly PlacedMark[];
  readonly stretches: readonly { readonly kind: Stretch; readonly from: number; readonly to: number }[];
  readonly folds: Scale['folds'];
  readonly loops: readonly { readonly from: number; readonly to: number }[];
  readonly branches: readonly { readonly x: number; readonly task: string; readonly row: number }[];
  readonly beads: readonly number[];
  /** Also those that stand behind another mark. */
  readonly answers: readonly Mark[];
  /** Where a time lies. */
  at(time: number): number;
  /** Where the checkpoint of an entry of the task's own journal stands, or its time lies. */
  ring(seq: number, time: number): number;
}

/** What is kept where marks have to share a place, the most important first. */
const WEIGHT: readonly MarkKind[] = [
  'end',
  'kill',
  'wait',
  'rollback',
  'redo',
  'take',
  'fork',
  'recovery',
  'answer',
  'drift',
  'pause',
  'turn',
  'checkpoint',
];

const APART = 15;
const MOST_BRANCHES = 3;

export function shapesOf(story: Story, width: number): Shapes {
  const whole = { from: story.from, to: Math.max(story.to, story.from) };
  const gaps = worthFolding(story, width);
  const scale = foldedScale(whole, gaps, width);
  const sorted = [...story.marks].sort((a, b) => a.at - b.at || a.seq - b.seq);
  const groups = grouped(sorted, scale, width);
  const ideal = groups.map(({ mark }) => scale.at(mark.at));
  const places = spread(ideal, width, APART);
  const at = warped(groups, places, whole, width, scale);
  const marks = groups.map(({ mark, count }, index) => ({
    mark,
    count,
    x: places[index]!,
    dead: story.dead.some((dead) => isWithin(mark, dead)),
  }));
  const place = (seq: number, kinds: readonly MarkKind[], time: number): number => {
    const found = marks.find(({ mark }) => mark.seq === seq && kinds.includes(mark.kind) && isOwn(mark));
    return found?.x ?? at(time);
  };
  const ring = (seq: number, time: number) => place(seq, RINGS, time);
  return {
    width,
    marks,
    stretches: stretchesOf(story, at),
    folds: scale.folds.map(({ ms }, index) => {
      const gap = gaps[index]!;
      return { from: at(gap.from), to: at(gap.to), ms };
    }),
    loops: story.dead.map(({ from, to, after, before }) => ({
      from: ring(after, from),
      to: place(before, ['rollback'], to),
    })),
    branches: marks
      .filter(({ mark }) => mark.kind === 'fork' && mark.task !== null)
      .slice(-MOST_BRANCHES)
      .map(({ mark, x }, row) => ({ x, task: mark.task!, row })),
    beads: story.beads.map(at),
    answers: sorted.filter(({ kind }) => kind === 'answer'),
    at,
    ring,
  };
}

const RINGS: readonly MarkKind[] = ['checkpoint', 'turn'];

/** Entries of the task that it was forked from have numbers of their own; `task` of a fork is the other task. */
const isOwn = ({ kind, task }: Mark): boolean => task === null || kind === 'fork';

/** Drift has no entry of its own: its number is that of the row it was seen in, which may go on longer. */
const isWithin = (mark: Mark, { from, to, after, before }: Dead): boolean => {
  const { kind, at, seq } = mark;
  return isOwn(mark) && seq > after && seq < before && (kind !== 'drift' || (at >= from && at <= to));
};

/** A fold needs room for its label, and is worth it only where it is long. */
const ROOM_OF_FOLD = 160;
const SHORTEST_FOLD = 1 / 12;

/** The longest gaps, in their order. */
function worthFolding({ from, to, gaps }: Story, width: number): Story['gaps'] {
  const most = Math.max(1, Math.floor(width / ROOM_OF_FOLD));
  return gaps
    .map((gap) => ({ from: Math.max(gap.from, from), to: Math.min(gap.to, to) }))
    .filter((gap) => gap.to - gap.from >= (to - from) * SHORTEST_FOLD)
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, most)
    .sort((a, b) => a.from - b.from);
}

interface Group {
  readonly mark: Mark;
  readonly count: number;
}

/** Where there is no room for all, those of one place become one: the weightiest, and how many. */
function grouped(sorted: readonly Mark[], scale: Scale, width: number): Group[] {
  if ((sorted.length - 1) * APART <= width) return sorted.map((mark) => ({ mark, count: 1 }));
  const buckets = new Map<number, Mark[]>();
  for (const mark of sorted) {
    const bucket = Math.floor(scale.at(mark.at) / (APART * 2));
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), mark]);
  }
  return [...buckets.values()].map((marks) => ({
    mark: marks.reduce((best, one) => (weight(one) < weight(best) ? one : best)),
    count: marks.length,
  }));
}

const weight = ({ kind }: Mark): number => WEIGHT.indexOf(kind);

/** Everything else lies between the marks as they were placed. */
function warped(
  groups: readonly Group[],
  places: readonly number[],
  whole: { from: number; to: number },
  width: number,
  scale: Scale,
): (time: number) => number {
  const moved = groups.some(({ mark }, index) => Math.abs(scale.at(mark.at) - places[index]!) > 0.5);
  if (!moved) return scale.at;
  const marks = groups.map(({ mark }, index) => ({ time: mark.at, x: places[index]! }));
  const first = marks[0]!;
  const last = marks.at(-1)!;
  const place = through([
    ...(first.time > whole.from ? [{ time: whole.from, x: 0 }] : []),
    ...marks,
    ...(last.time < whole.to ? [{ time: whole.to, x: width }] : []),
  ]);
  return place;
}

/** What the line was doing, from mark to mark. */
function stretchesOf({ from, to, marks }: Story, at: (time: number) => number): Shapes['stretches'] {
  const found: { kind: Stretch; from: number; to: number }[] = [];
  let since = from;
  let kind: Stretch = 'ran';
  const turn = (time: number, next: Stretch) => {
    if (next === kind) return;
    if (time > since) found.push({ kind, from: at(since), to: at(time) });
    since = time;
    kind = next;
  };
  for (const mark of [...marks].sort((a, b) => a.at - b.at || a.seq - b.seq)) {
    if (mark.kind === 'kill') turn(mark.at, 'dead');
    else if (mark.kind === 'wait') turn(mark.at, 'waited');
    else if (mark.kind === 'pause') turn(mark.at, 'paused');
    else if (['recovery', 'answer', 'turn'].includes(mark.kind)) turn(mark.at, 'ran');
  }
  found.push({ kind, from: at(since), to: at(Math.max(to, since)) });
  return found;
}
