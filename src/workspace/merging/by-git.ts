/**
 * Merges trees by git, which knows most about moved files. It knows neither all modes nor empty directories: those are
 * merged by our own plan. A text that git has merged has to merge for us too, and come out the same.
 */
import { mergeText } from '../../merge/text.ts';
import { type Decision, planDirectories, planTreeMerge } from '../../merge/tree.ts';
import type { LayerChange } from '../snapshot/layer.ts';
import { type DirectoryEntry, entryAt, sameEntry, type TreeEntry } from '../tree/tree.ts';
import type { GitConflict } from './git-answer.ts';
import { importables } from './git-import.ts';
import { askGit, type ImportableTrees } from './git-merge.ts';
import { versionsOf } from './in-process.ts';
import {
  applicable,
  changedParts,
  type MergeServices,
  type Parts,
  type ThreeTrees,
  type TreeMerge,
  type TreeMergeConflict,
  type TreeName,
  type Version,
  type Versions,
} from './parts.ts';
import { similarityOf } from './similarity.ts';

/** Null where git is missing or too old. */
export async function mergeByGit(services: MergeServices, trees: ThreeTrees): Promise<TreeMerge | null> {
  const parts = changedParts(trees);
  const files: ImportableTrees = {
    base: await importables(services, parts.base),
    ours: await importables(services, parts.ours),
    theirs: await importables(services, parts.theirs),
  };
  const answer = await askGit(files);
  if (!answer) return null;

  const plan = planTreeMerge(parts, { similarity: await similarityOf(services, parts) });
  const conflicts = [
    ...answer.conflicts.map((one) => inOurWords(files, trees, one)),
    ...unseenByGit(trees, plan),
  ];
  const changes: LayerChange[] = directoriesIn(parts, answer.listing.keys());
  const open = new Set([
    ...answer.conflicts.flatMap(({ paths }) => paths),
    ...conflicts.map(({ path }) => path),
  ]);
  const origins = originsIn(plan);
  for (const path of new Set([...files.ours.keys(), ...answer.listing.keys()])) {
    if (open.has(path)) continue;
    const listed = answer.listing.get(path);
    if (!listed) {
      changes.push({ path, after: null });
      continue;
    }
    const from = origins.get(path) ?? { base: path, ours: path, theirs: path };
    const versions = versionsOf(trees, from);
    const mode = modeOf(versions, listed.mode === '100755');
    const merged = answer.contents.get(listed.object);
    if (!merged) changes.push({ path, after: await entryOf(services, files, trees, listed, mode) });
    else {
      if (!isAlsoOurs(files, from, merged)) conflicts.push({ path, kind: 'text', ...versions });
      const file = { kind: 'file', size: merged.length, hash: await services.keep(merged) } as const;
      changes.push({ path, after: { ...file, mode } });
    }
  }
  return { changes: applicable(trees.ours, changes, conflicts), conflicts };
}

function inOurWords(files: ImportableTrees, trees: ThreeTrees, conflict: GitConflict): TreeMergeConflict {
  const { kind, paths, stages } = conflict;
  const version = (tree: TreeName, stage: 1 | 2 | 3): Version | null => {
    const there = paths.filter((path) => files[tree].has(path));
    const isStaged = (path: string) => files[tree].get(path)!.object === stages[stage]?.object;
    const arrived = (path: string) => tree !== 'base' && !files.base.has(path);
    const path = there.find(isStaged) ?? there.find(arrived) ?? there[0];
    return path === undefined ? null : { path, entry: entryAt(trees[tree], path)! };
  };
  const versions = { base: version('base', 1), ours: version('ours', 2), theirs: version('theirs', 3) };
  return { path: (versions.ours ?? versions.theirs)?.path ?? paths[0]!, kind, ...versions };
}

/** A file that a side has already, or a link. */
async function entryOf(
  services: MergeServices,
  files: ImportableTrees,
  trees: ThreeTrees,
  { mode, object }: { readonly mode: string; readonly object: string },
  modeNow: number,
): Promise<TreeEntry> {
  for (const tree of ['ours', 'theirs', 'base'] as const) {
    for (const [path, file] of files[tree]) {
      if (file.object !== object) continue;
      if (mode === '120000') return { kind: 'symlink', target: Buffer.from(file.bytes).toString() };
      const entry = entryAt(trees[tree], path);
      const size = file.bytes.length;
      const known =
        entry?.kind === 'file'
          ? entry
          : { kind: 'file' as const, size, hash: await services.keep(file.bytes) };
      return { ...known, mode: modeNow };
    }
  }
  throw new TypeError(`Git made an object of nothing: ${object}.`);
}

/** All nine bits: what one side changed, and what git says of running it. */
function modeOf(versions: Versions, executable: boolean): number {
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map((version) =>
    version?.entry.kind === 'file' ? version.entry.mode : undefined,
  );
  const mode = (ours === base ? (theirs ?? ours) : ours) ?? theirs ?? 0o644;
  if (executable === Boolean(mode & 0o100)) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** Whether our own merge is the same. */
function isAlsoOurs(
  files: ImportableTrees,
  { base, ours, theirs }: Decision['from'],
  merged: Uint8Array,
): boolean {
  const [before, mine, yours] = [
    files.base.get(base ?? ''),
    files.ours.get(ours ?? ''),
    files.theirs.get(theirs ?? ''),
  ];
  if (!before || !mine || !yours) return true;
  const own = mergeText(before.bytes, mine.bytes, yours.bytes);
  return own.outcome === 'clean' && Buffer.compare(own.bytes, merged) === 0;
}

/** Where a file comes from, also one that was moved. */
function originsIn(plan: readonly Decision[]): Map<string, Decision['from']> {
  const staying = plan.filter(({ result }) => result.do !== 'remove');
  return new Map(staying.map(({ path, from }) => [path, from]));
}

/** Of a mode git knows one bit. */
function unseenByGit(trees: ThreeTrees, plan: readonly Decision[]): TreeMergeConflict[] {
  return plan.flatMap(({ path, from, conflict }) => {
    const versions = versionsOf(trees, from);
    const { base, ours, theirs } = versions;
    const unseen = [ours, theirs].some(
      (side) => !sameEntry(base?.entry ?? null, side?.entry ?? null) && isSameToGit(base, side),
    );
    return conflict === 'mode' || (conflict && unseen) ? [{ path, kind: conflict, ...versions }] : [];
  });
}

function isSameToGit(a: Version | null, b: Version | null): boolean {
  if (a?.entry.kind !== 'file' || b?.entry.kind !== 'file') return false;
  return a.entry.hash === b.entry.hash && (a.entry.mode & 0o100) === (b.entry.mode & 0o100);
}

/** Git has none. */
function directoriesIn(parts: Parts, merged: Iterable<string>): LayerChange[] {
  const part = (tree: TreeName) => new Map([...parts[tree]].filter(([, { kind }]) => kind === 'dir'));
  const trees = { base: part('base'), ours: part('ours'), theirs: part('theirs') };
  return planDirectories(trees, merged).map(({ path, result }) => ({
    path,
    after: result.do === 'take' ? (result.entry as DirectoryEntry) : null,
  }));
}
