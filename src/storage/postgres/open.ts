/**
 * The PostgreSQL back end: for several machines. A commit is one statement, one round trip; ownership is a
 * lease with a fence that every write checks.
 */
import type { VibeError } from '../../errors.ts';
import type { Backend } from '../backend.ts';
import type { Storage } from '../contract.ts';
import { createStorage } from '../create.ts';
import { openBlobs } from './blobs.ts';
import { changesOn } from './changes.ts';
import { openClaims } from './claims.ts';
import { openCommitter } from './commits.ts';
import { type Connection, connect } from './connection.ts';
import { openJournal } from './journal.ts';
import { openLane } from './lane.ts';
import { removeLeftovers } from './leftovers.ts';
import { openMaintenance } from './maintenance.ts';
import { type PostgresStorageOptions, type Settings, settingsOf } from './options.ts';
import { openRecords } from './records.ts';
import { prepareServer, sweep } from './server.ts';
import { sizeOfStore } from './size.ts';
import { verifyStore } from './verify.ts';

export type { PostgresStorageOptions } from './options.ts';

export async function openPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  return createStorage(await openPostgres(options));
}

async function openPostgres(options: PostgresStorageOptions): Promise<Backend> {
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

function assemble(connection: Connection, { lease_ms }: Settings): Backend {
  const lane = openLane(connection);
  const blobs = openBlobs(connection);
  const committer = openCommitter(connection, lane, blobs);
  const journal = openJournal(connection);
  const records = openRecords(connection);
  const claims = openClaims(connection, lease_ms);
  const care = openMaintenance(lane, journal, claims.ownerOf);
  let closing: Promise<void> | undefined;

  /** What is refused for an owner that is dead is tried again. */
  async function asNobody<T>(task: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if ((error as Partial<VibeError>).code !== 'TASK_OWNED' || !(await claims.releaseDead(task)))
        throw error;
      return call();
    }
  }
  const asOwner = <T>(task: string, fence: number | undefined, call: () => Promise<T>): Promise<T> =>
    fence === undefined ? asNobody(task, call) : call();

  async function close(): Promise<void> {
    await committer.idle();
    // A server that is gone ends the leases by itself.
    await Promise.allSettled([claims.releaseAll(), lane.close(), sweep(connection)]);
    await connection.end();
  }

  return {
    type: 'postgres',
    shared: true,
    commits_blobs: true,
    commit: (prepared) => {
      const { task, fence } = prepared;
      if (task === null) return committer.commit({ ...prepared, owner: null });
      const claimed = { ...prepared, owner: claims.ownerOf(task, fence) };
      return asOwner(task, fence, () => committer.commit(claimed));
    },
    get: records.get,
    page: records.page,
    position: journal.position,
    read: journal.read,
    ...blobs,
    deleteBlobs: (task, ids, { stored_before }) => care.deleteBlobs(task, ids, stored_before),
    claim: claims.claim,
    owner: claims.owner,
    removeTask: (task, fence) => asOwner(task, fence, () => care.removeTask(task, fence)),
    compact: (task, fence) =>
      task === null ? removeLeftovers(connection) : asOwner(task, fence, () => care.compact(task, fence)),
    // Records outside tasks are separate rows: damage to one does not affect the others.
    repair: async (task, fence) =>
      task === null ? null : asOwner(task, fence, () => care.repair(task, fence)),
    changes: (signal) => changesOn(connection, signal),
    size: () => sizeOfStore(connection),
    verify: (at) => verifyStore(connection, journal, at),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
