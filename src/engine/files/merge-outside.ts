/**
 * Merges a file that others changed after the task did, against the version before the task's change. So it has the task's
 * lines even if someone removed them along with others.
 */
import { mergeText } from '../../merge/text.ts';
import type { Asking } from '../../workspace/resolve/ask.ts';
import { recordResolutions } from '../../workspace/resolve/recorded.ts';
import { keepConflict } from '../../workspace/restore/conflict-copies.ts';
import { mergeConflict } from '../../workspace/restore/decide.ts';
import { builtOn, type Sides, settleSides } from './sides.ts';

/**
 * The merged content: null if the file should be removed, undefined if it already has both. FILE_CONFLICT if it cannot be
 * merged.
 */
export async function mergeOutside(asking: Asking, sides: Sides): Promise<Uint8Array | null | undefined> {
  const wanted = await merged(asking, sides);
  const isThere = wanted && sides.theirs && Buffer.compare(wanted, sides.theirs) === 0;
  return isThere || wanted === sides.theirs ? undefined : wanted;
}

async function merged(asking: Asking, sides: Sides): Promise<Uint8Array | null> {
  const { base, ours, theirs } = sides;
  const built = ours && theirs ? builtOn(mergeText(base ?? new Uint8Array(), ours, theirs)) : null;
  if (built) return built;
  const { file, answered } = await settleSides(asking, sides, new AbortController().signal);
  if (file.status === 'conflict')
    throw mergeConflict(sides.path, keepConflict(asking.root, sides.path, file.content));
  if (answered) await recordResolutions(asking.storage, answered, file.content!);
  return file.content;
}
