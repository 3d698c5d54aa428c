/** How badly upstream's changes and the task's changes conflict. Pure. */
import { type PathChange, SUBMODULE } from './changes.ts';
import { packageOf } from './manifests.ts';
import type { MergeConflict } from './merge-tree.ts';

/** `none`: upstream brought nothing that is not here already. */
export type Severity = 'none' | 'low' | 'medium' | 'high';

export interface Overlap {
  /** Where the task's side has it, or would have it. */
  readonly path: string;
  readonly level: 'medium' | 'high';
  /** `same region`, `same file`, `modify/delete`, `binary`, `submodule`, `renamed`, `dependencies`, … */
  readonly why: readonly string[];
  /** What it is called upstream, where that differs. */
  readonly theirs: string | null;
}

export interface Judgement {
  readonly level: Severity;
  readonly overlaps: readonly Overlap[];
  /** For the whole: `history rewritten`, `no history in common`. */
  readonly why: readonly string[];
}

interface Sides {
  readonly ours: readonly PathChange[];
  readonly theirs: readonly PathChange[];
  /** Conflicts of a merge; null if it could not be tried, because there is no common history. */
  readonly conflicts: readonly MergeConflict[] | null;
  readonly rewritten: boolean;
  /** Files of both sides that are not text. */
  readonly binary: ReadonlySet<string>;
}

export function judge({ ours, theirs, conflicts, rewritten, binary }: Sides): Judgement {
  const why = [...(rewritten ? ['history rewritten'] : []), ...(conflicts ? [] : ['no history in common'])];
  const found = new Map<string, { level: Overlap['level']; why: Set<string>; theirs: string | null }>();
  const add = (path: string, level: Overlap['level'], reason: string, other: string | null = null): void => {
    const known = found.get(path) ?? { level, why: new Set<string>(), theirs: null };
    known.why.add(reason);
    if (level === 'high') known.level = 'high';
    known.theirs ??= other === path ? null : other;
    found.set(path, known);
  };

  for (const { path, kinds } of conflicts ?? []) {
    for (const kind of kinds.length > 0 ? kinds : ['contents']) add(path, 'high', NAMES[kind] ?? kind);
  }
  for (const [mine, other] of inCommon(ours, theirs)) {
    const { path } = mine;
    if (isSubmodule(mine) || isSubmodule(other)) add(path, 'high', 'submodule', other.path);
    else if (binary.has(path)) add(path, 'high', 'binary', other.path);
    else add(path, 'medium', mine.from || other.from ? 'renamed' : 'same file', other.path);
    if (packageOf(path) !== null) add(path, 'medium', 'dependencies');
  }
  for (const path of sharedPackages(ours, theirs)) add(path, 'medium', 'dependencies');

  const overlaps = [...found]
    .map(([path, { level, why: reasons, theirs: name }]) => ({
      path,
      level,
      why: [...reasons],
      theirs: name,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const isHigh = why.length > 0 || overlaps.some(({ level }) => level === 'high');
  return { level: isHigh ? 'high' : overlaps.length > 0 ? 'medium' : 'low', overlaps, why };
}

/** Readable words for git's terms. */
const NAMES: Readonly<Record<string, string>> = { contents: 'same region' };

/** Both sides changed it, under any of its names, in different ways. */
export function inCommon(
  ours: readonly PathChange[],
  theirs: readonly PathChange[],
): [ours: PathChange, theirs: PathChange][] {
  const byName = new Map<string, PathChange>();
  for (const change of theirs) for (const name of namesOf(change)) byName.set(name, change);
  const pairs = new Map<string, [PathChange, PathChange]>();
  for (const mine of ours) {
    for (const name of namesOf(mine)) {
      const other = byName.get(name);
      if (other && !sameOutcome(mine, other)) pairs.set(mine.path, [mine, other]);
    }
  }
  return [...pairs.values()];
}

function namesOf({ path, from }: PathChange): string[] {
  return from === null ? [path] : [path, from];
}

function sameOutcome(a: PathChange, b: PathChange): boolean {
  return (
    a.path === b.path &&
    a.from === b.from &&
    a.after?.object === b.after?.object &&
    a.after?.mode === b.after?.mode
  );
}

function isSubmodule({ before, after }: PathChange): boolean {
  return before?.mode === SUBMODULE || after?.mode === SUBMODULE;
}

/** One side changed a package's manifest, the other its lock file: each is consistent, together they may not be. */
function sharedPackages(ours: readonly PathChange[], theirs: readonly PathChange[]): string[] {
  const packages = new Set(
    theirs.flatMap((change) => namesOf(change).flatMap((path) => packageOf(path) ?? [])),
  );
  const agreed = new Set(
    ours.filter((mine) => theirs.some((other) => sameOutcome(mine, other))).map(({ path }) => path),
  );
  return ours
    .filter(({ path }) => !agreed.has(path) && packages.has(packageOf(path) ?? ''))
    .map(({ path }) => path);
}
