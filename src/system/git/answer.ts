/** The options and results of a git call, apart from the code that starts git: these types are public. */

/** Node's Buffer, whose name is not among the published types. */
export interface GitOutput extends Uint8Array {
  toString(encoding?: 'utf8' | 'latin1'): string;
}

export interface GitAnswer {
  /** Null when git could not be started or was killed. */
  readonly code: number | null;
  readonly output: GitOutput;
  readonly errors: string;
  readonly timed_out: boolean;
}

export interface GitOptions {
  readonly input?: Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeout_ms?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Keeps the user's environment variables for remotes and git's configuration. */
  readonly as_user?: boolean | undefined;
  /** It may reach the remote; all other calls stay local. */
  readonly network?: boolean | undefined;
  /** The user's hooks run. */
  readonly hooks?: boolean | undefined;
  /** Called with what it writes to its error output, as it does. */
  readonly errors?: ((text: string) => void) | undefined;
}
