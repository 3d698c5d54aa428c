/** What a rebase would do: no tests are run, and nothing is changed. */
import { type CommitNote, commitsIn, withoutFiles } from '../commits.ts';
import type { Git } from '../git.ts';
import { openQuarantine } from '../quarantine.ts';
import { carryOver, uncommittedWork } from './carry.ts';
import { obstacleTo, refused, refusedReplay, type Wish } from './conditions.ts';
import { fetchForReplay, tryReplay } from './replay.ts';

export interface RebasePreview {
  readonly branch: string;
  readonly onto: string;
  /** How many commits upstream has that the branch has not. */
  readonly commits_behind: number;
  /** The branch's own that are moved, oldest first. */
  readonly commits: readonly CommitNote[];
  /** Files of the worktree that change. */
  readonly files: readonly string[];
  /** Null where no tests are run. */
  readonly test_command: string | null;
}

/** REBASE_REFUSED where it would be. */
export async function previewRebase(git: Git, wish: Wish): Promise<RebasePreview> {
  const obstacle = obstacleTo(wish);
  if (obstacle) throw refused(obstacle);
  const { sight, commits_behind, test_command } = wish;
  const [head, branch, upstream_head] = [sight.head!, sight.branch!, sight.upstream_head!];
  const quarantine = openQuarantine(git.place);
  try {
    await fetchForReplay(git, sight);
    const { commits: moving, tree } = await tryReplay(quarantine.git, head, upstream_head);
    const uncommitted = await uncommittedWork(quarantine, head);
    const { changes } = await carryOver(quarantine.git, head, uncommitted, tree);
    const own = await commitsIn(git, [head, `^${upstream_head}`], Number.MAX_SAFE_INTEGER);
    const notes = new Map(own.map((note) => [note.id, withoutFiles(note)]));
    return {
      branch,
      onto: sight.upstream!.name,
      commits_behind,
      commits: moving.flatMap((id) => notes.get(id) ?? []),
      files: changes.map(({ path }) => path),
      test_command,
    };
  } catch (error) {
    throw refusedReplay(error);
  } finally {
    quarantine.remove();
  }
}
