/** Shows the progress of what takes longer than a second: one line on a terminal, removed when it is done. */
import type { OnProgress, OperationProgress } from '../../system/progress.ts';
import { clip } from '../../verbs/format/width.ts';
import { amountsOf } from '../../verbs/kit/amounts.ts';
import type { Call, LiveLine } from '../../verbs/kit/verb.ts';

type Teller = Pick<Call, 'say' | 'paint' | 'now'>;

const SHOWN_AFTER_MS = 1000;
const EVERY_MS = 100;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const BAR = 12;

interface Working {
  readonly hear: OnProgress;
  /** Takes the line away, whatever is still in progress. */
  end(): void;
}

interface Operation {
  readonly since: number;
  readonly progress: OperationProgress;
}

/** Of several operations in progress the newest is shown, once it has taken long enough. */
export function showWork(line: LiveLine | null, teller: Teller): Working {
  if (line === null) return { hear: () => {}, end: () => {} };
  const { now } = teller;
  const operations = new Map<number, Operation>();
  let timer: NodeJS.Timeout | undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  const draw = (): void => {
    const time = now().getTime();
    if (Math.abs(time - drawn) < EVERY_MS) return;
    const long = [...operations.values()].findLast(({ since }) => time - since >= SHOWN_AFTER_MS);
    if (!long) return;
    drawn = time;
    line.set(workLine(long.progress, time - long.since, line.columns() - 1, teller));
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    drawn = Number.NEGATIVE_INFINITY;
    line.set(null);
  };
  return {
    hear(progress) {
      const { id, ended } = progress;
      if (ended) operations.delete(id);
      else operations.set(id, { since: operations.get(id)?.since ?? now().getTime(), progress });
      if (operations.size === 0) return stop();
      // Without news for a while, the line still shows the time.
      timer ??= setInterval(draw, EVERY_MS).unref();
      draw();
    },
    end() {
      operations.clear();
      stop();
    },
  };
}

/** At most this many columns. */
export function workLine(
  { doing, done, of }: OperationProgress,
  elapsed_ms: number,
  columns: number,
  { say, paint, now }: Teller,
): string {
  const frame = FRAMES[Math.floor(elapsed_ms / EVERY_MS) % FRAMES.length]!;
  const seconds = Math.floor(elapsed_ms / 1000);
  const elapsed =
    seconds < 60 ? say('unit.second', { count: seconds }) : amountsOf({ say, now }).duration(elapsed_ms);
  const share = of === null || of === 0 ? null : Math.min(1, done / of);
  const filled = Math.floor((share ?? 0) * BAR);
  const bar =
    share === null ? '' : ` ${'━'.repeat(filled)}${'╌'.repeat(BAR - filled)} ${Math.floor(share * 100)}%`;
  const amount = doing.startsWith('import_') ? amountsOf({ say, now }).bytes : String;
  const counts = share === null ? (done > 0 ? ` ${amount(done)}` : '') : ` ${amount(done)}/${amount(of!)}`;
  const rest = `${counts}  ${elapsed}`;
  return clip(`${frame}${bar} ${say(`work.${doing}`)}${rest}`, columns)
    .replace(frame, paint.good)
    .replace(rest, paint.dim);
}
