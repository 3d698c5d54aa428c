/** The versions of a file between two points of a task, and who made each out of the one before. */
import type { Storage } from '../../storage/contract.ts';
import type { FileVersion } from '../../workspace/restore/file-details.ts';
import { entryAt, sameEntry, type Tree } from '../../workspace/tree/tree.ts';
import { loadHead } from '../task/records/head.ts';
import { type Look, looksBetween, nameFor, type Side, tellsOf } from './authors.ts';
import { unlessLost } from './lost.ts';
import { type FileEntries, readFiles } from './own-changes.ts';

export type Versions = (path: string) => FileVersion[];

/** Stretches of different authors: beyond that, nobody is named. */
const MOST_LOOKS = 300;

/** The same until now, for files that were just captured; found when it is first asked for. */
export function versionsSince(
  storage: Storage,
  from: Side,
  task: string,
  treeOf: (snapshot: string) => Promise<Tree>,
  known?: FileEntries,
): (path: string, now: string) => Promise<FileVersion[]> {
  let found: Promise<Versions> | undefined;
  return async (path, now) => {
    const to = { task, seq: Number.MAX_SAFE_INTEGER, snapshot: now };
    found ??= unlessLost(
      () => versionsBetween(storage, [from, to], treeOf, known),
      () => [],
    );
    return (await found)(path);
  };
}

/** No versions where the journal does not lead from one point to the other; `known`: its entries, if already read. */
export async function versionsBetween(
  storage: Storage,
  [from, to]: readonly [Side, Side],
  treeOf: (snapshot: string) => Promise<Tree>,
  known?: FileEntries,
): Promise<Versions> {
  const head = await loadHead(storage, to.task);
  const leads = head && [to.task, ...head.lineage.map(({ task }) => task)].includes(from.task);
  const entries = leads ? (known ?? (await readFiles(storage, head))) : [];
  const isCut = leads === true && (await storage.owner(to.task)) === null;
  const looks = leads ? looksBetween(entries, head, from, to, isCut) : [];
  const trees: { readonly look: Look; readonly tree: Tree }[] = [];
  if (looks.length <= MOST_LOOKS)
    for (const look of looks) trees.push({ look, tree: await treeOf(look.snapshot) });
  return (path) => {
    const found: FileVersion[] = [];
    for (const { look, tree } of trees) {
      if (!tellsOf(look, path)) continue;
      const entry = entryAt(tree, path);
      const last = found.at(-1);
      if (!last || !sameEntry(last.entry, entry)) found.push({ entry, by: nameFor(look, path) });
    }
    return found;
  };
}
