/**
 * The task's branch moved on top of what upstream has now. Tried commit by commit, then done in a worktree of its own and
 * tested there, then put in place in one go; any obstacle leaves everything as it was.
 */
import type { Git } from '../git.ts';
import { openQuarantine } from '../quarantine.ts';
import { apply, indexHash } from './apply.ts';
import { carryOver, uncommittedWork } from './carry.ts';
import { obstacleTo, refused, refusedReplay, type Wish } from './conditions.ts';
import { fetchForReplay, tryReplay } from './replay.ts';
import { openScratch, replayIn, runTests } from './scratch.ts';
import type { Unfinished } from './undo.ts';

export interface RebaseRequest extends Wish {
  readonly task: string;
  readonly test_timeout_ms: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before the first change, with what is needed to undo it if this process dies. */
  readonly begin: (unfinished: Unfinished) => Promise<void>;
}

export interface Rebased {
  readonly branch: string;
  readonly old_head: string;
  readonly new_head: string;
  readonly onto: string;
  /** Points to the branch as it was, with uncommitted changes. */
  readonly backup_ref: string;
  /** Commits that were moved; others were already in upstream. */
  readonly moved: number;
  /** Whether tests were run on the result. */
  readonly tested: boolean;
}

/** REBASE_REFUSED unless it is done. */
export async function rebase(git: Git, request: RebaseRequest): Promise<Rebased> {
  const obstacle = obstacleTo(request);
  if (obstacle) throw refused(obstacle);
  const { sight, task, test_command, test_timeout_ms, signal } = request;
  const [old_head, branch, upstream_head] = [sight.head!, sight.branch!, sight.upstream_head!];
  const onto = sight.upstream!.name;
  const index_hash = indexHash(git.place);
  const quarantine = openQuarantine(git.place);
  try {
    await fetchForReplay(git, sight);
    const replay = await tryReplay(quarantine.git, old_head, upstream_head);
    const before = await uncommittedWork(quarantine, old_head);
    const after = await carryOver(quarantine.git, old_head, before, replay.tree);
    const scratch = await openScratch(quarantine, git.place);
    const new_head = await replayIn(scratch, upstream_head, replay);
    if (test_command !== null)
      await runTests(scratch, git.place, { command: test_command, timeout_ms: test_timeout_ms, signal });
    const backup_ref = `refs/vibe-engine/backup/${task}/${old_head.slice(0, 12)}-${new_head.slice(0, 12)}`;
    const prepared = {
      branch,
      onto,
      upstream_head,
      old_head,
      new_head,
      before,
      after,
      index_hash,
      backup_ref,
    };
    await apply(git, quarantine, prepared, request.begin);
    const tested = test_command !== null;
    return { branch, old_head, new_head, onto, backup_ref, moved: replay.commits.length, tested };
  } catch (error) {
    throw refusedReplay(error);
  } finally {
    quarantine.remove();
  }
}
