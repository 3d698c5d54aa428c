/**
 * Which users of a lock directory are alive. Each holds an exclusive SQLite transaction on a file of its own for as long as
 * it lives. The kernel drops that lock when the process dies, but also when anything in the process opens the file and
 * closes it again; so a process that lost the lock counts as dead only if it is.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CorruptError } from '../../errors.ts';
import { removeIfExists } from '../files.ts';
import { newId } from '../ids.ts';
import * as io from '../io.ts';
import { PROCESS_MARK, processLives } from '../process/alive.ts';
import { faultOf, isBusy } from './sqlite-faults.ts';

/** A new name, which contains the mark of this process. */
export function newInstance(): string {
  return `${newId('i')}~${PROCESS_MARK}`;
}

/** Makes the file of an instance and locks it; the table spares SQLite the work an empty file costs at every lock. */
export function lockInstance(dir: string, instance: string): DatabaseSync {
  const path = fileOf(dir, instance);
  makePrivate(path);
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA page_size = 512; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; CREATE TABLE held (x)',
  );
  db.exec('BEGIN EXCLUSIVE');
  return db;
}

export function isAlive(dir: string, instance: string): boolean {
  if (isLocked(fileOf(dir, instance))) return true;
  const mark = instance.split('~')[1] ?? '';
  // Within one process SQLite itself knows its locks, even if the kernel has dropped them.
  return mark !== PROCESS_MARK && processLives(mark) === true;
}

export function removeInstance(dir: string, instance: string): void {
  removeIfExists(fileOf(dir, instance));
  removeIfExists(`${fileOf(dir, instance)}-journal`);
}

/** The instances that have a file; incomplete leftovers are removed. */
export function instancesIn(dir: string): string[] {
  const names = io.readNames(dir);
  for (const name of names) if (name.includes(BEING_MADE)) removeIfExists(join(dir, name));
  return names.filter((name) => name.endsWith(END)).map((name) => name.slice(0, -END.length));
}

/**
 * SQLite would make it with the mode of the umask. It gets its name only when no descriptor of it is open any more; on a
 * file system without hard links, SQLite creates it after all.
 */
export function makePrivate(path: string): void {
  const temporary = `${path}${BEING_MADE}${newId('n')}`;
  try {
    io.close(io.open(temporary, 'wx', 0o600));
    io.link(temporary, path);
  } catch (error) {
    if (!LEFT_TO_SQLITE.has(io.errnoOf(error) ?? '')) throw error;
  }
  io.unlessRefused(() => removeIfExists(temporary), false); // The next look at the instances removes it.
}

/** It is there already, there are no hard links, or nothing can be written: then SQLite says why. */
const LEFT_TO_SQLITE: ReadonlySet<string> = new Set([
  ...['EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'],
  ...['EACCES', 'EROFS'],
]);

const BEING_MADE = '.new-';
const END = '.lock';

function fileOf(dir: string, instance: string): string {
  return join(dir, `${instance}${END}`);
}

/** Whether some process holds the file; reading takes a shared lock only, so that checks do not see each other. */
function isLocked(path: string): boolean {
  if (!io.lstat(path)) return false;
  const db = new DatabaseSync(path);
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    const fault = faultOf(path, error);
    if (fault instanceof CorruptError) return false; // It is not held, or its lock would have come first.
    throw fault;
  } finally {
    db.close();
  }
}
