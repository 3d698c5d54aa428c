/**
 * A lock among the processes that share a directory, for short pieces of work that do not wait. It is a lock on a file
 * outside every project: a lock on a file of the project is lost as soon as anything in the process, a step that copies the
 * project for one, opens that file and closes it.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as io from '../io.ts';
import { userDir } from '../user/user-dir.ts';
import { isBusy } from './sqlite-faults.ts';

export interface Turn {
  /** False while another process has it. It can be entered again by the process that has it. */
  enter(): boolean;
  /** As often as it was entered. */
  leave(): void;
  close(): void;
}

/**
 * Shared by all processes of this user on this machine that use the directory; locks nothing where there is no safe place
 * for it.
 */
export function openTurn(dir: string): Turn {
  const db = openLock(dir);
  const begin = db?.prepare('BEGIN IMMEDIATE');
  const end = db?.prepare('ROLLBACK');
  let depth = 0;
  return {
    enter() {
      if (depth === 0) {
        try {
          begin?.run();
        } catch (error) {
          if (isBusy(error)) return false;
          throw error;
        }
      }
      depth += 1;
      return true;
    },
    leave() {
      depth -= 1;
      if (depth === 0) end?.run();
    },
    close: () => db?.close(),
  };
}

function openLock(dir: string): DatabaseSync | null {
  const place = userDir('turns');
  const found = place && io.lstat(dir);
  if (!found) return null;
  const path = join(place, `${found.dev.toString(36)}-${found.ino.toString(36)}.lock`);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    const { n } = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number };
    // The table spares SQLite the work that an empty file costs at every lock, and the write-ahead log, which stays empty, half
    // of the system calls.
    if (n === 0)
      db.exec(
        'PRAGMA page_size = 512; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS turn (x); PRAGMA journal_mode = WAL',
      );
  } catch (error) {
    // Another process makes it, or has it, at this moment: it works as a lock anyway.
    if (!isBusy(error)) {
      db.close();
      return null;
    }
  }
  return db;
}
