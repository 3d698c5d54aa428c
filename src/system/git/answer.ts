/** What git is asked with and what it answers, apart from what starts it: these types are published. */

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
  /** What the user has set up by variables, to reach remotes or to configure git, holds. */
  readonly as_user?: boolean | undefined;
  /** It is to reach the remote: everything else works with what is here. */
  readonly network?: boolean | undefined;
  /** The user's hooks run. */
  readonly hooks?: boolean | undefined;
  /** Given what it writes to its error output, as it does. */
  readonly errors?: ((text: string) => void) | undefined;
}
