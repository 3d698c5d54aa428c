/**
 * What other processes change, as hints. Whether anything was committed is known for next to nothing, so it is asked often;
 * only then is looked for what.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { LocalLocks } from '../../system/locks/locks.ts';
import { stateKey } from '../../task/keys.ts';
import { createHints, type Hint, keepLooking } from '../hints.ts';

/** How often to ask, how often to look at who owns what, and how often to compare all records. */
const ASK_MS = 75;
const OWNERS_MS = 250;
const ALL_MS = 2000;
/** Comparing takes no more than this part of the time, however many records there are. */
const SHARE = 0.01;

interface Source {
  readonly db: DatabaseSync;
  readonly locks: Pick<LocalLocks, 'owned'>;
  readonly readTogether: <T>(run: () => T) => Promise<T>;
}

export async function* changesIn(source: Source, signal: AbortSignal): AsyncGenerator<Hint> {
  const hints = createHints(signal);
  const looking = openLooking(source);
  await looking.begin();
  hints.tell(null);
  void keepLooking(lookingWith(looking, hints.tell), ASK_MS, hints, signal);
  yield* hints.taken();
}

function lookingWith(looking: Looking, tell: (hint: Hint) => void): () => Promise<number> {
  let ownersDue = 0;
  let allDue = performance.now() + ALL_MS;
  return async () => {
    const now = performance.now();
    for (const hint of await looking.atNew()) tell(hint);
    if (now >= ownersDue) {
      ownersDue = now + OWNERS_MS;
      for (const hint of looking.atOwners()) tell(hint);
    }
    if (now < allDue) return ASK_MS;
    for (const hint of await looking.atAll()) tell(hint);
    allDue = now + Math.max(ALL_MS, (performance.now() - now) / SHARE);
    return ASK_MS;
  };
}

interface Looking {
  begin(): Promise<void>;
  /** Journals that grew, and states of tasks that are worked on; null if something else was committed. */
  atNew(): Promise<Hint[]>;
  /** Tasks that were claimed or released. */
  atOwners(): Hint[];
  /** Tasks of which any record changed. */
  atAll(): Promise<Hint[]>;
}

function openLooking({ db, locks, readTogether }: Source): Looking {
  const version = db.prepare('PRAGMA data_version');
  const lastRow = db.prepare('SELECT coalesce(max(id), 0) AS id FROM journal');
  const grown = db.prepare(
    'SELECT DISTINCT task FROM journal JOIN heads ON heads.id = head WHERE journal.id > ?',
  );
  const revision = db.prepare("SELECT revision FROM persistence WHERE category = 'tasks' AND key = ?");
  const sums = db.prepare(
    "SELECT task, count(*) || ' ' || sum(revision) AS sum FROM persistence WHERE category = 'tasks' GROUP BY task",
  );
  let seen: unknown;
  let compared: unknown;
  let row = 0;
  let owned: readonly string[] = [];
  let records = new Map<string, string>();
  const states = new Map<string, unknown>();

  const versionNow = (): unknown => version.get()?.data_version;
  const rowNow = (): number => (lastRow.get() as { id: number }).id;
  const sumsNow = () =>
    new Map((sums.all() as { task: string; sum: string }[]).map(({ task, sum }) => [task, sum]));

  return {
    async begin() {
      [seen, compared] = [versionNow(), versionNow()];
      owned = locks.owned() ?? [];
      await readTogether(() => {
        row = rowNow();
        records = sumsNow();
        for (const task of owned) states.set(task, revision.get(stateKey(task))?.revision);
      });
    },
    async atNew() {
      const now = versionNow();
      if (now === seen) return [];
      seen = now;
      return readTogether(() => {
        const found = new Set((grown.all(row) as { task: string }[]).map(({ task }) => task));
        row = Math.max(row, rowNow());
        for (const task of owned) {
          const stored = revision.get(stateKey(task))?.revision;
          if (states.get(task) !== stored) found.add(task);
          states.set(task, stored);
        }
        return found.size > 0 ? [...found] : [null];
      });
    },
    atOwners() {
      const now = locks.owned();
      if (!now) return [];
      const changed = [...now, ...owned].filter((task) => !now.includes(task) || !owned.includes(task));
      for (const task of owned) if (!now.includes(task)) states.delete(task);
      owned = now;
      return changed;
    },
    async atAll() {
      if (compared === seen) return [];
      compared = seen;
      const now = await readTogether(sumsNow);
      const changed = [...new Set([...now.keys(), ...records.keys()])].filter(
        (task) => now.get(task) !== records.get(task),
      );
      records = now;
      return changed;
    },
  };
}
