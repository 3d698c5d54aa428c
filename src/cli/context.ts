/** What a command has to work with. Commands print through it and never touch the process themselves. */
import type { Say } from './text/choose.ts';

export interface CliContext {
  readonly say: Say;
  /** Prints a line of the answer. */
  readonly print: (line: string) => void;
}

/** Where a run of the command line gets its words from and where its lines go. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const EXIT = { ok: 0, error: 1, usage: 2 } as const;
