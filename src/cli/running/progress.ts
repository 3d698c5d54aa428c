/** The status line of a running task: its progress, the current step, time, steps, checkpoints. */
import type { Engine } from '../../engine/engine.ts';
import { clip, tidy, widthOf } from '../../verbs/format/width.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import type { Call } from '../../verbs/kit/verb.ts';

type Teller = Pick<Call, 'say' | 'paint' | 'now' | 'live'>;

const EVERY_MS = 100;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const BAR = 12;

interface Doing {
  /** Names of the steps in progress, the newest last. */
  readonly steps: readonly string[];
  readonly waits: boolean;
  readonly done: number;
  readonly checkpoints: number;
  /** Null until the task has said. */
  readonly percent: number | null;
  readonly elapsed_ms: number;
}

/** Shows it until the returned function is called; not without a terminal. */
export function showProgress(engine: Engine, teller: Teller): () => void {
  const { live, now } = teller;
  if (live === null) return () => {};
  const began = now().getTime();
  const under = new Map<string, string>();
  let frame = 0;
  let doing: Doing = { steps: [], waits: false, done: 0, checkpoints: 0, percent: null, elapsed_ms: 0 };
  const draw = (): void => {
    doing = { ...doing, steps: [...under.values()], elapsed_ms: now().getTime() - began };
    live.set(progressLine(doing, FRAMES[frame % FRAMES.length]!, live.columns() - 1, teller));
  };
  const offs = [
    engine.on('step.started', ({ id, name }) => under.set(id, name)),
    engine.on('step.completed', ({ id }) => {
      under.delete(id);
      doing = { ...doing, done: doing.done + 1 };
    }),
    engine.on('step.failed', ({ id, final }) => final && under.delete(id)),
    engine.on('checkpoint', () => {
      doing = { ...doing, checkpoints: doing.checkpoints + 1 };
    }),
    engine.on('progress', ({ percent }) => {
      doing = { ...doing, percent };
    }),
    engine.on('task.status', ({ to }) => {
      doing = { ...doing, waits: to === 'waiting' };
    }),
  ];
  const timer = setInterval(() => {
    frame++;
    draw();
  }, EVERY_MS);
  draw();
  return () => {
    clearInterval(timer);
    for (const off of offs) off();
    live.set(null);
  };
}

/** At most this many columns: the step's name is cut first. */
export function progressLine(
  { steps, waits, done, checkpoints, percent, elapsed_ms }: Doing,
  frame: string,
  columns: number,
  { say, paint, now }: Omit<Teller, 'live'>,
): string {
  const seconds = Math.floor(elapsed_ms / 1000);
  const elapsed =
    seconds < 60 ? say('unit.second', { count: seconds }) : amountsOf({ say, now }).duration(elapsed_ms);
  const counts = say('run.live.counts', { elapsed, steps: done, checkpoints });
  const whole = Math.floor(percent ?? 0);
  const filled = Math.round((whole / 100) * BAR);
  const bar = percent === null ? '' : ` ${'━'.repeat(filled)}${'╌'.repeat(BAR - filled)} ${whole}%`;
  const newest = tidy(steps.at(-1) ?? '');
  const step = waits
    ? say('run.live.waits')
    : steps.length > 1
      ? say('run.live.more', { step: newest, more: steps.length - 1 })
      : newest;
  const room = columns - widthOf(`${frame}${bar}  ${counts} `);
  const shown = room < 2 || step === '' ? '' : ` ${clip(step, room)}`;
  return clip(`${frame}${bar}${shown}  ${counts}`, columns)
    .replace(frame, paint.good)
    .replace(counts, paint.dim);
}
