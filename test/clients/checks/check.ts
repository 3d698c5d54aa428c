import type { ClientName } from '../install.ts';

/** Something that has to hold with a real client. One file each in this folder; `all.ts` lists them. */
export interface Check {
  /** What is typed after `--check`. */
  readonly name: string;
  /** Yields each part with what is wrong about it: nothing where it holds. A part that cannot be had gives its reason as `skipped`. */
  readonly run: (client: ClientName) => AsyncIterable<Outcome>;
}

export interface Outcome {
  readonly part: string;
  readonly problems: readonly string[];
  readonly skipped?: string;
}
