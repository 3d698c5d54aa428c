/** The floors: what the medium can do with nothing of ours on top. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { ratePerSecond, type Scratch, type Worker } from '../harness.ts';
import { nextBlock, nextText } from './payloads.ts';

export interface Floor {
  /** Entries of 1,024 bytes per second. */
  rate(): Promise<number>;
  /** One entry, durable; of a grouped floor, one group. */
  readonly once: Worker;
  close(): Promise<void>;
}

export function appendAndSync(scratch: Scratch): Floor {
  const fd = openSync(scratch.fresh('floor.log'), 'wx');
  const append = (): void => {
    writeSync(fd, nextBlock());
    fdatasyncSync(fd);
  };
  return { once: append, rate: () => ratePerSecond([append]), close: async () => closeSync(fd) };
}

export function insertIntoSqlite(scratch: Scratch, perTransaction: number): Floor {
  const db = new DatabaseSync(scratch.fresh('floor.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE floor (id INTEGER PRIMARY KEY, data TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO floor (data) VALUES (?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const insertOne = (): void => {
    insert.run(nextText());
  };
  const insertGroup = (): void => {
    begin.run();
    for (let i = 0; i < perTransaction; i++) insertOne();
    commit.run();
  };
  const once = perTransaction === 1 ? insertOne : insertGroup;
  return {
    once,
    rate: async () => perTransaction * (await ratePerSecond([once])),
    close: async () => db.close(),
  };
}

export async function insertIntoPostgres(url: string, count: number): Promise<Floor> {
  const clients = Array.from({ length: count }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0]!.query('CREATE TABLE floor (id bigserial PRIMARY KEY, data text NOT NULL)');
  const inserters = clients.map((client) => async (): Promise<void> => {
    await client.query({ name: 'floor', text: 'INSERT INTO floor (data) VALUES ($1)', values: [nextText()] });
  });
  return {
    once: inserters[0]!,
    rate: () => ratePerSecond(inserters),
    close: async () => {
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}
