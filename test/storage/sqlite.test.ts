/** What only SQLite has: its file, its schema, its transactions, and how it refuses what is not its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openSqliteStorage, type SqliteOptions } from '../../src/storage/sqlite/open.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/storage/sqlite/schema.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const freshPath = () => join(tempDir(), 'persistence.db');

async function withStore<T>(options: SqliteOptions, run: (store: Storage) => Promise<T>): Promise<T> {
  const store = await openSqliteStorage(options);
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

function inDatabase<T>(path: string, run: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    return run(db);
  } finally {
    db.close();
  }
}

const rows = (path: string, sql: string) => inDatabase(path, (db) => db.prepare(sql).all());

/** Transactions in the write-ahead log: the last frame of each says how large the database is after it. */
function transactionsInLog(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) !== 0) count += 1;
  return count;
}

describe('the file', () => {
  it('is created with its directories, for its owner alone', async () => {
    const path = join(tempDir(), 'new/deeper/store.db');
    await withStore({ path }, (store) => store.save('config', 'a', 1));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it('keeps the locks beside it, or where it is told', async () => {
    const root = join(tempDir(), '.vibe-engine');
    await withStore({ path: join(root, 'persistence.db') }, (store) => store.claim('t1'));
    expect(readdirSync(root)).toContain('locks');

    const path = freshPath();
    await withStore({ path }, (store) => store.claim('t1'));
    expect(readdirSync(dirname(path))).toContain('persistence.db-locks');

    const locks_dir = join(tempDir(), 'elsewhere');
    await withStore({ path: freshPath(), locks_dir }, (store) => store.claim('t1'));
    expect(readdirSync(locks_dir)).toContain('owners.db');
  });

  it('has no log left after a clean close', async () => {
    const path = freshPath();
    await withStore({ path }, (store) => store.save('config', 'a', 1));
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });

  it('is marked as ours, with the version of its schema', async () => {
    const path = freshPath();
    await withStore({ path }, (store) => store.save('config', 'a', 1));
    expect(rows(path, 'PRAGMA application_id')).toEqual([{ application_id: APPLICATION_ID }]);
    expect(rows(path, 'PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.length }]);
    expect(rows(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });
});

describe('the table persistence', () => {
  it('has a row per record, readable by any tool', async () => {
    const path = freshPath();
    await withStore({ path }, async (store) => {
      await store.save('config', 'a', { n: 1 });
      await store.save('tasks', 't1/state', 'x');
    });
    expect(rows(path, 'SELECT id, category, key, data, revision, task FROM persistence ORDER BY id')).toEqual(
      [
        { id: 1, category: 'config', key: 'a', data: '{"n":1}', revision: 1, task: null },
        { id: 2, category: 'tasks', key: 't1/state', data: '"x"', revision: 1, task: 't1' },
      ],
    );
  });

  it('updates in place: save answers the id of the row, and keeps it', async () => {
    const path = freshPath();
    await withStore({ path }, async (store) => {
      const first = await store.save('config', 'a', 1);
      await store.save('config', 'b', 1);
      expect(await store.save('config', 'a', 2)).toBe(first);
      expect(rows(path, `SELECT data FROM persistence WHERE id = ${first}`)).toEqual([{ data: '2' }]);
    });
    expect(rows(path, 'SELECT count(*) AS n FROM persistence')).toEqual([{ n: 2 }]);
  });
});

describe('transactions', () => {
  it('are shared by commits made at once, refused ones among them', async () => {
    const path = freshPath();
    await withStore({ path }, async (store) => {
      await store.save('config', 'taken', 1);
      const before = transactionsInLog(path);
      const stale = { category: 'config', key: 'taken', data: 2, expect: 0 };
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 50 }, (_, i) => store.save('config', `k${i}`, i)),
        store.commit({ task: null, records: [stale] }),
      ]);
      expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toHaveLength(1);
      expect(transactionsInLog(path) - before).toBeLessThanOrEqual(2);
    });
  });

  it('do not wait for another when there is none: one each', async () => {
    const path = freshPath();
    await withStore({ path }, async (store) => {
      const before = transactionsInLog(path);
      for (let i = 0; i < 5; i++) await store.save('config', 'a', i);
      expect(transactionsInLog(path) - before).toBe(5);
    });
  });

  it('leave room for timers, however fast a task commits', async () => {
    await withStore({ path: freshPath() }, async (store) => {
      let fired = false;
      setTimeout(() => {
        fired = true;
      }, 1);
      for (let i = 0; i < 100_000 && !fired; i++) await store.save('config', 'a', i);
      expect(fired).toBe(true);
    });
  });

  it('of another program are waited for, then given up', async () => {
    const path = freshPath();
    await withStore({ path, busy_timeout_ms: 60 }, async (store) => {
      await inDatabaseLocked(path, async () => {
        await expect(store.save('config', 'a', 1)).rejects.toMatchObject({ code: 'STORE_BUSY' });
        expect(await store.load('config', 'a')).toBeNull();
      });
      await store.save('config', 'a', 2);
      expect(await store.load('config', 'a')).toBe(2);
    });
  });

  it('of another program that ends in time do no harm', async () => {
    const path = freshPath();
    await withStore({ path, busy_timeout_ms: 60_000 }, async (store) => {
      let saving: Promise<unknown> = Promise.resolve();
      await inDatabaseLocked(path, async () => {
        saving = Promise.all([store.save('config', 'a', 1), store.save('config', 'b', 1)]);
        await new Promise((resolve) => setTimeout(resolve, 40));
      });
      await saving;
      expect(await store.list('config')).toEqual(['a', 'b']);
    });
  });
});

async function inDatabaseLocked(path: string, run: () => Promise<void>): Promise<void> {
  const db = new DatabaseSync(path);
  db.exec('BEGIN IMMEDIATE');
  try {
    await run();
  } finally {
    db.exec('ROLLBACK');
    db.close();
  }
}

describe('what is not ours', () => {
  async function expectRefused(path: string, code: string): Promise<void> {
    const before = statSync(path).isDirectory() ? null : readFileSync(path);
    await expect(openSqliteStorage({ path })).rejects.toMatchObject({ code, hint: expect.any(String) });
    if (before) expect(readFileSync(path).equals(before)).toBe(true);
  }

  it('a file that is no database is refused and left alone', async () => {
    for (const content of ['hello', 'x'.repeat(10_000), 'SQLite format 3\0 but not really']) {
      const path = freshPath();
      writeFileSync(path, content);
      await expectRefused(path, 'STORE_FOREIGN');
    }
  });

  it('a database of another program is refused and left alone', async () => {
    const path = freshPath();
    inDatabase(path, (db) => db.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)'));
    await expectRefused(path, 'STORE_FOREIGN');
    expect(rows(path, 'SELECT x FROM theirs')).toEqual([{ x: 1 }]);
  });

  it('a database marked by another program is refused even when it is empty', async () => {
    const path = freshPath();
    inDatabase(path, (db) => db.exec('PRAGMA application_id = 42'));
    await expectRefused(path, 'STORE_FOREIGN');
  });

  it('a directory is refused', async () => {
    const path = freshPath();
    mkdirSync(path);
    await expectRefused(path, 'STORE_FOREIGN');
  });

  it('a store of a newer version is refused and left alone', async () => {
    const path = freshPath();
    await withStore({ path }, (store) => store.save('config', 'a', 1));
    inDatabase(path, (db) => db.exec('PRAGMA user_version = 99'));
    await expectRefused(path, 'STORE_NEWER');
    const supported = MIGRATIONS.length;
    await expect(openSqliteStorage({ path })).rejects.toMatchObject({ data: { version: 99, supported } });
  });

  it('an empty file is a store not yet begun', async () => {
    const path = freshPath();
    writeFileSync(path, '');
    await withStore({ path }, async (store) => {
      await store.save('config', 'a', 1);
      expect(await store.load('config', 'a')).toBe(1);
    });
  });
});

describe('opening at once', () => {
  it('makes one store of it, however many begin', async () => {
    const path = freshPath();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStorage({ path })));
    await Promise.all(stores.map((store, i) => store.save('config', `k${i}`, i)));
    expect(await stores[0]!.list('config')).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
    await Promise.all(stores.map((store) => store.close()));
    expect(rows(path, 'SELECT * FROM openers')).toEqual([]);
  });
});

describe('a close that did not happen', () => {
  const script = `
    const { openSqliteStorage } = await import(${JSON.stringify(new URL('../../src/storage/sqlite/open.ts', import.meta.url).href)});
    const store = await openSqliteStorage({ path: process.argv[1] });
    for (let n = 0; n < 20; n++) await store.save('config', 'k' + n, 'x'.repeat(3000));
    process.kill(process.pid, 'SIGKILL');
  `;
  const leaveOpen = (path: string) => {
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, path]);
    expect(signal).toBe('SIGKILL');
  };

  it('is noticed, the file checked, and everything is there', async () => {
    const path = freshPath();
    leaveOpen(path);
    await withStore({ path }, async (store) => {
      expect(await store.list('config')).toHaveLength(20);
      expect(rows(path, 'SELECT count(*) AS n FROM openers')).toEqual([{ n: 1 }]);
    });
    expect(rows(path, 'SELECT * FROM openers')).toEqual([]);
  });

  it('and damage since are refused, unless asked for what can be read', async () => {
    const path = freshPath();
    leaveOpen(path);
    inDatabase(path, (db) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    overwritePageOf(path, 'cuts');
    await expect(openSqliteStorage({ path })).rejects.toMatchObject({ code: 'CORRUPT' });
    await withStore({ path, when_damaged: 'read' }, async (store) => {
      expect(await store.load('config', 'k7')).toBe('x'.repeat(3000));
      await expect(store.save('config', 'k7', 1)).rejects.toMatchObject({ code: 'CORRUPT' });
    });
    await expect(openSqliteStorage({ path })).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  it('is not suspected of a store that others have open', async () => {
    const path = freshPath();
    await withStore({ path }, async (first) => {
      overwritePageOf(path, 'cuts');
      await withStore({ path }, (second) => second.save('config', 'a', 1));
      expect(await first.load('config', 'a')).toBe(1);
    });
  });

  /** Fills the root page of a table with what no page has, past SQLite and its locks. */
  function overwritePageOf(path: string, table: string): void {
    const [{ root, size }] = inDatabase(path, (db) => {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return db
        .prepare(
          'SELECT rootpage AS root, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_schema WHERE name = ?',
        )
        .all(table) as [{ root: number; size: number }];
    });
    const script =
      'const fs = require("node:fs"); const [path, at, size] = process.argv.slice(1); const fd = fs.openSync(path, "r+"); fs.writeSync(fd, Buffer.alloc(Number(size), 0xaa), 0, Number(size), Number(at));';
    // In a process of its own: closing a descriptor of the file would drop this one's locks on it.
    spawnSync(process.execPath, ['--eval', script, path, `${(root - 1) * size}`, `${size}`]);
  }
});
