/** Something that reads what can come from outside. */
export interface Target {
  readonly name: string;
  /** Inputs that are right. */
  readonly seeds: readonly Buffer[];
  /** Puts right what only protects against damage, such as sums: an attacker would, too. */
  readonly sealed?: (bytes: Buffer) => Buffer;
  /** How often it is drawn compared with others; default: 1. */
  readonly weight?: number;
  /** What it is read as; may answer later. */
  read(bytes: Buffer): unknown;
}

export function textSeeds(...texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text));
}
