/** Figures that PostgreSQL alone has: appends, reading beside a bare SELECT, tasks of processes that were killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Storage } from '../../src/storage/contract.ts';
import { newTaskId } from '../../src/system/ids.ts';
import { type Comparison, type Figure, type Measurement, ratePerSecond } from '../harness.ts';
import { opener, openPostgresBackEnd } from './back-ends.ts';
import { insertIntoPostgres } from './floors.ts';
import { nextEntry, nextText, stateAt } from './payloads.ts';

const APPEND =
  'one commit through the contract, under a claim with its fence: a journal entry of 1,024 bytes and nothing else, as after a step';
const TURNS = 1000;

export function postgresFigures(): Figure[] {
  return [
    {
      name: 'PostgreSQL: append / raw insert',
      bar: { atLeast: 0.75 },
      how: `${APPEND}; against a named insert of 1,024 bytes with pg, one client`,
      prepare: () => appends(1),
    },
    {
      name: 'PostgreSQL: appends of 16 tasks / raw inserts of 16 clients',
      bar: { atLeast: 0.8 },
      how: `${APPEND}, 16 tasks each one after another, all at once; against 16 clients with the raw insert`,
      prepare: () => appends(16),
    },
    {
      name: 'PostgreSQL: read 1,000 turns / bare SELECT',
      bar: { atMost: 2 },
      how: 'all entries of a journal of 1,000 turns (1 KB, 1 KB, 4 KB), verified and decoded; against a SELECT of the same rows with pg',
      prepare: readAgainstSelect,
    },
    {
      name: 'PostgreSQL: claim of a killed process',
      bar: { atMost: 1000, unit: 'ms' },
      how: 'from kill -9 of the owner, with the default lease, until another process has the claim',
      prepare: takeOver,
    },
  ];
}

async function open(): Promise<{ readonly url: string; readonly storage: Storage; close(): Promise<void> }> {
  const { place: url, remove } = await openPostgresBackEnd();
  const storage = await (await opener('postgres'))(url);
  return { url, storage, close: () => storage.close().finally(remove) };
}

/** A claimed task with one entry, and what appends to it. */
async function begin(storage: Storage): Promise<{ task: string; append(entries: unknown[]): Promise<void> }> {
  const task = newTaskId();
  const { fence } = await storage.claim(task);
  const records = [{ category: 'tasks', key: `${task}/state`, data: stateAt(task, 1) }];
  const first = { after: await storage.position(task), entries: [nextEntry()] };
  let after = (await storage.commit({ task, fence, records, append: first })).position!;
  return {
    task,
    append: async (entries) => {
      after = (await storage.commit({ task, fence, append: { after, entries } })).position!;
    },
  };
}

async function appends(count: number): Promise<Comparison> {
  const { url, storage, close } = await open();
  const floor = await insertIntoPostgres(url, count);
  const tasks = await Promise.all(Array.from({ length: count }, () => begin(storage)));
  const workers = tasks.map(
    ({ append }) =>
      () =>
        append([nextEntry()]),
  );
  return {
    floor: floor.rate,
    subject: () => ratePerSecond(workers),
    close: () => floor.close().finally(close),
  };
}

async function readAgainstSelect(): Promise<Comparison> {
  const { url, storage, close } = await open();
  const { task, append } = await begin(storage);
  const output = () => Array.from({ length: 4 }, nextText).join('');
  for (let turn = 0; turn < TURNS; turn++) await append([nextEntry(), nextEntry(), { output: output() }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  const select = 'SELECT task, seq, hash, data FROM vibe_engine.journal WHERE task = $1 ORDER BY seq';
  const millisecondsOf = async (count: () => Promise<number>): Promise<number> => {
    const rate = await ratePerSecond([
      async () => {
        if ((await count()) !== 3 * TURNS + 1) throw new Error('Something is missing.');
      },
    ]);
    return 1000 / rate;
  };
  return {
    floor: () => millisecondsOf(async () => (await client.query(select, [task])).rows.length),
    subject: () =>
      millisecondsOf(async () => {
        let entries = 0;
        for await (const _ of storage.read(task)) entries++;
        return entries;
      }),
    close: () => client.end().finally(close),
  };
}

const OWNER = join(import.meta.dirname, 'owner-child.ts');

async function takeOver(): Promise<Measurement> {
  const { url, storage, close } = await open();
  return { measure: () => claimAfterKill(url, storage), close };
}

async function claimAfterKill(url: string, storage: Storage): Promise<number> {
  const task = newTaskId();
  // The url has a password in it, which arguments would show to everybody.
  const child: ChildProcess = spawn(process.execPath, [OWNER, task], {
    env: { ...process.env, BENCH_PLACE: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  const start = performance.now();
  child.kill('SIGKILL');
  for (;;) {
    const claim = await storage.claim(task).catch(() => null);
    if (!claim) continue;
    const elapsed = performance.now() - start;
    await claim.release();
    return elapsed;
  }
}
