/** All tasks with the parts of their journals that nothing needs, grouped by shared journals. */
import { START } from '../../storage/chain.ts';
import type { Position } from '../../storage/contract.ts';
import { FORK, parseShare } from '../task/records/forks.ts';
import type { Member } from './blobs.ts';
import { families, needlessSpans, type Share } from './needs.ts';
import { isUnreadable, type Surveyed } from './survey.ts';
import { graceIsOver, noteDamage, removeBare, type Sweep } from './sweep.ts';

/**
 * Forks are read after checkpoints were removed from the lists: a fork from one of these is seen here, or fails because it
 * is gone.
 */
export async function membersOf(
  sweep: Sweep,
  all: readonly Surveyed[],
  gone: ReadonlySet<string>,
): Promise<Member[][]> {
  const ends = await endsOf(sweep, all);
  // Nothing is removed from a task with a damaged journal, nor from those it was forked from.
  const tasks = all.filter(({ task }) => ends.has(task));
  const shares = await sharesOfUnknown(sweep, new Set(ends.keys()));
  const isOver = ({ cleaned: { emptied_at }, checkpoints }: Surveyed): boolean =>
    emptied_at !== null && checkpoints.length === 0 && graceIsOver(sweep, emptied_at);
  const needless = needlessSpans(
    tasks.map((of) => ({ task: of.task, end: ends.get(of.task)!.seq, head: of.head, over: isOver(of) })),
    shares,
  );
  return families(tasks).map((family) =>
    family.map((of) => {
      const { task } = of;
      return { of, end: ends.get(task)!, over: isOver(of), needless: needless.get(task)!, gone };
    }),
  );
}

async function endsOf(sweep: Sweep, tasks: readonly Surveyed[]): Promise<Map<string, Position>> {
  const ends = new Map<string, Position>();
  for (const { task, head, cleaned } of tasks) {
    if (sweep.damaged.has(task)) continue;
    // After a task completed only journals that may be cut are read to their end: the others are fully needed.
    const asked = sweep.thorough || cleaned.emptied_at !== null || head?.dead.length !== 0;
    try {
      ends.set(task, asked ? await sweep.storage.position(task) : START);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      noteDamage(sweep, task, error);
    }
    await sweep.breathe();
  }
  return ends;
}

/** What forks need that are being made now, or cannot be read. */
async function sharesOfUnknown(sweep: Sweep, known: ReadonlySet<string>): Promise<Share[]> {
  return (await unknownForks(sweep, known)).map(({ task, data }) => {
    const { to, dead } = parseShare(data) ?? { to: Number.MAX_SAFE_INTEGER, dead: [] };
    return { task, to, dead };
  });
}

interface UnknownFork {
  /** Whose journal it needs. */
  readonly task: string;
  readonly data: unknown;
}

/** `forks/{ancestor}/{child}` is written before the fork. */
export async function unknownForks(sweep: Sweep, known: ReadonlySet<string>): Promise<UnknownFork[]> {
  const { storage } = sweep;
  const found: UnknownFork[] = [];
  for (const key of await storage.list(FORK.category)) {
    const [task, child] = key.split('/') as [string, string];
    if (known.has(child)) continue;
    const data = await storage.load(FORK.category, key);
    const share = parseShare(data);
    const isBare = () => isNoTask(sweep, child);
    // It was never finished, or is gone since; its data is removed before the records that refer to it.
    const isGone =
      share !== null &&
      graceIsOver(sweep, share.at) &&
      (await isBare()) &&
      (sweep.dry || (await removeBare(sweep, child, isBare)));
    if (!isGone) found.push({ task, data });
    else if (!sweep.dry) await storage.delete(FORK.category, key);
  }
  return found;
}

/** Nothing of it is stored, except outside tasks. */
export async function isNoTask({ storage }: Sweep, task: string): Promise<boolean> {
  const { keys } = await storage.page('tasks', { prefix: `${task}/`, limit: 1 });
  return keys.length === 0;
}
