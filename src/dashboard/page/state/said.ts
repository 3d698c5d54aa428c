/** Which messages are known of a conversation, as pages of it come. Pure. */
import type { Message } from '../shapes/types.ts';

/**
 * With the newest messages. Those before them stay if they lead up to them: after a rollback elsewhere, other messages have
 * their places.
 */
export function withNewest(known: readonly Message[], newest: readonly Message[]): readonly Message[] {
  const first = newest[0];
  if (!first) return [];
  const joins = known.some(({ index, seq }) => index === first.index && seq === first.seq);
  return joins ? [...known.filter(({ index }) => index < first.index), ...newest] : newest;
}

/** With the page before them; nothing where they have changed meanwhile. */
export function withEarlier(known: readonly Message[], earlier: readonly Message[]): readonly Message[] {
  const last = earlier.at(-1);
  return last && known[0]?.index === last.index + 1 ? [...earlier, ...known] : known;
}
