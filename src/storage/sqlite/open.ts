/** SQLite as a store: one database file, every commit on the disk before it is acknowledged. */
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { VibeError } from '../../errors.ts';
import { type LocalLocks, openLocks } from '../../system/locks/locks.ts';
import { faultOf } from '../../system/locks/sqlite-faults.ts';
import { refuseLinks } from '../../system/own-files.ts';
import { takeTurn } from '../../system/turn.ts';
import type { Backend, BlobInfo, EntryText, JournalRange, NamedBlob, StoreFiles } from '../backend.ts';
import { copyBlobs } from '../blob-names.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { databaseFiles } from '../store-files.ts';
import { openBlobs } from './blobs.ts';
import { changesIn } from './changes.ts';
import { openClaims } from './claims.ts';
import { applyCommit, type Tables } from './commit.ts';
import { openCuts, type Span } from './cuts.ts';
import { closeDatabase, openDatabase, patiently } from './database.ts';
import { openEntries, rowsLike } from './entries.ts';
import { watchFiles } from './files-there.ts';
import { groupWrites, type Writer } from './group.ts';
import { openHeads, SHARED } from './heads.ts';
import { type Chunk, openJournal } from './journal.ts';
import { noteMade, refuseEmptied } from './made.ts';
import { type Memory, openMemory } from './memory.ts';
import { enter, type Opener } from './openers.ts';
import { openRecords } from './records.ts';
import { openRepair } from './repair.ts';
import { openTail } from './tail.ts';
import { compactTask, rebuild, removeLeftovers, removeTask, usedBytes } from './upkeep.ts';
import { verifyAll } from './verify.ts';

export interface SqliteOptions {
  /** The database file; it and its directory are created when absent. */
  readonly path: string;
  /** Where ownership is kept; default: next to the file. All users of one file must use the same. */
  readonly locks_dir?: string;
  /** Work on a network file system, where locks and syncs may not hold. Default: off. */
  readonly allow_network?: boolean;
  /** How long a call waits for other processes before it fails with STORE_BUSY; default: 10 seconds. */
  readonly busy_timeout_ms?: number;
  /**
   * What to do with a file that was not closed and fails its check: refuse to open it, or open it for reading only, where
   * every row is still checked by itself. Default: `refuse`.
   */
  readonly when_damaged?: 'refuse' | 'read';
}

export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  return createStorage(await openSqlite(options));
}

async function openSqlite(options: SqliteOptions): Promise<Backend> {
  const path = resolve(options.path);
  const patience = options.busy_timeout_ms ?? 10_000;
  const locksDir = options.locks_dir ?? locksBeside(path);
  refuseEmptied(path, locksDir);
  const db = await openDatabase(path, patience, options.allow_network ?? false);
  let locks: LocalLocks | undefined;
  try {
    if (!options.locks_dir) refuseLinks([locksDir]);
    locks = await openLocks(locksDir);
    noteMade(locksDir);
    const memory = openMemory(db);
    const files = watchFiles(path);
    const writer = groupWrites(db, path, patience, memory, { turn: locks.turn, ...files });
    const opener = await enter(db, path, locks, writer, (problem) => {
      if (options.when_damaged !== 'read') throw problem;
      writer.refuse(problem);
    });
    const own = databaseFiles(path, locksDir);
    return sqliteBackend({ db, path, patience, locks, memory, writer, opener, files: own });
  } catch (error) {
    await locks?.close();
    if (db.isOpen) db.close();
    throw faultOf(path, error);
  }
}

/** Of a journal, before the length of its entries is known. */
const FIRST_ROWS = 64;

interface Parts {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly patience: number;
  readonly locks: LocalLocks;
  readonly memory: Memory;
  readonly writer: Writer;
  readonly opener: Opener;
  readonly files: readonly StoreFiles[];
}

function sqliteBackend({ db, path, patience, locks, memory, writer, opener, files }: Parts): Backend {
  const heads = openHeads(db, memory);
  const tail = openTail(db, heads, memory);
  const entries = openEntries(db, tail);
  const cuts = openCuts(db);
  const journal = openJournal(entries, cuts, tail);
  const records = openRecords(db, memory);
  const tables: Tables = { heads, journal, records, locks };
  const blobs = openBlobs(db);
  const repairs = openRepair(db, tables, entries, cuts, tail);
  let closing: Promise<void> | undefined;

  const read = <T>(run: () => T): Promise<T> => patiently(path, patience, run);
  /** For reads with several statements, or from the cache. */
  const readTogether = <T>(run: () => T): Promise<T> => read(() => memory.snapshot(run));
  const { write } = writer;
  const claims = openClaims(tables, writer, (task) => readTogether(() => heads.of(task).fence));

  async function* readJournal(task: string, range: JournalRange): AsyncGenerator<readonly EntryText[]> {
    const { reverse = false } = range;
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let rows = FIRST_ROWS;
    let span: Span | null = { from: range.from ?? 1, to: range.to ?? Number.POSITIVE_INFINITY };
    while (span && left > 0) {
      const { from, to }: Span = span;
      const chunk: Chunk | null = await readTogether(() => {
        const head = heads.find(task);
        if (!head) return null;
        const last = Math.min(to, journal.end(head).seq);
        return journal.chunk(head, { from, to: last }, reverse, Math.min(left, rows));
      });
      if (!chunk) return;
      if (chunk.entries.length > 0) yield chunk.entries;
      if (chunk.damage) throw chunk.damage;
      left -= chunk.entries.length;
      rows = rowsLike(chunk.entries);
      span = chunk.rest;
    }
  }

  async function* listBlobs(task: string | null): AsyncGenerator<BlobInfo> {
    let after = '';
    for (;;) {
      const page = await read(() => blobs.page(task ?? SHARED, after));
      if (page.length === 0) return;
      yield* page;
      after = page.at(-1)!.id;
    }
  }

  const putAll = (task: string | null, given: readonly NamedBlob[], now: string): void => {
    for (const { id, bytes } of given) blobs.put(task ?? SHARED, id, bytes, now);
  };

  async function compactAll(): Promise<number> {
    const isTask = (task: string) => records.page('tasks', { prefix: task, limit: 1 }).keys[0] === task;
    await write(() => removeLeftovers(db, tables, blobs, isTask));
    await writer.idle();
    return patiently(path, patience, () => rebuild(db, path));
  }

  return {
    type: 'sqlite',
    shared: false,
    commits_blobs: true,
    files,
    commit: (prepared) =>
      write((now) => {
        const answer = applyCommit(tables, prepared, now);
        if (prepared.blobs && !(answer instanceof VibeError)) putAll(null, prepared.blobs, now);
        return answer;
      }),
    async get(category, key) {
      await takeTurn();
      return read(() => records.get(category, key));
    },
    page: (list, query) => read(() => records.page(list, query)),
    position: (task) => readTogether(() => journal.end(heads.of(task))),
    read: readJournal,

    async putBlobs(task, given) {
      const copies = copyBlobs(given);
      await write((now) => putAll(task, copies, now));
    },
    async getBlob(task, id) {
      await takeTurn();
      return read(() => blobs.get(task ?? SHARED, id));
    },
    listBlobs,
    renewBlobs: (task, ids) => write((now) => ids.filter((id) => blobs.renew(task ?? SHARED, id, now))),
    deleteBlobs: (task, ids, { stored_before }) =>
      write(() => ids.filter((id) => blobs.remove(task ?? SHARED, id, stored_before)).length),

    claim: claims.claim,
    owner: async (task) => locks.owner(task),
    removeTask: (task, fence) => write(() => removeTask(tables, blobs, task, fence)),
    compact: (task, fence) => (task === null ? compactAll() : write(() => compactTask(tables, task, fence))),
    repair: (task, fence) =>
      // The records themselves are checked one by one.
      task === null ? write(() => repairs.shared()) : write((now) => repairs.task(task, fence, now)),
    changes: (signal) => changesIn({ db, locks, readTogether }, signal),
    size: () => read(() => usedBytes(db)),
    async *verify(at) {
      yield* verifyAll({ db, path, memory, journal, entries, cuts, tail }, at);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };

  async function close(): Promise<void> {
    await writer.idle();
    await writer.write(tail.settle).catch(() => {}); // The next opener does it.
    // A store that can no longer write is left marked as open, so that the next opener checks it.
    await opener.leave().catch(() => {});
    await locks.inTurn(() => closeDatabase(db, path, opener.others()));
    await locks.close();
  }
}

function locksBeside(path: string): string {
  const root = dirname(path);
  return basename(path) === 'persistence.db' && basename(root) === '.vibe-engine'
    ? join(root, 'locks')
    : `${path}-locks`;
}
