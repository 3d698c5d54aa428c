/** What reading costs in a JSON store: a whole journal, a few entries of it, and many records, of a task that nobody owns. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START } from '../../src/storage/chain.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { type Comparison, type Figure, type Measurement, ratePerSecond } from '../harness.ts';
import { type BackEnd, opener } from './back-ends.ts';
import { nextEntry, stateAt } from './payloads.ts';

const ENTRIES = 10_000;
const RECORDS = 1000;
const TASK = 'long';
const UNOWNED = 'by a store that does not own the task';

export function jsonReadingFigures(open: () => Promise<BackEnd>): Figure[] {
  return [
    {
      name: 'JSON: read a journal / read + SHA-256 of its file',
      bar: { atMost: 3 },
      how: `10,000 entries of 1,024 bytes, ${UNOWNED}; against readFileSync and SHA-256 of its journal.log`,
      prepare: async () => journalAgainstFile(await open()),
    },
    {
      name: 'JSON: 10 entries of 10,000',
      bar: { atMost: 1, unit: 'ms' },
      how: `from the middle of a journal of 10,000 entries of 1,024 bytes, ${UNOWNED}`,
      prepare: async () => tenEntries(await open()),
    },
    {
      name: 'JSON: get 1,000 records of a task',
      bar: { atMost: 150, unit: 'ms' },
      how: `one after the other, about 300 bytes each, ${UNOWNED}`,
      prepare: async () => manyRecords(await open()),
    },
  ];
}

/** Milliseconds of reading every entry as text, relative to reading and hashing the file that it is in. */
async function journalAgainstFile(backEnd: BackEnd): Promise<Comparison> {
  const storage = await stored(backEnd, appendEntries);
  const file = join(backEnd.place, 'tasks', TASK, 'journal.log');
  return {
    floor: () => millisecondsOf(() => void hash('sha256', readFileSync(file))),
    subject: () => millisecondsOf(() => readEntries(storage, {}, ENTRIES)),
    close: () => storage.close(),
  };
}

/** Milliseconds until ten entries from the middle of a journal are there. */
async function tenEntries(backEnd: BackEnd): Promise<Measurement> {
  const storage = await stored(backEnd, appendEntries);
  const range = { from: ENTRIES / 2, limit: 10 };
  return {
    measure: () => millisecondsOf(() => readEntries(storage, range, 10)),
    close: () => storage.close(),
  };
}

/** Milliseconds until all records of a task are there, one after the other. */
async function manyRecords(backEnd: BackEnd): Promise<Measurement> {
  const storage = await stored(backEnd, writeRecords);
  const keys = await storage.list('tasks');
  const getAll = async (): Promise<void> => {
    for (const key of keys) if (!(await storage.get('tasks', key))) throw new Error(`${key} is missing.`);
  };
  return { measure: () => millisecondsOf(getAll), close: () => storage.close() };
}

/** Written by one store and read by another, which does not own the task. */
async function stored(
  { type, place }: BackEnd,
  write: (storage: Storage) => Promise<void>,
): Promise<Storage> {
  const open = await opener(type);
  const writing = await open(place);
  await write(writing);
  await writing.close();
  return open(place);
}

async function appendEntries(storage: Storage): Promise<void> {
  const { fence } = await storage.claim(TASK);
  let after = START;
  for (let n = 0; n < ENTRIES; n++)
    after = (await storage.commit({ task: TASK, fence, append: { after, entries: [nextEntry()] } }))
      .position!;
}

async function writeRecords(storage: Storage): Promise<void> {
  const { fence } = await storage.claim(TASK);
  for (let n = 0; n < RECORDS; n++) {
    const records = [{ category: 'tasks', key: `${TASK}/records/${n}`, data: stateAt(TASK, n) }];
    await storage.commit({ task: TASK, fence, records });
  }
}

async function readEntries({ backend }: Storage, range: object, expected: number): Promise<void> {
  let count = 0;
  for await (const part of backend.read(TASK, range)) count += part.length;
  if (count !== expected) throw new Error(`Only ${count} of ${expected} entries were there.`);
}

async function millisecondsOf(once: () => void | Promise<void>): Promise<number> {
  return 1000 / (await ratePerSecond([once]));
}
