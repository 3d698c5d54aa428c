/** Three trees into one: by git where there is git, else by our own plan. Both give the same kind of result. */
import { entryAt, type Tree, touchesOmitted } from '../tree/tree.ts';
import { mergeByGit } from './by-git.ts';
import { mergeInProcess } from './in-process.ts';
import type { MergeServices, ThreeTrees, TreeMerge, TreeMergeConflict } from './parts.ts';

export async function mergeTrees(services: MergeServices, trees: ThreeTrees): Promise<TreeMerge> {
  const merge = (await mergeByGit(services, trees)) ?? (await mergeInProcess(services, trees));
  return withoutHarm(trees.ours, merge);
}

/** What was not captured must not be overwritten. */
function withoutHarm(ours: Tree, merge: TreeMerge): TreeMerge {
  const harmful = merge.changes.filter(({ path }) => touchesOmitted(ours, path));
  if (harmful.length === 0) return merge;
  const conflicts = harmful.map(({ path, after }): TreeMergeConflict => {
    const entry = entryAt(ours, path);
    const sides = { base: null, ours: entry && { path, entry }, theirs: after && { path, entry: after } };
    return { path, kind: 'add/add', ...sides };
  });
  const changes = merge.changes.filter((change) => !harmful.includes(change));
  return { ...merge, changes, conflicts: [...merge.conflicts, ...conflicts] };
}
