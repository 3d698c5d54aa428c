/** A task as one line: a ring is a checkpoint, a diamond a question, a bolt a kill, a branch a fork. Pure. */
import type { TimelineMark } from '../../engine/reading/timeline/page.ts';
import type { TimelineView } from '../../engine/reading/timeline/timeline.ts';
import { clip, widthOf } from '../format/width.ts';
import type { Amounts } from '../kit/amounts.ts';
import type { Call } from '../kit/verb.ts';

interface ThreadStyle extends Pick<Call, 'say' | 'paint' | 'width'> {
  readonly amounts: Amounts;
  readonly short: (task: string) => string;
}

/** A sign on the line, with what is written below it. */
interface Knot {
  readonly row: number;
  readonly sign: string;
  readonly note: string | null;
  /** The first to go where there is no room. */
  readonly minor: boolean;
}

const DEFAULT_WIDTH = 80;
const MOST_NOTES = 8;

export function threadLines(view: TimelineView, style: ThreadStyle): string[] {
  const { say, paint, amounts } = style;
  const width = style.width ?? DEFAULT_WIDTH;
  const knots = fitting(knotsOf(view, style), Math.floor((width - 4) / 2));
  let line = '●';
  const below: { readonly column: number; readonly note: string }[] = [];
  for (const { sign, note } of knots) {
    line += sign.startsWith(' ') ? sign : `─${sign}`;
    if (note !== null) below.push({ column: widthOf(line) - 1, note });
  }
  if (isGoingOn(view)) line += '─→';
  const notes = below.slice(-MOST_NOTES);
  const span = say('timeline.span', {
    from: amounts.moment(view.started_at ?? ''),
    to: amounts.moment(view.last_at ?? '').slice(-8),
    rows: view.total,
  });
  return [
    paint.dim(span),
    `  ${line}`,
    ...notes.map(({ column, note }) =>
      paint.dim(clip(`  ${' '.repeat(Math.min(column, width - 30))}╰ ${note}`, width)),
    ),
  ];
}

function knotsOf(view: TimelineView, style: ThreadStyle): Knot[] {
  const { amounts } = style;
  const knots = view.marks.flatMap((mark): Knot[] => {
    const sign = signOf(mark);
    if (sign === null) return [];
    const minor = mark.kind === 'checkpoint' || mark.kind === 'turn' || mark.kind === 'answer';
    return [{ row: mark.row, sign, note: noteOf(mark, view, style), minor }];
  });
  const gaps = view.gaps.map(({ after_row, ms }): Knot & { row: number } => ({
    row: after_row + 0.5,
    sign: ` ·${amounts.duration(ms)}· `,
    note: null,
    minor: false,
  }));
  return [...knots, ...gaps].sort((a, b) => a.row - b.row);
}

function signOf({ kind, id }: TimelineMark): string | null {
  switch (kind) {
    case 'checkpoint':
    case 'turn':
      return '○';
    case 'wait':
      return '◆';
    case 'answer':
      return '◇';
    case 'kill':
      return 'ϟ';
    case 'rollback':
      return '↶';
    case 'redo':
      return '↷';
    case 'take':
      return '⇥';
    case 'fork':
      return '┬';
    case 'drift':
      return '△';
    case 'pause':
      return '‖';
    case 'end':
      return ENDS[id ?? ''] ?? '●';
    case 'recovery':
      return null;
  }
}

const ENDS: Readonly<Record<string, string>> = { completed: '✓', failed: '✗', cancelled: '⊖' };

function noteOf(mark: TimelineMark, view: TimelineView, { say, amounts, short }: ThreadStyle): string | null {
  const time = amounts.moment(mark.at).slice(-8);
  const text = mark.text ?? '';
  switch (mark.kind) {
    case 'kill': {
      const taken = view.marks.find(({ kind, row }) => kind === 'recovery' && row > mark.row);
      const killed = say(text === '' ? 'timeline.killed' : 'timeline.killed_during', { time, text });
      if (!taken) return say('text.two', { first: killed, second: say('timeline.nobody') });
      const again = say('timeline.taken_up', { time: amounts.moment(taken.at).slice(-8) });
      return say('text.two', { first: killed, second: again });
    }
    case 'wait':
      return text === '' ? null : say('timeline.asked', { time, text });
    case 'rollback': {
      const stretch = view.dead.find(({ rollback_seq }) => rollback_seq === mark.seq);
      if (!stretch) return say('timeline.rolled_back_nothing', { time, by: text });
      const count = stretch.to_row - stretch.from_row + 1;
      return say(stretch.redone ? 'timeline.rolled_back_redone' : 'timeline.rolled_back', {
        time,
        count,
        by: text,
      });
    }
    case 'fork':
      return mark.task === null || mark.task === view.task
        ? say('timeline.forked_here', { checkpoint: mark.id ?? '' })
        : say('timeline.forked', { task: short(mark.task) });
    case 'drift':
      return say('timeline.drift', { time });
    case 'pause':
      return say('timeline.paused', { time, text });
    default:
      return null;
  }
}

/** It neither has ended nor waits for anybody. */
function isGoingOn({ marks }: TimelineView): boolean {
  const last = marks.findLast(({ kind }) => kind !== 'checkpoint' && kind !== 'turn' && kind !== 'fork');
  return last === undefined || !['wait', 'pause', 'kill', 'end', 'rollback'].includes(last.kind);
}

/** So many at most: checkpoints go first, evenly, then the oldest. */
function fitting(knots: readonly Knot[], most: number): Knot[] {
  const room = (list: readonly Knot[]): number =>
    list.reduce((sum, { sign }) => sum + Math.ceil((widthOf(sign) + 1) / 2), 0);
  if (room(knots) <= most) return [...knots];
  const major = room(knots.filter(({ minor }) => !minor));
  const minor = knots.filter((one) => one.minor);
  const kept = Math.max(0, most - major);
  const every = kept === 0 ? Number.POSITIVE_INFINITY : Math.ceil(minor.length / kept);
  const chosen = new Set(minor.filter((_, at) => at % every === 0));
  const left = knots.filter((one) => !one.minor || chosen.has(one));
  while (room(left) > most) left.shift();
  return left;
}
