/** What becomes of a client's file when our plugin was removed. Pure. */

export interface Watched {
  readonly path: string;
  /**
   * What a text says, without what the client's command leaves behind: two texts that say the same differ only by our doing.
   * Null for a text that says nothing.
   */
  readonly meaning: (text: string) => string | null;
  /** The client's own notes: nobody has to be told that they changed. */
  readonly bookkeeping?: true;
}

interface Bytes {
  /** Before the install; null for no file. */
  readonly before: string | null;
  /** Right after it; undefined if the install did not come so far. */
  readonly after: string | null | undefined;
  /** When the removal began. */
  readonly held: string | null;
  /** After the client's own command. */
  readonly left: string | null;
}

/** `leave`: somebody else changed it meanwhile. */
export function restoreAction(
  { before, after, held, left }: Bytes,
  meaning: Watched['meaning'],
): 'same' | 'put back' | 'leave' {
  if (left === before) return 'same';
  if (held === after) return 'put back';
  const says = (text: string | null) => (text === null ? null : meaning(text));
  return says(left) === says(before) ? 'put back' : 'leave';
}

/** Settings in JSON, where the client leaves these members behind empty. */
export function jsonMeaning(...leftovers: readonly string[]): Watched['meaning'] {
  return (text) => {
    try {
      const value = JSON.parse(text) as Record<string, unknown>;
      const kept = Object.entries(value).filter(([name, of]) => !(leftovers.includes(name) && isEmpty(of)));
      return kept.length === 0 ? null : JSON.stringify(kept);
    } catch {
      return text; // No JSON: compared as it is.
    }
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
