/** What a restore itself changed, without what others saved in the meantime. Pure. */
import { diffTrees, type TreeChange } from '../tree/diff.ts';
import { parentOf, sameEntry, type Tree } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

/** What others changed between the two trees: everything but what is now as the restore wanted it. */
export function changedByOthers(before: Tree, after: Tree, decided: readonly PlanItem[]): TreeChange[] {
  const wanted = new Map(
    decided
      .filter(({ action, why }) => action !== 'keep' || why === 'already')
      .map(({ path, target }) => [path, target]),
  );
  const changes = diffTrees(before, after);
  const own = changes.filter((change) => {
    const target = wanted.get(change.path);
    return target !== undefined && sameEntry(change.after, target);
  });
  const made = new Set(own.flatMap(({ path, after }) => (after ? [path, ...above(path)] : [path])));
  return changes.filter(({ path }) => !made.has(path));
}

/** Directories that it needs. */
export function above(path: string): string[] {
  const directories: string[] = [];
  for (let at = parentOf(path); at !== ''; at = parentOf(at)) directories.push(at);
  return directories;
}
