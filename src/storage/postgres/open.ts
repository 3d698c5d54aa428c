/**
 * The PostgreSQL back end: for several machines. A commit is one call of a function in the database, one round trip;
 * ownership is a lease with a fence that every write checks.
 */
import type { Storage } from '../contract.ts';
import { assertBlobId, assertBlobs, assertCategory, assertKey, assertTask, taskOfRecord } from '../keys.ts';
import { prepareCommit } from '../prepare.ts';
import { assertDeletion, assertPageQuery, assertRange } from '../query.ts';
import { recordVerbs } from '../verbs.ts';
import { openBlobs } from './blobs.ts';
import { openCare } from './care.ts';
import { openClaims } from './claims.ts';
import { openCommitter } from './commits.ts';
import { type Connection, connect } from './connection.ts';
import { closed } from './faults.ts';
import { openJournal } from './journal.ts';
import { openLane } from './lane.ts';
import { removeLeftovers } from './leftovers.ts';
import { type PostgresStorageOptions, type Settings, settingsOf } from './options.ts';
import { openRecords } from './records.ts';
import { prepareServer, sweep } from './server.ts';
import { sizeOfStore } from './size.ts';
import { verifyStore } from './verify.ts';

export type { PostgresStorageOptions } from './options.ts';

export async function openPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const settings = settingsOf(options);
  const connection = await connect(settings);
  try {
    await prepareServer(connection, settings);
  } catch (error) {
    await connection.end();
    throw error;
  }
  return assemble(connection, settings);
}

function assemble(connection: Connection, { where, lease_ms }: Settings): Storage {
  const lane = openLane(connection);
  const committer = openCommitter(lane);
  const journal = openJournal(connection);
  const records = openRecords(connection);
  const blobs = openBlobs(connection);
  const claims = openClaims(connection, lease_ms);
  const care = openCare(lane, journal, claims.ownerOf);
  let closing: Promise<void> | undefined;

  function assertOpen(): void {
    if (closing) throw closed(where);
  }
  /** Before anything is sent: the store is open, and what names a task or a blob may do so. */
  function assertTaskCall(task: string | null): void {
    assertOpen();
    if (task !== null) assertTask(task);
  }
  async function close(): Promise<void> {
    await committer.idle();
    // A server that is gone ends the leases by itself.
    await Promise.allSettled([claims.releaseAll(), lane.close(), sweep(connection)]);
    await connection.end();
  }

  const core: Pick<Storage, 'commit' | 'get' | 'page'> = {
    commit: async (commit) => {
      assertOpen();
      const prepared = prepareCommit(commit);
      const { task, fence } = prepared;
      return committer.commit({ ...prepared, owner: task === null ? null : claims.ownerOf(task, fence) });
    },
    get: async (category, key) => {
      assertOpen();
      assertCategory(category);
      assertKey(key);
      taskOfRecord(category, key);
      return records.get(category, key);
    },
    page: async (category, query = {}) => {
      assertOpen();
      assertCategory(category);
      assertPageQuery(query);
      return records.page(category, query);
    },
  };
  return {
    type: 'postgres',
    shared: true,
    ...recordVerbs(core),
    ...core,
    categories: async () => {
      assertOpen();
      return records.categories();
    },
    tasks: async (query = {}) => {
      assertOpen();
      assertPageQuery(query);
      return records.tasks(query);
    },
    position: async (task) => {
      assertTaskCall(task);
      return journal.position(task);
    },
    async *read(task, range = {}) {
      assertTaskCall(task);
      assertRange(range);
      yield* journal.read(task, range);
    },
    putBlobs: async (task, added) => {
      assertTaskCall(task);
      assertBlobs(added);
      return blobs.putBlobs(task, added);
    },
    getBlob: async (task, id) => {
      assertTaskCall(task);
      assertBlobId(id);
      return blobs.getBlob(task, id);
    },
    async *listBlobs(task) {
      assertTaskCall(task);
      yield* blobs.listBlobs(task);
    },
    renewBlobs: async (task, ids) => {
      assertTaskCall(task);
      ids.forEach(assertBlobId);
      return blobs.renewBlobs(task, ids);
    },
    deleteBlobs: async (task, ids, options = {}) => {
      assertTaskCall(task);
      ids.forEach(assertBlobId);
      assertDeletion(options);
      return care.deleteBlobs(task, ids, options.stored_before);
    },
    claim: async (task) => {
      assertTaskCall(task);
      return claims.claim(task);
    },
    owner: async (task) => {
      assertTaskCall(task);
      return claims.owner(task);
    },
    removeTask: async (task, { fence } = {}) => {
      assertTaskCall(task);
      return care.removeTask(task, fence);
    },
    compact: async (task, { fence } = {}) => {
      assertTaskCall(task);
      return task === null ? removeLeftovers(connection) : care.compact(task, fence);
    },
    repair: async (task, { fence } = {}) => {
      assertTaskCall(task);
      // Records outside tasks are rows of their own, which no damage to others keeps from being read.
      return task === null ? null : care.repair(task, fence);
    },
    size: async () => {
      assertOpen();
      return sizeOfStore(connection);
    },
    flush: async () => assertOpen(),
    async *verify(at) {
      assertOpen();
      yield* verifyStore(connection, journal, at);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
