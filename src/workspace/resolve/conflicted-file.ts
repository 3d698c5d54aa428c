/** A file that both sides changed at the same places, with what a resolver may want to know. */
import type { TextMerge } from '../../merge/result.ts';
import type { Suggestion } from './suggest.ts';

export interface ConflictedFile {
  readonly path: string;
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
  readonly merge: TextMerge;
  /** Possible resolutions, never applied automatically. */
  readonly suggestions: readonly Suggestion[];
  /** What the agent wants with its change. */
  readonly agent_intent: string;
  /** What the outside change probably wants. */
  readonly inferred_external_intent: string;
}
