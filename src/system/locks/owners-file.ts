/** `owners.db` of a lock directory: opened, and created again if it is damaged and nothing is owned. */
import { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { removeIfExists } from '../files.ts';
import * as io from '../io.ts';
import { besideDatabase } from '../own-files.ts';
import { instancesIn, isAlive, makePrivate } from './instances.ts';
import { faultOf } from './sqlite-faults.ts';

export const BUSY_LIMIT_MS = 20_000;
/** For processes that cannot see our turns, such as those in another container: theirs are as short. */
const FOREIGN_WAIT_MS = 20;

/** Only in turn: no other process opens it at the same time. */
export function openOwners(path: string, instances: string): DatabaseSync {
  try {
    return openFile(path);
  } catch (error) {
    const isDamaged = faultOf(path, error) instanceof CorruptError;
    if (!isDamaged || instancesIn(instances).some((one) => isAlive(instances, one))) throw error;
    for (const file of [path, ...besideDatabase(path)]) removeIfExists(file);
    return openFile(path);
  }
}

function openFile(path: string): DatabaseSync {
  if (!io.lstat(path)) makePrivate(path);
  const db = new DatabaseSync(path, { timeout: BUSY_LIMIT_MS });
  try {
    // A claim lost in a power failure does not matter: its process is gone, too. Counting the rows detects damage in any
    // page.
    db.exec(`PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS owners (name TEXT PRIMARY KEY, fence INTEGER NOT NULL, instance TEXT,
        holder TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID;
      SELECT count(*) FROM owners;
      PRAGMA busy_timeout = ${FOREIGN_WAIT_MS};`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** While a process is alive that may own something, a person has to decide. */
export function lockFault(path: string, error: unknown): unknown {
  const fault = faultOf(path, error);
  if (!(fault instanceof CorruptError) || error instanceof CorruptError) return fault;
  return new CorruptError(phrase`The locks of the store are damaged: ${path}.`, {
    data: { path },
    cause: error,
    hint: phrase`End every process that uses the store, then remove this file and those next to it: they hold no data.`,
  });
}
