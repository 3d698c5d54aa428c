/**
 * Whether a journal is intact. Nothing is removed from a task with a damaged journal: the rest may be needed to repair it.
 */
import { CorruptError } from '../../errors.ts';
import { liveEntries } from '../task/journal.ts';
import { isUnreadable, type Surveyed } from './survey.ts';
import { noteDamage, type Sweep } from './sweep.ts';

/**
 * How far the task's journal can be read; null where it is damaged, which is noted. `resumes`: it needs those it was forked
 * from as well; for an ended task these may be gone.
 */
export async function readableEnd(
  sweep: Sweep,
  { task, head }: Surveyed,
  resumes = false,
): Promise<number | null> {
  const { storage, breathe, damaged } = sweep;
  if (damaged.has(task)) return null;
  let end = 0;
  try {
    // What was rolled back may be needed as well: all of its own journal is read, only then what it shares.
    for await (const { seq } of storage.read(task)) {
      end = seq;
      await breathe();
    }
    await storage.position(task);
    if (resumes && head?.lineage.length) for await (const _ of liveEntries(storage, head)) await breathe();
    return Number.MAX_SAFE_INTEGER;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    if (!(error instanceof CorruptError)) return end; // A class that is not registered here is not damage.
    noteDamage(sweep, task, error);
    return null;
  }
}
