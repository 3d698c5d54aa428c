/** A line that stays under everything else that is written to a terminal, until it is taken away. */
import type { LiveLine } from '../verbs/kit/verb.ts';
import type { CliIo } from './io.ts';

export interface Live {
  /** Null where there is no terminal that can show it. */
  readonly line: LiveLine | null;
  /** Leaves the terminal to something else meanwhile, such as a question. */
  aside<T>(run: () => Promise<T>): Promise<T>;
}

type Screen = Pick<NodeJS.WriteStream, 'write' | 'columns'>;

export const noLive: Live = { line: null, aside: (run) => run() };

/** Lines that are redrawn need a terminal that can be steered. */
export function liveOf({ screen, env }: Pick<CliIo, 'screen' | 'env'>): Live {
  if (screen === null || env.TERM === 'dumb') return noLive;
  const { stdout, stderr } = process;
  return openLive(stderr.isTTY ? [stdout, stderr] : [stdout]);
}

/**
 * Whoever writes to these meanwhile, the task's own code included, writes above the line. It goes out together with what
 * is written, so nothing flickers; and the cursor stays visible, since who is killed cannot bring it back.
 */
export function openLive(screens: readonly [Screen, ...Screen[]]): Live {
  const [first] = screens;
  const originals = screens.map((screen) => screen.write);
  const write = (text: string): void => void originals[0]!.call(first, text);
  let line: string | null = null;
  let shown = false;
  let atStart = true;
  let left = 0;

  const draw = (): void => {
    if (line !== null && atStart && left === 0) write(`${CLEAR}${line}\r`);
    shown = line !== null && atStart && left === 0;
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
  return {
    line: {
      columns: () => first.columns || UNKNOWN_WIDTH,
      set(next) {
        if (line === null && next !== null) watch(true);
        line = next;
        if (next !== null) return draw();
        erase();
        watch(false);
      },
    },
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

/** Of a terminal that does not tell. */
const UNKNOWN_WIDTH = 80;
const CLEAR = '\r\u001b[K';
