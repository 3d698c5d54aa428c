/**
 * Whether a database was ever made here. SQLite takes an empty file for a new database, so one that was cut to nothing would
 * look like a store without tasks.
 */
import { join } from 'node:path';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { placeFileUnsynced, removeIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';

const NOTE = 'database-made';

/** Where the file is gone altogether, somebody has removed it: a new one begins. */
export function refuseEmptied(path: string, locksDir: string): void {
  const found = io.lstat(path);
  if (!found) removeIfExists(join(locksDir, NOTE));
  if (!found?.isFile() || found.size > 0 || !io.lstat(join(locksDir, NOTE))) return;
  throw new CorruptError(phrase`${path} is empty, but there was a store in it.`, {
    data: { path },
    hint: phrase`Restore it from a backup. To begin a new store, remove the file.`,
  });
}

/** Once the database has its tables. */
export function noteMade(locksDir: string): void {
  const path = join(locksDir, NOTE);
  if (!io.lstat(path)) placeFileUnsynced(path, Buffer.alloc(0));
}
