/** Files and links that one side moved: those whose old path the other side has also touched, for no others matter to a merge. */

import { type Side, sameEntry, type TreeEntry } from './entry.ts';

export type Manifest = ReadonlyMap<string, TreeEntry>;

export interface RenameOptions {
  /** How alike two files are, from 0 to 1. Without it only files that were moved unchanged are found. */
  readonly similarity?: (basePath: string, path: string, side: Side) => number;
  /** From which similarity on a file counts as moved; default: 0.5. */
  readonly alike?: number;
}

/** Above this many pairs only files of the same name are compared. */
const MANY_PAIRS = 10_000;

/** Where each moved file of the base went. */
export function findRenames(
  base: Manifest,
  trees: Readonly<Record<Side, Manifest>>,
  side: Side,
  { similarity, alike = 0.5 }: RenameOptions,
): Map<string, string> {
  const other = trees[side === 'ours' ? 'theirs' : 'ours'];
  const lost = filesOf(base).filter(
    ([path, entry]) => !trees[side].has(path) && !sameEntry(entry, other.get(path)),
  );
  if (lost.length === 0) return new Map();
  const arrived = filesOf(trees[side]).filter(([path]) => !base.has(path));
  const moved = movedUnchanged(lost, arrived);
  if (!similarity) return moved;
  const taken = new Set(moved.values());
  const isFile = ([, { kind }]: File) => kind === 'file';
  const from = lost.filter((file) => isFile(file) && !moved.has(file[0])).map(([path]) => path);
  const to = arrived.filter((file) => isFile(file) && !taken.has(file[0])).map(([path]) => path);
  for (const [before, after] of mostAlike(from, to, (a, b) => similarity(a, b, side), alike)) {
    moved.set(before, after);
  }
  return moved;
}

type File = readonly [path: string, entry: TreeEntry, content: string];

/** Links are moved unchanged or not at all. */
function filesOf(manifest: Manifest): File[] {
  const files: File[] = [];
  for (const [path, entry] of manifest) {
    if (entry.kind === 'file') files.push([path, entry, `file ${entry.hash}`]);
    if (entry.kind === 'symlink') files.push([path, entry, `link ${entry.target}`]);
  }
  return files;
}

/** Among several files with the same bytes, the name decides; without a clear answer none has moved. */
function movedUnchanged(lost: readonly File[], arrived: readonly File[]): Map<string, string> {
  const byContent = Map.groupBy(arrived, ([, , content]) => content);
  const lostByContent = Map.groupBy(lost, ([, , content]) => content);
  const moved = new Map<string, string>();
  for (const [content, sources] of lostByContent) {
    const targets = byContent.get(content) ?? [];
    for (const [path] of sources) {
      const sameName = ([candidate]: File) => nameOf(candidate) === nameOf(path);
      const alone = sources.length === 1 && targets.length === 1;
      const candidates = alone ? targets : targets.filter(sameName);
      const rivals = alone ? sources : sources.filter(sameName);
      if (candidates.length === 1 && rivals.length === 1) moved.set(path, candidates[0]![0]);
    }
  }
  return moved;
}

function mostAlike(
  from: readonly string[],
  to: readonly string[],
  similarity: (before: string, after: string) => number,
  alike: number,
): [before: string, after: string][] {
  const many = from.length * to.length > MANY_PAIRS;
  const pairs = from.flatMap((before) =>
    to
      .filter((after) => !many || nameOf(before) === nameOf(after))
      .map((after) => ({ before, after, score: similarity(before, after) }))
      .filter(({ score }) => score >= alike),
  );
  const sameName = ({ before, after }: { before: string; after: string }) =>
    nameOf(before) === nameOf(after) ? 1 : 0;
  pairs.sort((a, b) => b.score - a.score || sameName(b) - sameName(a));
  const used = new Set<string>();
  const usedFrom = new Set<string>();
  const chosen: [string, string][] = [];
  for (const { before, after } of pairs) {
    if (usedFrom.has(before) || used.has(after)) continue;
    usedFrom.add(before);
    used.add(after);
    chosen.push([before, after]);
  }
  return chosen;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
