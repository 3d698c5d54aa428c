/** Tasks that a process has left between two points: it ended while it changed their files back. */
import { answering, isDamage } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { loadUnfinished } from '../task/records/rollback-in-progress.ts';

/** Newest first, without those that somebody has. */
export async function readUnfinished(
  storage: Storage,
  among: AsyncIterable<string> | Iterable<string> = everyTask(storage, { reverse: true }),
): Promise<string[]> {
  const found: string[] = [];
  for await (const id of among) {
    const begun = await loadUnfinished(storage, id).catch(answering(isDamage, null));
    if (begun && !(await storage.owner(id))) found.push(id);
  }
  return found;
}
