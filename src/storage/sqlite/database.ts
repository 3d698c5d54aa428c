/** Opens the database file: created durably, recognised, migrated, and set so that a commit is on the disk. */

import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { fileSystemOf } from '../../system/disk.ts';
import { ensureDir, syncDir } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { busy, faultOf, isBusy, isNoDatabase } from '../../system/locks/sqlite-faults.ts';
import { besideDatabase, refuseLinks } from '../../system/own-files.ts';
import { platform } from '../../system/platform.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** How long SQLite itself blocks the thread for a lock; beyond that we wait without blocking. */
const BLOCKING_WAIT_MS = 10;

export async function openDatabase(
  path: string,
  patience_ms: number,
  allowNetwork: boolean,
): Promise<DatabaseSync> {
  ensureDir(dirname(path));
  refuseLinks(besideDatabase(path));
  if (!allowNetwork) refuseNetwork(path);
  const found = io.lstat(path);
  if (found?.isDirectory()) throw foreign(path, 'a directory');
  if (!found) createFile(path);
  return patiently(path, patience_ms, () => {
    const db = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS });
    try {
      recognise(db, path);
      migrate(db, path);
      configure(db, path);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/**
 * The last connection to close removes the write-ahead log. SQLite decides that by locks that a process can lose, and would
 * then remove it while others still use it; so while there are others, a second, read-only connection keeps it in place.
 */
export function closeDatabase(db: DatabaseSync, path: string, others: boolean): void {
  const keeper = others ? openReader(path) : null;
  try {
    db.close();
  } finally {
    keeper?.close();
  }
}

function openReader(path: string): DatabaseSync | null {
  const reader = new DatabaseSync(path, { readOnly: true, timeout: BLOCKING_WAIT_MS });
  try {
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
    return reader;
  } catch {
    reader.close();
    return null; // A database that cannot be read cannot be checkpointed either.
  }
}

/** Runs a synchronous piece of work, and retries while other processes keep the file locked. */
export async function patiently<T>(path: string, patience_ms: number, run: () => T): Promise<T> {
  const deadline = performance.now() + patience_ms;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error)) throw faultOf(path, error);
      if (performance.now() > deadline) throw busy(path, error);
    }
    await sleep(1 + Math.random() * 4);
  }
}

/** SQLite would create it too, but with the mode of the umask and without a sync of the new name. */
function createFile(path: string): void {
  try {
    io.close(io.open(path, 'wx', 0o600));
  } catch (error) {
    if (io.errnoOf(error) !== 'EEXIST') throw error;
  }
  syncDir(dirname(path));
}

/**
 * Refuses what is not a store of this version or an older one, before anything is written to it. One transaction: another
 * process may be creating the store.
 */
function recognise(db: DatabaseSync, path: string): void {
  const own = !db.isTransaction;
  if (own) db.exec('BEGIN');
  try {
    judge(db, path);
  } finally {
    if (own && db.isTransaction) db.exec('ROLLBACK');
  }
}

function judge(db: DatabaseSync, path: string): void {
  let id: number;
  try {
    id = pragma(db, 'application_id');
  } catch (error) {
    if (isNoDatabase(error)) throw foreign(path, phrase`not a SQLite database`, error);
    throw error;
  }
  if (id === APPLICATION_ID) {
    const version = pragma(db, 'user_version');
    if (version > MIGRATIONS.length) throw newer(path, version);
    return;
  }
  const { n } = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number };
  if (id !== 0 || pragma(db, 'user_version') !== 0 || n !== 0)
    throw foreign(path, phrase`another program's database`);
}

function migrate(db: DatabaseSync, path: string): void {
  if (pragma(db, 'user_version') === MIGRATIONS.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    recognise(db, path); // Another process may have migrated it while we waited for the lock.
    const version = pragma(db, 'user_version');
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function configure(db: DatabaseSync, path: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  if (mode.journal_mode !== 'wal') {
    throw new StoreError('STORE_UNSAFE', phrase`The file system of ${path} cannot hold a write-ahead log.`, {
      data: { path, journal_mode: mode.journal_mode },
      hint: phrase`Network file systems cannot. Put the store on a local disk, or use PostgreSQL to share it.`,
    });
  }
  // NORMAL would lose acknowledged commits in a power failure; macOS needs more than fsync to reach the disk.
  db.exec('PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF');
  if (platform.name === 'darwin') db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return (db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name]!;
}

function refuseNetwork(path: string): void {
  const { network, name } = fileSystemOf(dirname(path));
  if (!network) return;
  throw new StoreError(
    'STORE_UNSAFE',
    phrase`${path} is on a network file system (${name}), where locks and syncs may not hold.`,
    {
      data: { path, file_system: name },
      hint: phrase`Use a local path (the setting persistence.path), or PostgreSQL for several machines.`,
    },
  );
}

function foreign(path: string, what: string, cause?: unknown): StoreError {
  return new StoreError('STORE_FOREIGN', phrase`${path} is ${what}, not a store of Vibe Engine.`, {
    data: { path },
    hint: phrase`It was left as it is. Move it away or set another path for the store.`,
    ...(cause === undefined ? {} : { cause }),
  });
}

function newer(path: string, version: number): StoreError {
  return new StoreError(
    'STORE_NEWER',
    phrase`${path} has version ${version}; this program knows ${MIGRATIONS.length}.`,
    {
      data: { path, version, supported: MIGRATIONS.length },
      hint: phrase`It was written by a newer Vibe Engine: update this one. Nothing was changed.`,
    },
  );
}
