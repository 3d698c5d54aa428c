/**
 * `kill -9` on PostgreSQL: of clients while they write and while they connect, of the whole server, and of single
 * server processes, after which the server recovers by itself. Writers outlive the server: they reconnect and go on,
 * and no commit is lost or done twice. One unit of size is one kill of a client, and one of the server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  freshDatabase,
  type PostgresServer,
  startPostgresServer,
  type TestDatabase,
} from '../support/postgres.ts';
import { judgeErrors, killEach, killWhileOpening, startsOf } from './kills.ts';
import { broken, type Progress } from './oracle.ts';
import { startWriter, type Writer } from './processes.ts';
import { type Random, random } from './random.ts';
import { checkRecovered } from './recovery.ts';
import { type Campaign, Notes } from './report.ts';
import type { StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';

const CYCLES_PER_DATABASE = 10;
/** A machine under load may need longer than a usual lease for eight recoveries of the server, one after the other. */
const LEASE_MS = 600_000;

export const postgresKills: Campaign = async (options) => {
  const notes = new Notes('postgresKills', options);
  const server = await startPostgresServer();
  try {
    for (let round = 0; !notes.over && clientKills(notes) < options.size; round++) {
      await using database = await freshDatabase(server);
      const seed = random(options.seed, 'postgres', round).below(1e9);
      await killCycles(notes, server, database, options.src, seed, options.size);
      notes.progress(JSON.stringify(notes.report.counts));
    }
  } finally {
    await server.stop();
  }
  return notes.report;
};

function clientKills({ report: { counts } }: Notes): number {
  return (counts['clients killed while writing'] ?? 0) + (counts['clients killed while opening'] ?? 0);
}

async function killCycles(
  notes: Notes,
  server: PostgresServer,
  database: TestDatabase,
  src: string,
  seed: number,
  size: number,
): Promise<void> {
  const place: StorePlace = { src, store: 'postgres', target: database.url, lease_ms: LEASE_MS };
  const standby = () => startWriter({ ...place, seed, standby: true, lanes: [] });
  const rng = random(seed, 'kills');
  const all: Progress[] = [];
  let ready = [standby(), standby()];
  for (let cycle = 0; cycle < CYCLES_PER_DATABASE && clientKills(notes) < size && !notes.over; cycle++) {
    const writers = ready;
    const openers = [standby(), standby()];
    // New lanes each time: the leases of a killed client's tasks outlive it.
    const names = [[`a${cycle}`, `store${cycle}`], [`b${cycle}`]];
    const lanes = names.flat().map((name): Progress => ({ lane: makeLane(seed, name), acked: 0 }));
    all.push(...lanes);
    let event = 'clients';
    try {
      await Promise.all(writers.map((writer, i) => writer.go(startsOf(lanes, names[i]!))));
      await Promise.race(writers.map((writer) => writer.said(/^(ack|error)/)));
      for (let again = cycle % 2 === 1 ? 8 : 0; again > 0; again--) {
        // Opening does not wait for a server that is away; an open connection does.
        await Promise.all(writers.map((writer) => writer.said(/^(opened|error)/)));
        event = await killServer(server, database, rng, notes);
        await ask(database, 'SELECT 1');
        await Promise.all(writers.map(heardAgain));
      }
      await killEach(writers, lanes, rng);
      notes.count('clients killed while writing', writers.length);
      ready = [standby(), standby()];
      for (const opener of openers) await killWhileOpening(opener, rng);
      notes.count('clients killed while opening', openers.length);
      judgeErrors([...writers, ...openers]);
      await quiet(database);
      await checkRecovered(
        place,
        all,
        all.find(({ lane }) => lane.name === `store${cycle}`),
      );
      notes.count('checks');
    } catch (error) {
      const reached = lanes.map(({ lane, acked }) => `${lane.name}:${acked}`).join(' ');
      notes.violation(
        broken(error).message,
        `round=${seed} cycle=${cycle} killed=${event} reached=${reached}`,
      );
      break;
    } finally {
      await Promise.all([...openers, ...writers].map((writer) => writer.kill()));
    }
  }
  await Promise.all(ready.map((writer) => writer.kill()));
  await ask(database, 'SELECT 1');
}

/** The whole server, or one of the processes that serve a client, which makes the server end and recover all. */
async function killServer(
  server: PostgresServer,
  database: TestDatabase,
  rng: Random,
  notes: Notes,
): Promise<string> {
  await sleep(rng.below(30));
  if (rng.oneIn(2)) {
    await server.crash();
    notes.count('servers killed');
    await server.restart();
    return 'server';
  }
  const backends = await ask(
    database,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  if (backends.length === 0) return 'clients';
  process.kill(rng.pick(backends).pid, 'SIGKILL');
  notes.count('server processes killed');
  return 'server process';
}

/** Until the writer got an answer again. */
async function heardAgain(writer: Writer): Promise<void> {
  const before = [...writer.acked.values()].reduce((sum, n) => sum + n, 0);
  const since = () => [...writer.acked.values()].reduce((sum, n) => sum + n, 0) > before;
  for (let tries = 0; tries < 1000 && !since() && writer.errors.length === 0; tries++) await sleep(10);
}

/** Until the server has finished what the killed clients had asked for. */
async function quiet(database: TestDatabase): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const others = await ask(
      database,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND backend_type = 'client backend'`,
    );
    if (others.length === 0) return;
    await sleep(5);
  }
  throw new Error('The server still serves clients that were killed.');
}

/** A server may notice only after some answers that one of its processes was killed, and then recovers for a while. */
async function ask(database: TestDatabase, sql: string): Promise<{ pid: number }[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(database, sql);
    } catch (error) {
      if (tries === 1000) throw error;
      await sleep(20);
    }
  }
}

/** A connection of its own, which may break at any moment: that is an error of this call and of nothing else. */
async function askOnce({ url }: TestDatabase, sql: string): Promise<{ pid: number }[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<{ pid: number }>(sql)).rows;
  } finally {
    await client.end();
  }
}
