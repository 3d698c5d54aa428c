/** Whether the contents that a restore needs can be had. */
import type { RestoreItem } from './apply.ts';
import type { CarryServices } from './carry-out.ts';

const AT_ONCE = 100;

/** Missing content is noticed before anything is written down: the restore could not be finished either. */
export async function assertThere(
  { storage, reader }: Pick<CarryServices, 'storage' | 'reader'>,
  items: readonly RestoreItem[],
): Promise<void> {
  const files = items.flatMap(({ path, expected, target }) =>
    target?.kind === 'file' && !(expected?.kind === 'file' && expected.hash === target.hash)
      ? [{ path, entry: target }]
      : [],
  );
  const ids = files.map(({ entry }) => `file/${entry.hash}`);
  const stored = new Set(ids.length === 0 ? [] : await storage.renewBlobs(null, ids));
  const inGit = files.filter(({ entry }) => !stored.has(`file/${entry.hash}`));
  for (let at = 0; at < inGit.length; at += AT_ONCE) await reader.contents(inGit.slice(at, at + AT_ONCE));
}
