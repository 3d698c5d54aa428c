/**
 * Ownership between the processes of one machine, released when a process dies.
 *
 * Each user of a lock directory is an instance; who owns what is a row in `owners.db` that names the instance. A row whose
 * instance is dead (`instances.ts`) is free. No time-outs, no stale-lock theft; a stopped (SIGSTOP) process keeps what it
 * owns.
 *
 * Closing any descriptor of a file drops the process's POSIX locks on it, and the directory lies in the project, where
 * a step may copy everything. So `owners.db` is only read and written in turn (`store-turn.ts`), and without a write-ahead
 * log, which needs locks that are held for long.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnershipError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { ensureDir } from '../files.ts';
import * as io from '../io.ts';
import { besideDatabase, refuseLinks } from '../own-files.ts';
import { takeTurn } from '../turn.ts';
import { instancesIn, isAlive, lockInstance, newInstance, removeInstance } from './instances.ts';
import { BUSY_LIMIT_MS, lockFault, openOwners } from './owners-file.ts';
import { isBusy } from './sqlite-faults.ts';
import { openTurn, type Turn } from './store-turn.ts';

interface Held {
  readonly fence: number;
  /** A readable name of the owner. */
  readonly holder: string;
  readonly since: string;
}

interface LocalClaim {
  readonly fence: number;
  release(): Promise<void>;
}

export interface LocalLocks {
  /** Owns `name` until released or this process ends; the fence is larger than `floor` and every earlier one. */
  claim(name: string, floor: number): Promise<LocalClaim>;
  /** The live owner, or null. */
  owner(name: string): Held | null;
  /** Every name that is owned, also by processes that have died since; null if that is as it was when it was asked last. */
  owned(): readonly string[] | null;
  /** Refuses with FENCED_OUT unless this object holds `name` under this fence. */
  assertHeld(name: string, fence: number): void;
  /** Runs a synchronous function while nobody owns or can claim `name`; TASK_OWNED when someone does. */
  exclusively<T>(name: string, run: () => T): Promise<T>;
  /** For other work on the files next to it that must exclude other processes. */
  readonly turn: Turn;
  /** Waits until it can enter. */
  inTurn<T>(run: () => T): Promise<T>;
  close(): Promise<void>;
}

// A lock whose database handle is garbage-collected is released, so open ones are kept here.
const alive = new Set<DatabaseSync>();

export async function openLocks(dir: string): Promise<LocalLocks> {
  const instances = join(dir, 'instances');
  const path = join(dir, 'owners.db');
  refuseLinks([instances, path, ...besideDatabase(path)]);
  ensureDir(instances);
  const turn = openTurn(dir);
  let db: DatabaseSync | undefined;
  try {
    db = await inTurnOf(turn, path, null, () => openOwners(path, instances));
    return await openWith(db, turn, path, instances);
  } catch (error) {
    db?.close();
    turn.close();
    throw lockFault(path, error);
  }
}

async function openWith(db: DatabaseSync, turn: Turn, path: string, instances: string): Promise<LocalLocks> {
  const instance = newInstance();
  const held = new Map<string, number>();
  const holder = `${hostname()} pid ${process.pid}`;
  const find = db.prepare('SELECT fence, instance, holder, since FROM owners WHERE name = ?');
  const put = db.prepare(
    `INSERT INTO owners (name, fence, instance, holder, since) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET fence = excluded.fence, instance = excluded.instance,
       holder = excluded.holder, since = excluded.since`,
  );
  const named = db.prepare('SELECT name FROM owners WHERE instance IS NOT NULL');
  const free = db.prepare('UPDATE owners SET instance = NULL WHERE name = ? AND instance = ?');
  const freeAll = db.prepare('UPDATE owners SET instance = NULL WHERE instance = ?');

  const liveOwner = (name: string): Row | undefined => {
    const row = find.get(name) as Row | undefined;
    if (!row?.instance) return undefined;
    return row.instance === instance || isAlive(instances, row.instance) ? row : undefined;
  };
  const writing = <T>(run: () => T): Promise<T> =>
    inTurnOf(
      turn,
      path,
      () => begin(db),
      () => finish(db, run),
    );

  // The file is made, locked and swept only in turn: a sweep must not find it made but not yet locked.
  const own = await writing(() => {
    for (const other of instancesIn(instances)) {
      if (isAlive(instances, other)) continue;
      freeAll.run(other);
      removeInstance(instances, other);
    }
    return lockInstance(instances, instance);
  });
  alive.add(db).add(own);
  let closed = false;
  let asked: string | undefined;

  return {
    async claim(name, floor) {
      const fence = await writing(() => {
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
          await writing(() => free.run(name, instance));
        },
      };
    },

    owner(name) {
      const row = typed(path, () => blockingTurn(turn, () => liveOwner(name)));
      return row ? { fence: row.fence, holder: row.holder, since: row.since } : null;
    },

    owned() {
      const version = versionOf(path);
      if (version === asked) return null;
      asked = version;
      return typed(path, () => blockingTurn(turn, () => named.all())).map(({ name }) => name as string);
    },

    assertHeld(name, fence) {
      if (held.get(name) === fence) return;
      throw new OwnershipError('FENCED_OUT', phrase`This process no longer owns ${name} (claim ${fence}).`, {
        data: { task: name, fence, current: held.get(name) ?? null },
        hint: phrase`Another process took over, or this one gave it up. Nothing was written: resume the task again.`,
      });
    },

    exclusively: (name, run) =>
      writing(() => {
        const owner = liveOwner(name);
        if (owner) throw owned(name, owner);
        return run();
      }),

    turn,
    inTurn: (run) => inTurnOf(turn, path, null, run),

    async close() {
      if (closed) return;
      closed = true;
      held.clear();
      try {
        await writing(() => freeAll.run(instance));
      } finally {
        // Works even on a full disk: rows that name an instance without a file are free.
        own.close();
        removeInstance(instances, instance);
        db.close();
        turn.close();
        alive.delete(own);
        alive.delete(db);
      }
    },
  };
}

function versionOf(path: string): string {
  const found = io.lstat(path);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

interface Row {
  fence: number;
  instance: string | null;
  holder: string;
  since: string;
}

/**
 * Waits, without blocking, until no other process has the turn, and no process that cannot see our turns has a lock on the
 * file.
 */
async function inTurnOf<T>(turn: Turn, path: string, begin: (() => void) | null, run: () => T): Promise<T> {
  await takeTurn();
  const deadline = performance.now() + BUSY_LIMIT_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 8)) {
    const entered = typed(path, () => tryEnter(turn, begin));
    if (entered) break;
    if (performance.now() > deadline) throw stayedBusy();
    await sleep(wait * (0.5 + Math.random()));
  }
  try {
    return typed(path, run);
  } finally {
    turn.leave();
  }
}

/** The same, synchronously, for a read that cannot wait: other turns are short. */
function blockingTurn<T>(turn: Turn, look: () => T): T {
  const deadline = performance.now() + BUSY_LIMIT_MS;
  while (!turn.enter()) {
    if (performance.now() > deadline) throw stayedBusy();
    Atomics.wait(PAUSE, 0, 0, 1);
  }
  try {
    return look();
  } finally {
    turn.leave();
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

function tryEnter(turn: Turn, begin: (() => void) | null): boolean {
  if (!turn.enter()) return false;
  try {
    begin?.();
    return true;
  } catch (error) {
    turn.leave();
    if (isBusy(error)) return false;
    throw error;
  }
}

function begin(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
}

function finish<T>(db: DatabaseSync, run: () => T): T {
  try {
    const result = run();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function stayedBusy(): StoreError {
  return new StoreError('STORE_BUSY', phrase`The store stayed busy: another process holds its lock.`, {
    data: { waited_ms: BUSY_LIMIT_MS },
    hint: phrase`A process that is stopped or hangs may hold it. Let it continue or end it, then try again.`,
  });
}

/** Turns SQLite's errors into typed ones; what the caller's function throws is passed on unchanged. */
function typed<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw lockFault(path, error);
  }
}

function owned(name: string, owner: Row): OwnershipError {
  return new OwnershipError(
    'TASK_OWNED',
    phrase`Task ${name} is owned by another runner (${owner.holder}).`,
    {
      data: { task: name, holder: owner.holder, since: owner.since, fence: owner.fence },
      hint: phrase`Wait until it is done, pause it from here, or end that process; a dead owner is noticed at once.`,
    },
  );
}
