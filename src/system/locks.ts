/**
 * Ownership between the processes of one machine, released by the kernel when a process dies.
 *
 * Each user of a lock directory holds an exclusive SQLite transaction on an instance file of its own for as long as it
 * lives; who owns what is a row in `owners.db` that names the instance. A row whose instance file can be locked belongs
 * to a dead process. No process ids, no time-outs, no stale-lock theft; a stopped (SIGSTOP) process keeps what it owns.
 *
 * Nothing else may ever open these files: closing any descriptor of a file drops the process's POSIX locks on it.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CorruptError, OwnershipError, StoreError } from '../errors.ts';
import { ensureDir, removeIfExists } from './files.ts';
import { newId } from './ids.ts';
import * as io from './io.ts';
import { besideDatabase, refuseLinks } from './own-files.ts';
import { faultOf, isBusy } from './sqlite-faults.ts';
import { takeTurn } from './turn.ts';

export interface Held {
  readonly fence: number;
  /** Says who, for people. */
  readonly holder: string;
  readonly since: string;
}

export interface LocalClaim {
  readonly fence: number;
  release(): Promise<void>;
}

export interface LocalLocks {
  /** Owns `name` until released or this process ends; the fence is larger than `floor` and every earlier one. */
  claim(name: string, floor: number): Promise<LocalClaim>;
  /** The live owner, or null. */
  owner(name: string): Held | null;
  /** Refuses with FENCED_OUT unless this object holds `name` under this fence. */
  assertHeld(name: string, fence: number): void;
  /** Runs a synchronous function while nobody owns or can claim `name`; TASK_OWNED when someone does. */
  exclusively<T>(name: string, run: () => T): Promise<T>;
  close(): Promise<void>;
}

const BUSY_LIMIT_MS = 20_000;

// A lock whose database handle is garbage-collected is released, so open ones are kept here.
const alive = new Set<DatabaseSync>();

export async function openLocks(dir: string): Promise<LocalLocks> {
  const instances = join(dir, 'instances');
  const path = join(dir, 'owners.db');
  refuseLinks([instances, path, ...besideDatabase(path)]);
  ensureDir(instances);
  const db = typed(path, () => openOwners(path));
  try {
    return await openWith(db, path, instances);
  } catch (error) {
    db.close();
    throw lockFault(path, error);
  }
}

async function openWith(db: DatabaseSync, path: string, instances: string): Promise<LocalLocks> {
  const instance = newId('i');
  const held = new Map<string, number>();
  const holder = `${hostname()} pid ${process.pid}`;
  const find = db.prepare('SELECT fence, instance, holder, since FROM owners WHERE name = ?');
  const put = db.prepare(
    `INSERT INTO owners (name, fence, instance, holder, since) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET fence = excluded.fence, instance = excluded.instance,
       holder = excluded.holder, since = excluded.since`,
  );
  const free = db.prepare('UPDATE owners SET instance = NULL WHERE name = ? AND instance = ?');
  const freeAll = db.prepare('UPDATE owners SET instance = NULL WHERE instance = ?');

  const liveOwner = (name: string): Row | undefined => {
    const row = find.get(name) as Row | undefined;
    if (!row?.instance) return undefined;
    return row.instance === instance || isAlive(join(instances, `${row.instance}.lock`)) ? row : undefined;
  };
  const inTurn = <T>(run: () => T): Promise<T> => whileImmediate(db, path, run);

  // The file is made, locked and swept only in turn: a sweep must not find it made but not yet locked.
  const own = await inTurn(() => {
    for (const entry of io.readdir(instances)) sweep(entry.name);
    return lockInstance(join(instances, `${instance}.lock`));
  });
  alive.add(db).add(own);
  let closed = false;

  function sweep(name: string): void {
    if (name.includes(BEING_MADE)) removeIfExists(join(instances, name));
    if (!name.endsWith('.lock') || isAlive(join(instances, name))) return;
    freeAll.run(name.slice(0, -'.lock'.length));
    removeIfExists(join(instances, name));
    removeIfExists(join(instances, `${name}-journal`));
  }

  return {
    async claim(name, floor) {
      const fence = await inTurn(() => {
        const owner = liveOwner(name);
        if (owner) throw owned(name, owner);
        const before = (find.get(name) as Row | undefined)?.fence ?? 0;
        const next = Math.max(before, floor) + 1;
        put.run(name, next, instance, holder, new Date().toISOString());
        return next;
      });
      held.set(name, fence);
      return {
        fence,
        release: async () => {
          if (held.get(name) !== fence || closed) return;
          held.delete(name);
          await inTurn(() => free.run(name, instance));
        },
      };
    },

    owner(name) {
      const row = typed(path, () => liveOwner(name));
      return row ? { fence: row.fence, holder: row.holder, since: row.since } : null;
    },

    assertHeld(name, fence) {
      if (held.get(name) === fence) return;
      throw new OwnershipError('FENCED_OUT', `Fence ${fence} no longer owns ${name}.`, {
        data: { task: name, fence, current: held.get(name) ?? null },
        hint: 'Another claim took over, or this one was released. Claim the task again and read its state anew.',
      });
    },

    exclusively: (name, run) =>
      inTurn(() => {
        const owner = liveOwner(name);
        if (owner) throw owned(name, owner);
        return run();
      }),

    async close() {
      if (closed) return;
      await inTurn(() => {
        freeAll.run(instance);
        own.close();
        removeIfExists(join(instances, `${instance}.lock`));
      });
      closed = true;
      held.clear();
      db.close();
      alive.delete(own);
      alive.delete(db);
    },
  };
}

interface Row {
  fence: number;
  instance: string | null;
  holder: string;
  since: string;
}

function openOwners(path: string): DatabaseSync {
  if (!io.lstat(path)) makePrivate(path);
  const db = new DatabaseSync(path, { timeout: BUSY_LIMIT_MS });
  // WAL with NORMAL never corrupts; a claim lost with the power does not matter, its process is gone too.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS owners (name TEXT PRIMARY KEY, fence INTEGER NOT NULL, instance TEXT,
      holder TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID;
    PRAGMA busy_timeout = 0;`);
  return db;
}

/**
 * SQLite would make it with the mode of the umask. It gets its name only when no descriptor of it is open any more; where a
 * file system has no links, SQLite makes it after all.
 */
function makePrivate(path: string): void {
  const temporary = `${path}${BEING_MADE}${newId('n')}`;
  try {
    io.close(io.open(temporary, 'wx', 0o600));
    io.link(temporary, path);
  } catch {}
  try {
    removeIfExists(temporary);
  } catch {}
}

const BEING_MADE = '.new-';

/** Makes the instance file and locks it; the table spares SQLite the work an empty file costs at every lock. */
function lockInstance(path: string): DatabaseSync {
  makePrivate(path);
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA page_size = 512; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; CREATE TABLE held (x)',
  );
  db.exec('BEGIN EXCLUSIVE');
  return db;
}

/** Whether some process holds the instance file; reading takes a shared lock only, so askers do not see each other. */
function isAlive(path: string): boolean {
  if (!io.lstat(path)) return false;
  const db = new DatabaseSync(path);
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    const fault = faultOf(path, error);
    if (fault instanceof CorruptError) return false; // Nobody holds it, or its lock would have come first.
    throw fault;
  } finally {
    db.close();
  }
}

async function whileImmediate<T>(db: DatabaseSync, path: string, run: () => T): Promise<T> {
  await takeTurn();
  const deadline = performance.now() + BUSY_LIMIT_MS;
  for (let wait = 1; !begin(db, path); wait = Math.min(wait * 2, 8)) {
    if (performance.now() > deadline) {
      throw new StoreError('STORE_BUSY', 'The store stayed busy: another process holds its lock.', {
        data: { waited_ms: BUSY_LIMIT_MS },
        hint: 'A process that is stopped or hangs may hold it. Let it go on or end it, then try again.',
      });
    }
    await sleep(wait * (0.5 + Math.random()));
  }
  try {
    const result = run();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw lockFault(path, error);
  }
}

/** What SQLite throws, in the words of the other errors; what the caller's own function threw passes as it is. */
function typed<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw lockFault(path, error);
  }
}

/** A damaged lock database cannot be replaced while a process may hold it, so a person has to say when. */
function lockFault(path: string, error: unknown): unknown {
  const fault = faultOf(path, error);
  if (!(fault instanceof CorruptError) || error instanceof CorruptError) return fault;
  return new CorruptError(`The locks of the store are damaged: ${path}.`, {
    data: { path },
    cause: error,
    hint: 'End every process that uses the store, then remove this file and those beside it: they hold no data.',
  });
}

function begin(db: DatabaseSync, path: string): boolean {
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw lockFault(path, error);
  }
}

function owned(name: string, owner: Row): OwnershipError {
  return new OwnershipError('TASK_OWNED', `Task ${name} is owned by another runner (${owner.holder}).`, {
    data: { task: name, holder: owner.holder, since: owner.since, fence: owner.fence },
    hint: 'Wait until it is done, pause it from here, or end that process; a dead owner is noticed at once.',
  });
}
