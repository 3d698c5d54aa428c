/** Resolutions that were accepted once, offered again where the same three hunks meet. */
import { conflictKey } from '../../merge/key.ts';
import { resolveConflicts, type TextMerge } from '../../merge/result.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Resolver } from './resolver.ts';
import type { Suggestion } from './suggest.ts';

/** The category of their records. */
export const RESOLUTIONS = 'resolutions';

/** Resolves a file if each of its conflicts was resolved before. For users who trust what was accepted once. */
export const recordedResolver: Resolver = {
  name: 'recorded',
  foreseeable: true,
  async resolve({ merge, suggestions }) {
    const answered = resolveConflicts(
      merge,
      (_, index) => suggestions.find(({ conflict, by }) => conflict === index && by === 'recorded')?.bytes,
    );
    return answered.outcome === 'clean' ? answered.bytes : null;
  },
};

/** Notes how each conflict of the merge was resolved, where the answer shows it. */
export async function recordResolutions(
  storage: Storage,
  merge: TextMerge,
  answer: Uint8Array,
): Promise<number> {
  const resolved = resolutionsIn(merge, answer);
  for (const [index, bytes] of resolved.entries()) {
    const { base, ours, theirs } = merge.conflicts[index]!;
    const resolution = Buffer.from(bytes).toString('base64');
    await storage.save(RESOLUTIONS, conflictKey(base, ours, theirs), { resolution });
  }
  return resolved.length;
}

export async function recordedFor(storage: Storage, merge: TextMerge): Promise<Suggestion[]> {
  const found: Suggestion[] = [];
  for (const [conflict, { base, ours, theirs }] of merge.conflicts.entries()) {
    const record = (await storage.load(RESOLUTIONS, conflictKey(base, ours, theirs))) as {
      resolution: string;
    } | null;
    if (record) found.push({ conflict, by: 'recorded', bytes: Buffer.from(record.resolution, 'base64') });
  }
  return found;
}

/** The text between the settled parts of the merge; none if the answer changed those, too. */
export function resolutionsIn({ pieces }: TextMerge, answer: Uint8Array): Uint8Array[] {
  const text = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const found: Uint8Array[] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'settled') {
      if (text.indexOf(piece.bytes, at) !== at) return [];
      at += piece.bytes.length;
      continue;
    }
    const after = pieces[index + 1];
    if (after?.kind === 'conflict') return [];
    const last = index + 2 >= pieces.length;
    const end = !after
      ? text.length
      : last
        ? text.length - after.bytes.length
        : text.indexOf(after.bytes, at);
    if (end < at) return [];
    found.push(text.subarray(at, end));
    at = end;
  }
  return at === text.length ? found : [];
}
