/** Draws the line of a task: its stretches, loops, branches and marks. */

import { SHAPES } from '../kit/glyph.tsx';
import { classes } from '../lib/classes.ts';
import { type Mark, nameOf, type PlacedMark, type Shapes, type Stretch } from '../line/geometry.ts';
import type { DisplayStatus } from '../state/display-status.ts';

interface LineProps {
  readonly shapes: Shapes;
  /** How the task stands: the end of its line. */
  readonly display: DisplayStatus;
  /** The height of the line. */
  readonly y: number;
  /** In a list: only what can be seen at that size. */
  readonly small?: boolean;
  readonly forked?: boolean;
  /** Between the line and its branches: for what is written there. */
  readonly drop?: number;
  /** How a fork stands. */
  displayOf?(task: string): DisplayStatus;
}

/** How high a rolled back stretch lies above the line, and a fork below. */
export const LOOP = 24;
export const BRANCH = 24;
/** The same in a list. */
const SMALL = 10;
/** Between the last mark and the end. */
const GAP = 6;

export function Line(props: LineProps) {
  const { shapes, display, y, small = false, forked = false } = props;
  const last = shapes.stretches.at(-1);
  return (
    <g class={classes('line', small && 'small')}>
      {forked && <path class="stretch forked" d={`M-2 ${y - 18} C 6 ${y - 18} 2 ${y} 12 ${y}`} />}
      {shapes.loops.map(({ from, to }) => (
        <path key={`${from}`} class="loop" d={loopPath(from, to, y, small ? SMALL : LOOP)} />
      ))}
      {shapes.stretches.map((stretch) => (
        <path
          key={`${stretch.kind}${stretch.from}`}
          class={`stretch ${stretch.kind}`}
          d={stretchPath(stretch.kind, stretch.from, stretch.to + (stretch === last ? GAP : 0), y)}
        />
      ))}
      {shapes.folds.map(({ from, to }) => (
        <g key={from} class="fold">
          <rect x={from + 4} y={y - 5} width={Math.max(0, to - from - 8)} height="10" />
          <path d={`M${from + 8} ${y}H${to - 8}`} />
        </g>
      ))}
      {shapes.branches.map(({ x, task, row }) => {
        const below = y + (small ? SMALL : BRANCH * (row + 1) + (props.drop ?? 0));
        return (
          <g key={task} class={`is-${props.displayOf?.(task) ?? 'queued'}`}>
            <path
              class="branch"
              d={`M${x} ${y} C ${x} ${below - 6} ${x + 4} ${below} ${x + 16} ${below} h12`}
            />
            <circle class="branch-end" cx={x + 32} cy={below} r="4" />
          </g>
        );
      })}
      {shapes.beads.map((x, at) => (
        <circle key={at} class="bead" cx={x} cy={y} r={small ? 1.2 : 1.7} />
      ))}
      <circle class="start" cx="0" cy={y} r={small ? 2.5 : 3.5} />
      {shapes.marks.map((placed) => (
        <MarkShape
          key={nameOf(placed.mark)}
          {...props}
          placed={placed}
          open={placed.mark.kind === 'wait' && !isAnswered(placed, shapes)}
        />
      ))}
      <End x={shapes.width} y={y} display={display} small={small} />
    </g>
  );
}

/** A stretch that nobody ran has a break in it, where the bolt stands. */
function stretchPath(kind: Stretch, from: number, to: number, y: number): string {
  return kind === 'dead' ? `M${from + 7} ${y}H${Math.max(from + 7, to)}` : `M${from} ${y}H${to}`;
}

function loopPath(from: number, to: number, y: number, height: number): string {
  const top = y - height;
  const bend = Math.min(18, Math.max(6, (to - from) / 3));
  return `M${from} ${y} C ${from + bend * 0.3} ${top} ${from + bend * 0.6} ${top} ${from + bend} ${top} H ${Math.max(from + bend, to - bend)} C ${to - bend * 0.6} ${top} ${to - bend * 0.3} ${top} ${to} ${y}`;
}

interface MarkProps extends LineProps {
  readonly placed: PlacedMark;
  /** A question that was not answered. */
  readonly open: boolean;
}

function MarkShape({ placed, y, small = false, open, shapes, display }: MarkProps) {
  const { mark, x, dead, count } = placed;
  if (mark.kind === 'end' || (mark.kind === 'answer' && small)) return null;
  // The end of the line says it already.
  if (mark.kind === ENDING[display] && x > shapes.width - 20) return null;
  const crowded = shapes.marks.length * 26 > shapes.width;
  const height = dead ? y - (small ? SMALL : LOOP) : y;
  const scale = small ? 0.66 : crowded && mark.kind === 'checkpoint' ? 0.7 : 1;
  return (
    <g
      class={classes('mark', mark.kind, dead && 'gone', open && 'open')}
      transform={`translate(${x} ${height}) scale(${scale})`}
      data-mark={nameOf(mark)}
    >
      {!small && <circle class="hit" r="13" />}
      {shapeOf(mark)}
      {!small && count > 1 && (
        <text x={mark.kind === 'fork' ? 10 : 0} y="19" class="count">
          {count}
        </text>
      )}
    </g>
  );
}

const ENDING: Readonly<Partial<Record<DisplayStatus, Mark['kind']>>> = {
  interrupted: 'kill',
  paused: 'pause',
};

/** Each answer is to its own question. */
const isAnswered = ({ mark: { id, seq } }: PlacedMark, { answers }: Shapes): boolean =>
  answers.some((answer) => answer.seq > seq && (id === null || answer.id === id));

function shapeOf({ kind }: Mark) {
  switch (kind) {
    case 'wait':
      return <path d="M0 -7 7 0 0 7 -7 0Z" />;
    case 'answer':
      return <path d="M0 -4 4 0 0 4 -4 0Z" />;
    case 'kill':
      return (
        <g>
          <rect x="-7" y="-9" width="14" height="18" class="break" />
          <path d="M2.2 -9 -5 1h4.2L-2.4 9 5 -1.4H0.6Z" />
        </g>
      );
    case 'rollback':
      return <path d="M5 5.5A6 6 0 1 0 -5.4 -2.6 M-6.2 -6.6v4.4h4.4" />;
    case 'redo':
      return <path d="M-5 5.5A6 6 0 1 1 5.4 -2.6 M6.2 -6.6v4.4h-4.4" />;
    case 'take':
      return <path d="M-6 0H4M0.5 -4 4.5 0 0.5 4M6 -5V5" />;
    case 'drift':
      return <path d="M0 -6 6 5H-6Z" />;
    case 'pause':
      return <path d="M-2.5 -5V5M2.5 -5V5" />;
    case 'fork':
      return <circle r="4" />;
    case 'turn':
      return (
        <g>
          <circle r="5.5" />
          <circle r="2" class="core" />
        </g>
      );
    case 'recovery':
      return <path d="M-3.5 -5.5 4 0 -3.5 5.5Z" />;
    default:
      return <circle r="4.5" />;
  }
}

/** The line ends with the state of its task. */
function End({ x, y, display, small }: { x: number; y: number; display: DisplayStatus; small: boolean }) {
  const size = small ? 12 : 16;
  return (
    <g
      class={classes('end', `is-${display}`)}
      transform={`translate(${x + GAP + 1} ${y - size / 2}) scale(${size / 16})`}
    >
      {SHAPES[display]}
    </g>
  );
}
