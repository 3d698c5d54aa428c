/** The versions of a file between two points of a task, and who made each out of the one before. */
import type { Storage } from '../../storage/contract.ts';
import { type FileVersion, MOST_VERSIONS, sizeOf } from '../../workspace/restore/file-details.ts';
import { withoutOthers } from '../../workspace/restore/others.ts';
import { diffKnown } from '../../workspace/tree/diff.ts';
import { entryAt, sameEntry, type Tree, type TreeEntry } from '../../workspace/tree/tree.ts';
import { loadHead } from '../task/records/head.ts';
import { authorFor, covers, joinLooks, type Look, looksBetween, type Maker, type Side } from './authors.ts';
import { filesIn } from './changes.ts';
import { unlessLost } from './lost.ts';
import { changesByOthers, LOOK_BACK, withOthers } from './others.ts';
import { type FileEntries, placeOf, readFiles } from './own-changes.ts';

/** `maker`: the operation that made it; null where that is not known, or it was none. */
export interface MadeVersion extends FileVersion {
  readonly maker: Maker | null;
}

export type Versions = (path: string) => MadeVersion[];

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

/** In bytes: of all versions of a file that are compared one by one. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * No versions where the journal does not lead from one point to the other; `known`: its entries, if already read. `apart`: each
 * operation's, of these files; the others by author.
 */
export async function versionsBetween(
  storage: Storage,
  [from, to]: readonly [Side, Side],
  treeOf: (snapshot: string) => Promise<Tree>,
  known?: FileEntries,
  apart: readonly string[] | 'all' = [],
): Promise<Versions> {
  const head = await loadHead(storage, to.task);
  const leads = head && [to.task, ...head.lineage.map(({ task }) => task)].includes(from.task);
  const entries = leads ? (known ?? (await readFiles(storage, head))) : [];
  const isCut = leads === true && (await storage.owner(to.task)) === null;
  const each = leads ? looksBetween(entries, head, from, to, isCut) : [];
  const looks = [joinLooks(each, apart), joinLooks(each)].find(({ length }) => length <= MOST_LOOKS) ?? [];
  const asked = { task: to.task, place: placeOf(entries), most: LOOK_BACK };
  const trees: Looked[] = [];
  let before: Tree | undefined;
  for (const { others, ...look } of await withOthers(storage, asked, looks)) {
    const tree = await treeOf(look.snapshot);
    const files = new Set(before && others.length > 0 ? filesIn(diffKnown(before, tree)) : []);
    // What a command of another task changed may be anybody's, unless nothing else was at work.
    const known = others.map((one) => ({ ...one, doubtful: one.doubtful && look.by.length > 0 }));
    trees.push({ look, tree, theirs: await changesByOthers(known, files, treeOf) });
    before = tree;
  }
  return (path) => {
    const found: MadeVersion[] = [];
    for (const { look, theirs, tree } of trees) {
      if (!covers(look, path)) continue;
      const entry = entryAt(tree, path);
      const last = found.at(-1);
      if (!last) found.push({ entry, ...authorFor(look, path) });
      else if (!sameEntry(last.entry, entry))
        found.push(...madeBetween(last.entry, entry, path, look, theirs));
    }
    return affordable(found);
  };
}

interface Looked {
  readonly look: Look;
  readonly tree: Tree;
  /** What other tasks did since the look before. */
  readonly theirs: Parameters<typeof withoutOthers>[1];
}

/** One version, or several where other tasks were at work, too. */
function madeBetween(
  before: TreeEntry | null,
  after: TreeEntry | null,
  path: string,
  look: Look,
  theirs: Looked['theirs'],
): MadeVersion[] {
  const { parts, doubtful } = withoutOthers([{ path, before, after }], theirs)[0]!;
  const author = doubtful ? { by: null, maker: null } : authorFor(look, path);
  return parts.map(({ after: entry, other }) =>
    other ? { entry, by: `task:${other.task}`, maker: null } : { entry, ...author },
  );
}

/** The newest each, as far as comparing them is quick; those before them by author. */
function affordable(versions: readonly MadeVersion[]): MadeVersion[] {
  let [first, bytes] = [versions.length, 0];
  while (first > 0 && bytes <= MOST_BYTES) {
    first -= 1;
    bytes += sizeOf(versions[first]!.entry);
  }
  const found = [...byAuthor(versions.slice(0, first)), ...versions.slice(first)];
  return found.length <= MOST_VERSIONS ? found : byAuthor(versions);
}

/** The last of each author's that follow each other. */
function byAuthor(versions: readonly MadeVersion[]): MadeVersion[] {
  return versions.flatMap((one, at) => {
    const next = at === 0 ? undefined : versions[at + 1];
    if (next && next.by !== null && next.by === one.by) return [];
    const isOne = at < 2 || versions[at - 1]!.by !== one.by;
    return [isOne ? one : { ...one, maker: null }];
  });
}
