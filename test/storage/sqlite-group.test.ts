/** Group commit on a bare database: refusals, faults and full disks strike only whom they concern. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { StaleWriteError } from '../../src/errors.ts';
import { groupWrites, type Writer } from '../../src/storage/sqlite/group.ts';
import { openMemory } from '../../src/storage/sqlite/memory.ts';
import { faultOf, isFailedSync } from '../../src/system/locks/sqlite-faults.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** No other process, and files that stay. */
const ALONE = { turn: { enter: () => true, leave: () => {} }, assertThere: () => {} };

function openGroup(): { db: DatabaseSync; writer: Writer; insert: (text: string) => Promise<unknown> } {
  const path = join(tempDir(), 'group.db');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x TEXT UNIQUE)');
  const writer = groupWrites(db, path, 1000, openMemory(db), ALONE);
  const statement = db.prepare('INSERT INTO t (x) VALUES (?)');
  return { db, writer, insert: (text) => writer.write(() => statement.run(text).changes) };
}

const contents = (db: DatabaseSync) =>
  db
    .prepare('SELECT x FROM t ORDER BY x')
    .all()
    .map((row) => row.x);

describe('a group of writes', () => {
  it('answers each with its own result', async () => {
    const { db, writer, insert } = openGroup();
    expect(await Promise.all([insert('a'), insert('b'), writer.write(() => 'read')])).toEqual([1, 1, 'read']);
    expect(contents(db)).toEqual(['a', 'b']);
  });

  it('lets a refusal strike one alone', async () => {
    const { db, writer, insert } = openGroup();
    const refusal = new StaleWriteError('Stale.', { hint: 'Read again.' });
    const outcomes = await Promise.allSettled([insert('a'), writer.write(() => refusal), insert('b')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: refusal });
    expect(contents(db)).toEqual(['a', 'b']);
  });

  it('refuses those that wait when the database is closed', async () => {
    const path = join(tempDir(), 'group.db');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x TEXT UNIQUE)');
    const turn = {
      // As with the real one, whose file is closed as well.
      enter: () => {
        if (!db.isOpen) throw new Error('statement has been finalized');
        return true;
      },
      leave: () => {},
    };
    const writer = groupWrites(db, path, 1000, openMemory(db), { ...ALONE, turn });
    const waiting = [1, 2].map((n) => writer.write(() => n));
    db.close();
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'STORE_CLOSED' } },
      { status: 'rejected', reason: { code: 'STORE_CLOSED' } },
    ]);
  });

  it('lets a fault strike one alone, and leaves nothing of it', async () => {
    const { db, writer, insert } = openGroup();
    const half = writer.write(() => {
      db.exec("INSERT INTO t (x) VALUES ('half')");
      db.exec("INSERT INTO t (x) VALUES ('half')");
    });
    const outcomes = await Promise.allSettled([insert('a'), half, insert('b')]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'CORRUPT' } });
    expect(contents(db)).toEqual(['a', 'b']);
  });

  it('passes on an error that is no fault of the file', async () => {
    const { db, writer, insert } = openGroup();
    const bug = new TypeError('a bug');
    const outcomes = await Promise.allSettled([
      writer.write(() => {
        throw bug;
      }),
      insert('a'),
    ]);
    expect(outcomes[0]).toMatchObject({ reason: bug });
    expect(contents(db)).toEqual(['a']);
  });

  it('says DISK_FULL to those that find no room, and goes on when there is some', async () => {
    const { db, insert } = openGroup();
    await insert('before');
    db.exec('PRAGMA max_page_count = 8');
    const outcomes = await Promise.allSettled([insert('x'.repeat(100_000)), insert('small')]);
    expect(outcomes).toMatchObject([{ reason: { code: 'DISK_FULL' } }, { status: 'fulfilled' }]);
    db.exec('PRAGMA max_page_count = 10000');
    await insert('y'.repeat(100_000));
    expect(contents(db)).toEqual(['before', 'small', 'y'.repeat(100_000)]);
  });

  it('refuses everything once told to', async () => {
    const { db, writer, insert } = openGroup();
    const refusal = new StaleWriteError('No more.', { hint: 'Open again.' });
    writer.refuse(refusal);
    await expect(insert('a')).rejects.toBe(refusal);
    expect(contents(db)).toEqual([]);
  });

  it('is idle when all is answered', async () => {
    const { db, writer, insert } = openGroup();
    await writer.idle();
    const inserting = insert('a');
    await writer.idle();
    expect(contents(db)).toEqual(['a']);
    await inserting;
  });
});

describe('codes of SQLite', () => {
  const thrown = (errcode: number) =>
    Object.assign(new Error('from SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
  const meaning: Record<number, string> = {
    5: 'STORE_BUSY',
    261: 'STORE_BUSY', // SQLITE_BUSY_RECOVERY
    517: 'STORE_BUSY', // SQLITE_BUSY_SNAPSHOT
    8: 'NO_PERMISSION',
    14: 'NO_PERMISSION',
    10: 'IO_FAILED',
    266: 'IO_FAILED', // SQLITE_IOERR_READ
    778: 'IO_FAILED', // SQLITE_IOERR_WRITE
    1034: 'IO_FAILED', // SQLITE_IOERR_FSYNC
    11: 'CORRUPT',
    26: 'CORRUPT',
    13: 'DISK_FULL',
  };
  for (const [code, expected] of Object.entries(meaning)) {
    it(`${code} means ${expected}`, () => {
      const cause = thrown(Number(code));
      expect(faultOf('/store.db', cause)).toMatchObject({ code: expected, cause, hint: expect.any(String) });
    });
  }

  it('a failed sync is told from a failed write', () => {
    expect(isFailedSync(thrown(1034))).toBe(true);
    expect(isFailedSync(thrown(1290))).toBe(true);
    expect(isFailedSync(thrown(778))).toBe(false);
  });
});
