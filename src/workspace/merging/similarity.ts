/** How alike files are that could have been moved: they are read in advance, each once. */
import type { Side } from '../../merge/entry.ts';
import { textSimilarity } from '../../merge/similarity.ts';
import type { Captured, MergeServices, Parts } from './parts.ts';

/** Beyond this only files that were moved unchanged are recognised. */
const MOST_BYTES = 64 * 1024 * 1024;

export async function similarityOf(
  services: MergeServices,
  parts: Parts,
): Promise<(before: string, after: string, side: Side) => number> {
  const texts = new Map<Captured, Uint8Array>();
  for (const side of ['ours', 'theirs'] as const) {
    const gone = filesNotIn(parts.base, parts[side]);
    const arrived = filesNotIn(parts[side], parts.base);
    const files = [...gone, ...arrived];
    const bytes = files.reduce((sum, { entry }) => sum + entry.size, 0);
    if (gone.length === 0 || arrived.length === 0 || bytes > MOST_BYTES) continue;
    const contents = await services.contents(files);
    for (const [index, { entry }] of files.entries()) texts.set(entry, contents[index]!);
  }
  return (before, after, side) => {
    const [was, is] = [texts.get(parts.base.get(before)!), texts.get(parts[side].get(after)!)];
    return was && is ? textSimilarity(was, is) : 0;
  };
}

function filesNotIn(part: ReadonlyMap<string, Captured>, other: ReadonlyMap<string, Captured>) {
  return [...part].flatMap(([path, entry]) =>
    entry.kind === 'file' && other.get(path)?.kind !== 'file' ? [{ path, entry }] : [],
  );
}
