/** Shows a text that does not merge to one resolver after another, with everything they may want to know. */
import type { TextMerge } from '../../merge/result.ts';
import type { Storage } from '../../storage/contract.ts';
import { inferExternalIntent } from './intent.ts';
import { recordedFor } from './recorded.ts';
import { type Resolved, type Resolver, resolveFile } from './resolver.ts';
import { suggestFor } from './suggest.ts';

export interface Asking {
  readonly storage: Storage;
  readonly root: string;
  readonly resolvers: readonly Resolver[];
  /** The commit that our side started at; null where there is none. */
  since(): Promise<string | null>;
  /** What our side wants with its change. */
  readonly intent: string;
}

/** In three versions. */
export interface DisputedText {
  readonly path: string;
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

export async function askResolvers(
  { storage, root, resolvers, intent, ...started }: Asking,
  text: DisputedText,
  merge: TextMerge,
  signal?: AbortSignal,
): Promise<Resolved> {
  if (resolvers.length === 0) return { resolved: false, attempts: [] };
  const suggestions = [...(await recordedFor(storage, merge)), ...suggestFor(merge.conflicts)];
  const inferred_external_intent = await inferExternalIntent(root, { ...text, merge }, await started.since());
  const file = { ...text, merge, suggestions, agent_intent: intent, inferred_external_intent };
  return resolveFile(file, resolvers, signal);
}
