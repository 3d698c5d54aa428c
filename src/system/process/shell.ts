/** The shell of the system: how it is told what to run, and how a path is one word to it. */
import { platform } from '../platform.ts';

const CMD = ['cmd.exe', '/d', '/s', '/c'];

export function shellFor(command: string): readonly string[] {
  return platform.windows ? [...CMD, command] : ['/bin/sh', '-c', command];
}

/** In text for that shell: the path, whatever is in it. */
export function shellWord(path: string): string {
  if (!platform.windows) return `'${path.replaceAll("'", "'\\''")}'`;
  // No path has a quote there. What stands between two per cent signs would be a variable, quoted or not; with a caret in it
  // there is none of that name, and the caret goes.
  return `"${path.replaceAll('%', '"^%"')}"`;
}

interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly windowsVerbatimArguments: boolean;
}

/**
 * What the system is given to start a command. Windows programs split their line themselves, and `cmd.exe` by rules of its own:
 * what it is to run is put between quotes that `/s` has it take off, and all within stays as it is.
 */
export function startOf([file = '', ...args]: readonly string[]): Start {
  const isShell =
    platform.windows && args.length === CMD.length && CMD.every((part, at) => part === [file, ...args][at]);
  if (!isShell) return { file, args, windowsVerbatimArguments: false };
  return { file, args: [...args.slice(0, -1), `"${args.at(-1)}"`], windowsVerbatimArguments: true };
}
