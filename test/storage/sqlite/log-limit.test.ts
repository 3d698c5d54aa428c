/** The write-ahead log may get longer as the database grows, and never as long as it likes. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openLogLimit } from '../../../src/storage/sqlite/log-limit.ts';

const KB = 1024;

interface Database {
  /** Adds so much to it; returns how long the log may get. */
  grow(bytes: number, tasks?: number): number;
}

function open(page: number): Database {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  db.exec(`PRAGMA page_size = ${page}; CREATE TABLE filler (bytes BLOB)`);
  const fill = db.prepare('INSERT INTO filler VALUES (zeroblob(?))');
  const limit = openLogLimit(db);
  return {
    grow(bytes, tasks) {
      fill.run(bytes);
      limit(tasks);
      const set = db.prepare('PRAGMA wal_autocheckpoint').get() as { wal_autocheckpoint: number };
      return set.wal_autocheckpoint * page;
    },
  };
}

test.each([4096, 8192])(
  'a small log for a small database, a part of a large one, up to a limit: pages of %i',
  (page) => {
    const { grow } = open(page);
    expect(grow(1)).toBe(400 * KB);
    expect(grow(6000 * KB)).toBe(400 * KB);
    const middle = grow(18_000 * KB);
    expect(middle).toBeGreaterThanOrEqual(740 * KB);
    expect(middle).toBeLessThan(770 * KB);
    expect(grow(120_000 * KB)).toBe(4000 * KB);
  },
);

test('several tasks that write at the same time may have more, up to the same limit', () => {
  const { grow } = open(8192);
  expect(grow(1, 4)).toBe(1600 * KB);
  expect(grow(1, 1)).toBe(400 * KB);
  expect(grow(1, 16)).toBe(4000 * KB);
});
