/** Claims a task while clean-up may be running, which holds a task only for moments. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnershipError } from '../../../errors.ts';
import type { Claim, Storage } from '../../../storage/contract.ts';

/** Claimed by the process that cleans. Nothing is ever stored under it, so it is not a task. */
export const CLEANUP_CLAIM = 'vibe-engine-cleanup';

const PATIENCE_MS = 500;
const AGAIN_MS = 10;

/** As `storage.claim`, but a task that is owned while clean-up runs is tried again before it is refused. */
export async function claimTask(storage: Storage, task: string): Promise<Claim> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await storage.claim(task);
    } catch (error) {
      if (!(error instanceof OwnershipError) || performance.now() > deadline) throw error;
      if (!(await storage.owner(CLEANUP_CLAIM))) throw error;
    }
    await sleep(AGAIN_MS);
  }
}

/** FENCED_OUT if it was lost. For changes that commits do not guard, such as files. */
export function assertLive({ live, lost }: Pick<Claim, 'live' | 'lost'>): void {
  if (!live()) throw lost.reason;
}
