/**
 * The rebase tried commit by commit, without a worktree: that the two ends merge cleanly does not mean that each step on
 * the way does.
 */
import type { Git } from '../git.ts';
import type { Sight } from '../look.ts';
import { mergeTrees } from '../merge-tree.ts';
import { fetchMissing } from '../missing.ts';
import { commitTree, requireOutput } from '../work.ts';
import { refused } from './conditions.ts';

interface Replay {
  /** What the branch's tree would be. */
  readonly tree: string;
  /** The commits to be moved, oldest first; without those that upstream already has. */
  readonly commits: readonly string[];
}

/** REBASE_REFUSED where one of them conflicts, or cannot be moved without loss. */
export async function tryReplay(git: Git, head: string, upstream: string): Promise<Replay> {
  const moving: string[] = [];
  let tree = await treeOf(git, upstream);
  let current = upstream;
  for (const { commit, parent } of await localCommits(git, head, upstream)) {
    const stand_in = await commitTree(git, tree, parent);
    const merge = await mergeTrees(git, stand_in, commit);
    if (!merge?.clean)
      throw refused('commit conflicts', { commit, files: merge?.conflicts.map(({ path }) => path) ?? [] });
    const empty = merge.tree === tree && (await treeOf(git, parent)) !== (await treeOf(git, commit));
    if (empty) continue;
    tree = merge.tree;
    current = await commitTree(git, tree, current);
    moving.push(commit);
  }
  return { tree, commits: moving };
}

/** In a partial clone: what is moved, and what it is moved onto. */
export async function fetchForReplay(git: Git, { head, upstream_head, upstream }: Sight): Promise<void> {
  const moved = (await requireOutput(git, ['rev-list', head!, `^${upstream_head}`])).toString().split('\n');
  const commits = [upstream_head!, head!, ...moved.filter(Boolean)];
  const wanted = commits.map((commit) => [null, commit] as const);
  await fetchMissing(git, { upstream, timeout_ms: FETCH_TIMEOUT_MS, wanted });
}

const FETCH_TIMEOUT_MS = 120_000;

interface LocalCommit {
  readonly commit: string;
  readonly parent: string;
}

async function localCommits(git: Git, head: string, upstream: string): Promise<LocalCommit[]> {
  const range = ['rev-list', '--reverse', '--topo-order', '--header', head, `^${upstream}`];
  const headers = (await requireOutput(git, range))
    .toString('latin1')
    .split('\0')
    .filter((text) => text.trim() !== '');
  return headers.map((header) => {
    // The id, then the commit as it is stored: its headers, an empty line, its message.
    const [commit, ...lines] = header.split('\n');
    const end = lines.indexOf('');
    const fields = lines.slice(0, end < 0 ? lines.length : end);
    const parents = fields.flatMap((line) => /^parent (.+)$/.exec(line)?.[1] ?? []);
    if (parents.length !== 1) throw refused('merge commits', { commit });
    if (fields.some((line) => line.startsWith('gpgsig'))) throw refused('signed commits', { commit });
    return { commit: commit!, parent: parents[0]! };
  });
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return (await requireOutput(git, ['rev-parse', '--verify', `${commit}^{tree}`])).toString().trim();
}
