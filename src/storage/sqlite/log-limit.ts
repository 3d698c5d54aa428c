/** How long the write-ahead log gets before it is brought into the database: a part of that, next to which it stays on disk. */
import type { DatabaseSync } from 'node:sqlite';

/** A longer one is brought in less often, which costs two syncs each time. */
const PART = 16;
/** In pages. */
const SHORTEST = 100;
const LONGEST = 1000;

/** Returns a function that sets the limit, to be called as the database grows. */
export function openLogLimit(db: DatabaseSync): () => void {
  const count = db.prepare('PRAGMA page_count');
  let set = 0;
  return () => {
    const { page_count: pages } = count.get() as { page_count: number };
    const limit = Math.min(Math.max(SHORTEST, Math.floor(pages / PART)), LONGEST);
    if (limit === set) return;
    set = limit;
    db.exec(`PRAGMA wal_autocheckpoint = ${limit}`);
  };
}
