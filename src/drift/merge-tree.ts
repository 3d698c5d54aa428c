/** Git's own merge, without a worktree: the tree, and the conflicts. */

import { DriftError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { GitOutput } from '../system/git/answer.ts';
import { complaintOf, fieldsOf, type Git } from './git.ts';

interface TreeMerge {
  /** With conflict markers where it is not clean. */
  readonly tree: string;
  readonly clean: boolean;
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeConflict {
  readonly path: string;
  /** Git's names for them: `contents`, `modify/delete`, `binary`, `rename/rename`, … */
  readonly kinds: readonly string[];
}

/** Null where the two have no history in common. */
export async function mergeTrees(git: Git, ours: string, theirs: string): Promise<TreeMerge | null> {
  const answer = await git.run(['merge-tree', '--write-tree', '-z', ours, theirs]);
  if (answer.code === 0 || answer.code === 1) return parseMerge(answer.output, answer.code === 0);
  if (answer.errors.includes('unrelated histories')) return null;
  throw new DriftError('DRIFT_UNKNOWN', phrase`The merge cannot be tried: ${complaintOf(answer)}.`, {
    data: { ours, theirs, complaint: complaintOf(answer), repository: git.place.toplevel },
    hint: phrase`Git 2.38 or newer is needed. Nothing was changed.`,
  });
}

/**
 * `tree`, then `mode object stage⇥path` for each stage of what is in conflict, an empty field, then messages: how many
 * paths, the paths, the kind, the text.
 */
function parseMerge(output: GitOutput, clean: boolean): TreeMerge {
  const [tree, ...rest] = fieldsOf(output);
  const kinds = new Map<string, Set<string>>();
  const end = rest.indexOf('');
  for (const stage of rest.slice(0, Math.max(0, end))) {
    const path = stage.slice(stage.indexOf('\t') + 1);
    if (!kinds.has(path)) kinds.set(path, new Set());
  }
  const messages = rest.slice(end + 1);
  for (let at = 0; at < messages.length; ) {
    const count = Number(messages[at]);
    const paths = messages.slice(at + 1, at + 1 + count);
    const kind = /^CONFLICT \((.+)\)$/.exec(messages[at + 1 + count] ?? '')?.[1];
    if (kind !== undefined && paths[0] !== undefined) {
      const known = kinds.get(paths[0]) ?? new Set();
      kinds.set(paths[0], known.add(kind));
    }
    at += count + 3;
  }
  const conflicts = [...kinds].map(([path, found]) => ({ path, kinds: [...found] }));
  return { tree: tree!, clean, conflicts: clean ? [] : conflicts };
}
