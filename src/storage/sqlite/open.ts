/** SQLite as a store: one database file, every commit on the disk before it is acknowledged. */
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type LocalLocks, openLocks } from '../../system/locks/locks.ts';
import { closed, faultOf } from '../../system/locks/sqlite-faults.ts';
import { refuseLinks } from '../../system/own-files.ts';
import type { Done } from '../../system/progress.ts';
import { takeTurn } from '../../system/turn.ts';
import { blobId } from '../blob-names.ts';
import type {
  BlobInfo,
  Claim,
  JournalEntry,
  JournalRange,
  Problem,
  Storage,
  StoreFiles,
} from '../contract.ts';
import { assertBlobId, assertBlobs, assertCategory, assertKey, assertTask, taskOfRecord } from '../keys.ts';
import { prepareCommit } from '../prepare.ts';
import { assertDeletion, assertPageQuery, assertRange } from '../query.ts';
import { databaseFiles } from '../store-files.ts';
import { recordVerbs } from '../verbs.ts';
import { openBlobs } from './blobs.ts';
import { openClaims } from './claims.ts';
import { applyCommit, type Tables } from './commit.ts';
import { openCuts, type Span } from './cuts.ts';
import { closeDatabase, openDatabase, patiently } from './database.ts';
import { openEntries } from './entries.ts';
import { watchFiles } from './files-there.ts';
import { groupWrites, type Write, type Writer } from './group.ts';
import { openHeads, SHARED } from './heads.ts';
import { type Chunk, openJournal } from './journal.ts';
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
  /** Where ownership is kept; beside the file unless told. All users of one file must use the same. */
  readonly locks_dir?: string;
  /** Work on a network file system, where locks and syncs may not hold. Off unless told. */
  readonly allow_network?: boolean;
  /** How long a call waits for other processes before it fails with STORE_BUSY; 10 seconds unless told. */
  readonly busy_timeout_ms?: number;
  /**
   * What to do with a file that was not closed and fails its check: refuse to open it, or open it for reading only,
   * where every row is still checked by itself. `refuse` unless told.
   */
  readonly when_damaged?: 'refuse' | 'read';
}

export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const path = resolve(options.path);
  const patience = options.busy_timeout_ms ?? 10_000;
  const db = await openDatabase(path, patience, options.allow_network ?? false);
  let locks: LocalLocks | undefined;
  try {
    if (!options.locks_dir) refuseLinks([locksBeside(path)]);
    locks = await openLocks(options.locks_dir ?? locksBeside(path));
    const memory = openMemory(db);
    const files = watchFiles(path);
    const writer = groupWrites(db, path, patience, memory, { turn: locks.turn, ...files });
    const opener = await enter(db, path, locks, writer, (problem) => {
      if (options.when_damaged !== 'read') throw problem;
      writer.refuse(problem);
    });
    const own = databaseFiles(path, options.locks_dir ?? locksBeside(path));
    return sqliteStorage({ db, path, patience, locks, memory, writer, opener, files: own });
  } catch (error) {
    await locks?.close();
    if (db.isOpen) db.close();
    throw faultOf(path, error);
  }
}

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

function sqliteStorage({ db, path, patience, locks, memory, writer, opener, files }: Parts): Storage {
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

  const assertOpen = () => {
    if (closing) throw closed(path);
  };
  const read = <T>(run: () => T): Promise<T> => {
    assertOpen();
    return patiently(path, patience, run);
  };
  /** For reads of several statements, or of what is remembered. */
  const readTogether = <T>(run: () => T): Promise<T> => read(() => memory.snapshot(run));
  const write = <T>(run: Write<T>): Promise<T> => {
    assertOpen();
    return writer.write(run);
  };
  const claims = openClaims(tables, writer, (task) => readTogether(() => heads.of(task).fence));

  const core: Pick<Storage, 'commit' | 'get' | 'page'> = {
    commit(commit) {
      try {
        const prepared = prepareCommit(commit);
        return write((now) => applyCommit(tables, prepared, now));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async get(category, key) {
      await takeTurn();
      assertCategory(category);
      assertKey(key);
      taskOfRecord(category, key);
      return read(() => records.get(category, key));
    },
    async page(category, query = {}) {
      assertCategory(category);
      assertPageQuery(query);
      return read(() => records.page(category, query));
    },
  };

  async function* readJournal(task: string, range: JournalRange = {}): AsyncGenerator<JournalEntry> {
    assertTask(task);
    assertRange(range);
    const { reverse = false } = range;
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let span: Span | null = { from: Math.max(1, range.from ?? 1), to: range.to ?? Number.POSITIVE_INFINITY };
    while (span && left > 0) {
      const { from, to }: Span = span;
      const chunk: Chunk | null = await readTogether(() => {
        const head = heads.find(task);
        return head && journal.chunk(head, { from, to: Math.min(to, journal.end(head).seq) }, reverse, left);
      });
      if (!chunk) return;
      yield* chunk.entries;
      if (chunk.damage) throw chunk.damage;
      left -= chunk.entries.length;
      span = chunk.rest;
    }
  }

  async function* listBlobs(task: string | null): AsyncGenerator<BlobInfo> {
    if (task !== null) assertTask(task);
    let after = '';
    for (;;) {
      const page = await read(() => blobs.page(task ?? SHARED, after));
      if (page.length === 0) return;
      yield* page;
      after = page.at(-1)!.id;
    }
  }

  async function* verify(at?: Done): AsyncGenerator<Problem> {
    assertOpen();
    for (const problem of verifyAll({ db, path, memory, journal, entries, cuts, tail }, at)) {
      yield problem;
      assertOpen();
    }
  }

  async function compactAll(): Promise<number> {
    const isTask = (task: string) => records.tasks({ prefix: task, limit: 1 }).keys[0] === task;
    await write(() => removeLeftovers(db, tables, blobs, isTask));
    await writer.idle();
    return patiently(path, patience, () => rebuild(db, path));
  }

  return {
    type: 'sqlite',
    shared: false,
    files,
    ...core,
    ...recordVerbs(core),
    async categories() {
      return read(() => records.categories());
    },
    async tasks(query = {}) {
      assertPageQuery(query);
      return read(() => records.tasks(query));
    },
    async position(task) {
      assertTask(task);
      return readTogether(() => journal.end(heads.of(task)));
    },
    read: readJournal,

    async putBlobs(task, given) {
      if (task !== null) assertTask(task);
      assertBlobs(given);
      const copies = given.map((blob) => ({ name: blobId(blob), bytes: Uint8Array.from(blob.bytes) }));
      await write((now) => {
        for (const { name, bytes } of copies) blobs.put(task ?? SHARED, name, bytes, now);
      });
      return copies.map(({ name }) => name);
    },
    async getBlob(task, id) {
      await takeTurn();
      if (task !== null) assertTask(task);
      assertBlobId(id);
      return read(() => blobs.get(task ?? SHARED, id));
    },
    listBlobs,
    async renewBlobs(task, ids) {
      if (task !== null) assertTask(task);
      ids.forEach(assertBlobId);
      return write((now) => ids.filter((id) => blobs.renew(task ?? SHARED, id, now)));
    },
    async deleteBlobs(task, ids, options = {}) {
      if (task !== null) assertTask(task);
      ids.forEach(assertBlobId);
      assertDeletion(options);
      const { stored_before } = options;
      return write(() => ids.filter((id) => blobs.remove(task ?? SHARED, id, stored_before)).length);
    },

    async claim(task): Promise<Claim> {
      assertTask(task);
      assertOpen();
      return claims.claim(task);
    },
    async owner(task) {
      assertTask(task);
      assertOpen();
      return locks.owner(task);
    },

    async removeTask(task, { fence } = {}) {
      assertTask(task);
      return write(() => removeTask(tables, blobs, task, fence));
    },
    async compact(task, { fence } = {}) {
      if (task === null) return compactAll();
      assertTask(task);
      return write(() => compactTask(tables, task, fence));
    },
    async repair(task, { fence } = {}) {
      if (task === null) return write(() => repairs.shared()); // the records themselves are checked one by one
      assertTask(task);
      return write((now) => repairs.task(task, fence, now));
    },
    async size() {
      return read(() => usedBytes(db));
    },
    async flush() {
      assertOpen();
    },
    verify,
    close() {
      closing ??= close();
      return closing;
    },
  };

  async function close(): Promise<void> {
    await writer.idle();
    await writer.write(tail.settle).catch(() => {});
    // A store that cannot write any more is left as not closed, so that the next one to open it checks it.
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
