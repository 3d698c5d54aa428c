/**
 * A rebase that a crash interrupted keeps git's lock, even if its task is never resumed: the next engine there finishes or
 * undoes it.
 */
import type { Git } from '../../drift/git.ts';
import { breakLock, leftLock } from '../../drift/rebase/index-file.ts';
import { OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { everyTask } from '../../storage/walk.ts';
import { claimTask } from '../task/records/claim.ts';
import { loadUnfinishedRebase } from '../task/records/rebase-in-progress.ts';
import { loadTracker } from '../task/records/versions.ts';
import { type DriftServices, repositoryOf } from './looking.ts';
import { settleRebase } from './rebasing.ts';

/** Reads one file if there is nothing to do. */
export async function settleLeftover(services: DriftServices): Promise<void> {
  const git = repositoryOf(services);
  const lock = git && leftLock(git.place);
  if (!lock || lock.alive) return;
  try {
    await settle(services, git, lock.whose);
  } catch (error) {
    if (error instanceof OwnershipError) return; // Its owner handles it.
    services.notify([phrase`A rebase was interrupted, and could be neither finished nor undone: ${error}`]);
  }
}

async function settle(services: DriftServices, git: Git, new_head: string): Promise<void> {
  for await (const task of everyTask(services.storage)) {
    if ((await loadUnfinishedRebase(services.storage, task))?.new_head !== new_head) continue;
    const claim = await claimTask(services.storage, task);
    try {
      const known = await loadTracker(services.storage, task);
      if (!known) return;
      const settled = await settleRebase(services, git, claim, known);
      services.notify([
        settled === known
          ? phrase`A rebase for task ${task} was interrupted, and has been undone.`
          : phrase`A rebase for task ${task} was interrupted, and has been finished.`,
      ]);
    } finally {
      await claim.release();
    }
    return;
  }
  breakLock(git.place, new_head); // It had not changed anything yet.
}
