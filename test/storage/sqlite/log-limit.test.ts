/** The write-ahead log may get longer as the database grows, and never as long as it likes. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openLogLimit } from '../../../src/storage/sqlite/log-limit.ts';

const PAGE = 512;

function open(): { pages(count: number): number } {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  db.exec(`PRAGMA page_size = ${PAGE}; CREATE TABLE filler (bytes BLOB)`);
  const fill = db.prepare('INSERT INTO filler VALUES (zeroblob(?))');
  const limit = openLogLimit(db);
  return {
    pages(count) {
      fill.run(count * PAGE);
      limit();
      return (db.prepare('PRAGMA wal_autocheckpoint').get() as { wal_autocheckpoint: number })
        .wal_autocheckpoint;
    },
  };
}

test('the log of a small database stays short, that of a large one is a part of it, up to a limit', () => {
  const { pages } = open();
  expect(pages(1)).toBe(100);
  expect(pages(1500)).toBe(100);
  const middle = pages(4900);
  expect(middle).toBeGreaterThanOrEqual(400);
  expect(middle).toBeLessThan(420);
  expect(pages(40_000)).toBe(1000);
});
