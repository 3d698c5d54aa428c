/** The command line at a real terminal: a pseudo-terminal of util-linux's `script`, with somebody who types. */
import { spawn } from 'node:child_process';
import { MAIN } from './cli.ts';

export interface Typed {
  /** What has to be on the screen first; each is looked for after the one before. */
  readonly when: RegExp;
  /** What is typed then, or done elsewhere. */
  readonly type: string | (() => unknown);
}

export interface TerminalRun {
  readonly exit: number;
  /** Everything that was written to the screen, control sequences left out. */
  readonly screen: string;
  /** The same with them. */
  readonly raw: string;
}

export const KEY = { enter: '\r', up: '\u001b[A', down: '\u001b[B', ctrlC: '\u0003' } as const;

/** Against waiting for ever for what does not come; what there is then shows what was missing. */
const LONGEST_MS = 600_000;

export function atTerminal(
  cwd: string,
  args: readonly string[],
  typing: readonly Typed[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<TerminalRun> {
  return inTerminal(cwd, [process.execPath, MAIN, ...args], typing, env);
}

/** Any command there. */
export function inTerminal(
  cwd: string,
  command: readonly string[],
  typing: readonly Typed[],
  env: NodeJS.ProcessEnv = {},
): Promise<TerminalRun> {
  const { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME, VIBE_ENGINE_STATE_DIR } = process.env;
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['-qec', `stty cols 100 rows 40; exec ${quoted.join(' ')}`, '/dev/null'], {
    cwd,
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      TMPDIR,
      HOME,
      VIBE_ENGINE_STATE_DIR,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      ...env,
    },
  });
  let raw = '';
  let seen = 0;
  const left = [...typing];
  const typeWhatIsDue = (): void => {
    for (let next = left[0]; next; next = left[0]) {
      const found = next.when.exec(plain(raw).slice(seen));
      if (!found) return;
      seen += found.index + found[0].length;
      left.shift();
      if (typeof next.type === 'string') child.stdin.write(next.type);
      else next.type();
    }
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    typeWhatIsDue();
  });
  const limit = setTimeout(() => child.kill(), LONGEST_MS);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ exit: code ?? -1, screen: plain(raw), raw });
    });
  });
}

function plain(raw: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals are steered with.
  return raw.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b[@-Z\\-_]|\r|\u0007/g, '');
}
