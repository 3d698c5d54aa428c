/** How long the write-ahead log gets before it is brought into the database: a part of that, next to which it stays on disk. */
import type { DatabaseSync } from 'node:sqlite';

/** A longer one is brought in less often, which costs two syncs each time. */
const PART = 32;
/** In bytes. Each of several tasks that write at the same time may have as much. */
const SHORTEST = 400 * 1024;
const LONGEST = 4000 * 1024;

/** Returns a function that sets the limit, to be called as the database grows, with the number of tasks that write. */
export function openLogLimit(db: DatabaseSync): (tasks?: number) => void {
  const select = db.prepare(
    'SELECT page_count * page_size AS length, page_size AS page FROM pragma_page_count, pragma_page_size',
  );
  let set = 0;
  return (tasks = 1) => {
    const { length, page } = select.get() as { length: number; page: number };
    const bytes = Math.min(Math.max(SHORTEST * tasks, length / PART), LONGEST);
    const limit = Math.floor(bytes / page);
    if (limit === set) return;
    set = limit;
    db.exec(`PRAGMA wal_autocheckpoint = ${limit}`);
  };
}
