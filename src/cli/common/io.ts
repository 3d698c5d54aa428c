import type { Clock } from '../../system/clock.ts';

/** Where a run of the command line gets its words from and where its lines go. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The terminal that `out` goes to; null if it is not a terminal. */
  readonly screen: { readonly columns: number; readonly rows: number } | null;
  /** Whether a person can be asked: there is a terminal to ask on and one to answer from. */
  readonly interactive: boolean;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/** https://no-color.org: any value but an empty one means no. */
export function wantsColour({ env, screen }: CliIo): boolean {
  return screen !== null && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** How the program was called, so that the commands we print can be typed as they are. */
export function programName({ env }: Pick<CliIo, 'env'>): string {
  return env.npm_command === 'exec' ? `npx ${PROGRAM}` : PROGRAM;
}

/** A sentence with the commands that it names as they can be typed here. */
export function asCalled(text: string, io: Pick<CliIo, 'env'>): string {
  return text.replace(NAMED, programName(io));
}

const PROGRAM = 'vibe-engine';

/** The program before a word of a command: not in a path, and not where it is called in full already. */
const NAMED = new RegExp(`(?<!npx )(?<![\\w./@-])${PROGRAM}(?= [a-z/-])`, 'g');
