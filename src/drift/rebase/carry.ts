/** Carries uncommitted changes over to the new commit: worktree and index each by a three-way merge. */

import { type ChangedName, pathsBetween } from '../changes.ts';
import type { Git } from '../git.ts';
import { lstatInside } from '../lstat-inside.ts';
import { mergeTrees } from '../merge-tree.ts';
import type { Quarantine } from '../quarantine.ts';
import { captureWork, commitTree, requireOutput } from '../work.ts';
import { refused } from './conditions.ts';
import { treeOf } from './replay.ts';

export interface UncommittedWork {
  /** The worktree, without ignored files. */
  readonly work: string;
  readonly index: string;
  /** A commit of the worktree on top of HEAD; HEAD itself where nothing is uncommitted. */
  readonly backup: string;
}

export interface Carried {
  readonly work: string;
  readonly index: string;
  /** From the worktree as it is to the worktree as it will be. */
  readonly changes: readonly ChangedName[];
}

/** The quarantine's index is the worktree's afterwards. */
export async function uncommittedWork(quarantine: Quarantine, head: string): Promise<UncommittedWork> {
  const index = (await requireOutput(quarantine.git, ['write-tree'])).toString().trim();
  const { tree, commit } = await captureWork(quarantine, head);
  const clean = tree === index && tree === (await treeOf(quarantine.git, head));
  return { work: tree, index, backup: clean ? head : commit };
}

/** REBASE_REFUSED where the two conflict, or an untracked or ignored file is in the way. */
export async function carryOver(
  git: Git,
  head: string,
  uncommitted: UncommittedWork,
  to: string,
): Promise<Carried> {
  const base = await treeOf(git, head);
  const theirs = await commitTree(git, to, head);
  const carried = async (tree: string): Promise<string> => {
    if (tree === base) return to;
    const merge = await mergeTrees(git, await commitTree(git, tree, head), theirs);
    if (merge?.clean) return merge.tree;
    throw refused('uncommitted work conflicts', { files: merge?.conflicts.map(({ path }) => path) ?? [] });
  };
  const work = await carried(uncommitted.work);
  const index = uncommitted.index === uncommitted.work ? work : await carried(uncommitted.index);
  const changes = await pathsBetween(git, uncommitted.work, work);
  const files = inTheWay(git.place.toplevel, changes);
  if (files.length > 0) throw refused('files in the way', { files });
  return { work, index, changes };
}

/** Git would overwrite ignored files: we do not. A nested repository is not a plain directory. */
function inTheWay(toplevel: string, changes: readonly ChangedName[]): string[] {
  const goes = new Set(changes.filter(({ status }) => status === 'D').map(({ path }) => path));
  const comes = changes.filter(({ status }) => status === 'A').map(({ path }) => path);
  const blocked = new Set<string>();
  for (const path of comes) {
    if (lstatInside(toplevel, path)) blocked.add(path);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const above = path.slice(0, at);
      const found = lstatInside(toplevel, above);
      const closed = found?.isDirectory() ? lstatInside(toplevel, `${above}/.git`) : found;
      if (closed && !goes.has(above)) blocked.add(above);
    }
  }
  return [...blocked];
}
