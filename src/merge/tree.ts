/**
 * Three versions of a whole tree into one, path by path: what to take, what to remove, which texts to merge, and where
 * someone has to choose. This only decides; the caller reads and writes the files.
 */
import {
  mergeEntries,
  type Result,
  type Side,
  sameEntry,
  type TreeConflict,
  type TreeEntry,
} from './entry.ts';
import { findRenames, type Manifest, type RenameOptions } from './renames.ts';

export interface Trees {
  /** By path with forward slashes. Directories may be left out, but for those that are to be kept when empty. */
  readonly base: Manifest;
  readonly ours: Manifest;
  readonly theirs: Manifest;
}

export interface Decision {
  readonly path: string;
  /** Its path in each of the three trees, where it exists. */
  readonly from: { readonly base?: string; readonly ours?: string; readonly theirs?: string };
  readonly result: Result;
  readonly conflict?: TreeConflict;
}

/** One decision per path that a side changed, ordered by path; several where several things want the same path. */
export function planTreeMerge(trees: Trees, options: RenameOptions = {}): Decision[] {
  const files = only(trees, (entry) => entry.kind !== 'dir');
  const decisions = markCollisions(followFiles(files, options).flatMap((file) => decide(files, file)));
  const decided = new Set(decisions.map(({ path }) => path));
  const staying = [
    ...decisions.filter(survives).map(({ path }) => path),
    ...[...files.base.keys()].filter((path) => !decided.has(path)),
  ];
  const directories = planDirectories(
    only(trees, (entry) => entry.kind === 'dir'),
    staying,
  );
  return markDirectoryConflicts([...decisions, ...directories]).sort(byPath);
}

function only(trees: Trees, wanted: (entry: TreeEntry) => boolean): Trees {
  const part = (manifest: Manifest) => new Map([...manifest].filter(([, entry]) => wanted(entry)));
  return { base: part(trees.base), ours: part(trees.ours), theirs: part(trees.theirs) };
}

/** The paths of one thing in the three trees. */
type Whereabouts = { -readonly [tree in keyof Trees]?: string };

const SIDES = ['ours', 'theirs'] as const;

function followFiles(trees: Trees, options: RenameOptions): Whereabouts[] {
  const moved = {
    ours: findRenames(trees.base, trees, 'ours', options),
    theirs: findRenames(trees.base, trees, 'theirs', options),
  };
  const arrivals = { ours: new Set(moved.ours.values()), theirs: new Set(moved.theirs.values()) };
  const files: Whereabouts[] = [];
  for (const [path, entry] of trees.base) {
    if (sameEntry(entry, trees.ours.get(path)) && sameEntry(entry, trees.theirs.get(path))) continue;
    const file: Whereabouts = { base: path };
    for (const side of SIDES) {
      const now = trees[side].has(path) ? path : moved[side].get(path);
      if (now !== undefined) file[side] = now;
    }
    files.push(file);
  }
  const isNew = (side: Side, path: string) =>
    trees[side].has(path) && !trees.base.has(path) && !arrivals[side].has(path);
  for (const path of new Set([...trees.ours.keys(), ...trees.theirs.keys()])) {
    const file: Whereabouts = {};
    for (const side of SIDES) if (isNew(side, path)) file[side] = path;
    if (file.ours !== undefined || file.theirs !== undefined) files.push(file);
  }
  return files;
}

function decide(trees: Trees, from: Whereabouts): Decision[] {
  const entry = (tree: keyof Trees) => (from[tree] === undefined ? undefined : trees[tree].get(from[tree]));
  const { base, ours, theirs } = from;
  const outcome = mergeEntries(entry('base'), entry('ours'), entry('theirs'));
  const movedBy = SIDES.filter(
    (side) => base !== undefined && from[side] !== undefined && from[side] !== base,
  );
  const mover = movedBy[0];
  if (base === undefined || !mover) return [{ path: (base ?? ours ?? theirs)!, from, ...outcome }];

  const gone: Decision = { path: base, from: { base }, result: { do: 'remove' } };
  const path = from[mover]!;
  if (ours === undefined || theirs === undefined) {
    const result: Result = { do: 'take', side: mover, entry: entry(mover)! };
    return [{ path, from, result, conflict: 'rename/delete' }, gone];
  }
  if (movedBy.length === 2 && ours !== theirs) {
    const both = [ours, theirs].map(
      (at): Decision => ({ path: at, from, ...outcome, conflict: 'rename/rename' }),
    );
    return [...both, gone];
  }
  const replaced = entry(mover === 'ours' ? 'theirs' : 'ours')?.kind !== entry('base')!.kind;
  return [{ path, from, ...outcome, ...(replaced ? { conflict: 'kind' } : {}) }, gone];
}

function markCollisions(decisions: readonly Decision[]): Decision[] {
  const rivals = Map.groupBy(decisions.filter(survives), ({ path }) => path);
  return decisions.map((decision) =>
    survives(decision) && rivals.get(decision.path)!.length > 1
      ? { ...decision, conflict: 'add/add' }
      : decision,
  );
}

/** A directory that one side removed stays when something is to be in it. */
export function planDirectories(trees: Trees, staying: Iterable<string>): Decision[] {
  const needed = new Set([...staying].flatMap(directoriesAbove));
  const paths = new Set([...trees.base.keys(), ...trees.ours.keys(), ...trees.theirs.keys()]);
  return [...paths].flatMap((path): Decision[] => {
    const [base, ours, theirs] = [trees.base.get(path), trees.ours.get(path), trees.theirs.get(path)];
    if (sameEntry(base, ours) && sameEntry(base, theirs)) return [];
    const from = {
      ...(base && { base: path }),
      ...(ours && { ours: path }),
      ...(theirs && { theirs: path }),
    };
    const outcome = mergeEntries(base, ours, theirs);
    const entry = ours ?? theirs ?? base;
    if (!needed.has(path) || (ours && theirs)) return [{ path, from, ...outcome }];
    return [{ path, from, result: { do: 'take', side: ours || !theirs ? 'ours' : 'theirs', entry: entry! } }];
  });
}

function markDirectoryConflicts(decisions: readonly Decision[]): Decision[] {
  const surviving = decisions.filter(survives);
  const files = new Set(surviving.filter((decision) => !isDirectory(decision)).map(({ path }) => path));
  const blocked = new Set<string>();
  for (const decision of surviving) {
    const { path } = decision;
    if (isDirectory(decision) && files.has(path)) blocked.add(path);
    for (const directory of directoriesAbove(path)) {
      if (files.has(directory)) blocked.add(directory).add(path);
    }
  }
  return decisions.map((decision) =>
    survives(decision) && blocked.has(decision.path) ? { conflict: 'directory/file', ...decision } : decision,
  );
}

function survives({ result }: Decision): boolean {
  return result.do !== 'remove';
}

function isDirectory({ result }: Decision): boolean {
  return result.do === 'take' && result.entry.kind === 'dir';
}

function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) above.push(path.slice(0, at));
  return above;
}

function byPath(a: Decision, b: Decision): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
