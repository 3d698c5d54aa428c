/** A line that stays under everything else that is written to a terminal, until it is taken away. */
import type { LiveLine } from '../../verbs/kit/verb.ts';
import type { CliIo } from '../common/io.ts';

export interface Live {
  /** Null where there is no terminal that can show it. */
  readonly line: LiveLine | null;
  /** Shown in place of the other while it is set; also where only the error output is a terminal. */
  readonly work: LiveLine | null;
  /** Gives the terminal to something else for the duration, such as a question. */
  aside<T>(run: () => Promise<T>): Promise<T>;
}

type Screen = Pick<NodeJS.WriteStream, 'write' | 'columns'>;

export const noLive: Live = { line: null, work: null, aside: (run) => run() };

/** Redrawing lines needs a terminal with control sequences. */
export function liveOf({ screen, env }: Pick<CliIo, 'screen' | 'env'>): Live {
  const { stdout, stderr } = process;
  if (env.TERM === 'dumb') return noLive;
  if (screen !== null) return openLive(stderr.isTTY ? [stderr, stdout] : [stdout]);
  return stderr.isTTY ? { ...openLive([stderr]), line: null } : noLive;
}

/**
 * Other output, that of the task's own code included, is written above the line. Both are written together, so that nothing
 * flickers; and the cursor stays visible, because a killed process could not show it again.
 */
function openLive(screens: readonly [Screen, ...Screen[]]): Live {
  const [first] = screens;
  const originals = screens.map((screen) => screen.write);
  const write = (text: string): void => void originals[0]!.call(first, text);
  const lines: Record<'work' | 'line', string | null> = { work: null, line: null };
  let shown = false;
  let atStart = true;
  let left = 0;

  const draw = (): void => {
    const line = lines.work ?? lines.line;
    shown = line !== null && atStart && left === 0;
    if (shown) write(`${CLEAR}${line}\r`);
  };
  const erase = (): void => {
    if (shown) write(CLEAR);
    shown = false;
  };
  const above = (screen: Screen, original: Screen['write']): Screen['write'] =>
    function (this: unknown, chunk: string | Uint8Array, ...rest: never[]) {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1');
      if (text === '') return original.call(screen, chunk, ...rest);
      erase();
      const went = original.call(screen, chunk, ...rest);
      atStart = text.endsWith('\n');
      draw();
      return went;
    } as Screen['write'];

  const watch = (on: boolean): void => {
    for (const [at, screen] of screens.entries())
      screen.write = on ? above(screen, originals[at]!) : originals[at]!;
  };
  let watching = false;
  const settable = (which: keyof typeof lines): LiveLine => ({
    columns: () => first.columns || UNKNOWN_WIDTH,
    set(next) {
      if (next === lines[which]) return;
      lines[which] = next;
      const any = lines.work !== null || lines.line !== null;
      if (any && !watching) watch(true);
      if (any) draw();
      else erase();
      if (!any && watching) watch(false);
      watching = any;
    },
  });
  return {
    line: settable('line'),
    work: settable('work'),
    async aside(run) {
      left++;
      erase();
      try {
        return await run();
      } finally {
        left--;
        draw();
      }
    },
  };
}

/** For a terminal that does not report it. */
const UNKNOWN_WIDTH = 80;
const CLEAR = '\r\u001b[K';
