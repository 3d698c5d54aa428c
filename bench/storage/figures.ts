/** The figures of the stores, each with its bar. */
import type { Comparison, Figure, Scratch } from '../harness.ts';
import type { BackEnd } from './back-ends.ts';
import { openJsonBackEnd, openPostgresBackEnd, openSqliteBackEnd } from './back-ends.ts';
import { openCommitters } from './commits.ts';
import { appendAndSync, type Floor, insertIntoPostgres, insertIntoSqlite } from './floors.ts';
import { jsonReadingFigures } from './json.ts';
import { measureOpening } from './opening.ts';
import { postgresFigures } from './postgres.ts';

const COMMIT =
  'one commit through the contract, under a claim with its fence: a journal entry of 1,024 bytes and a state record of about 300, views included';
const APPEND = 'one open file, writeSync of 1,024 random bytes and fdatasyncSync';
const OPENING =
  'open, the newest 50 of 10,000 tasks and the state of each, in a fresh process that has imported the back end and its driver, until all 50 are there';
const AT_ONCE = 16;

export function storageFigures(scratch: Scratch): Figure[] {
  const json = () => openJsonBackEnd(scratch);
  const sqlite = () => openSqliteBackEnd(scratch);
  const postgres = () => openPostgresBackEnd();
  const opening = (open: () => Promise<BackEnd>) => async () => measureOpening(await open());
  return [
    {
      name: 'JSON: commit / append + fdatasync',
      bar: { atLeast: 0.9 },
      how: `${COMMIT}; against ${APPEND}`,
      prepare: () => compared(json, 1, () => appendAndSync(scratch)),
    },
    {
      name: 'JSON: commits of 16 tasks / append + fdatasync',
      bar: { atLeast: 2 },
      how: `${COMMIT}, 16 tasks each one after another, all at once; against ${APPEND}`,
      prepare: () => compared(json, AT_ONCE, () => appendAndSync(scratch)),
    },
    {
      name: 'SQLite: commit / raw insert',
      bar: { atLeast: 0.8 },
      how: `${COMMIT}; against a prepared insert of 1,024 bytes with node:sqlite, WAL, synchronous FULL`,
      prepare: () => compared(sqlite, 1, () => insertIntoSqlite(scratch, 1)),
    },
    {
      name: 'SQLite: commits of 16 tasks / raw inserts, 16 to a transaction',
      bar: { atLeast: 0.6 },
      how: `${COMMIT}, 16 tasks each one after another, all at once; against the raw insert, 16 to a transaction`,
      prepare: () => compared(sqlite, AT_ONCE, () => insertIntoSqlite(scratch, AT_ONCE)),
    },
    {
      name: 'PostgreSQL: commit / raw insert',
      bar: { atLeast: 0.75 },
      how: `${COMMIT}; against a named insert of 1,024 bytes with pg, one client`,
      prepare: () => compared(postgres, 1, ({ place }) => insertIntoPostgres(place, 1)),
    },
    {
      name: 'PostgreSQL: commits of 16 tasks / raw inserts of 16 clients',
      bar: { atLeast: 0.8 },
      how: `${COMMIT}, 16 tasks each one after another, all at once; against 16 clients with the raw insert`,
      prepare: () => compared(postgres, AT_ONCE, ({ place }) => insertIntoPostgres(place, AT_ONCE)),
    },
    ...postgresFigures(),
    {
      name: 'JSON: open 10,000 tasks, newest 50',
      bar: { atMost: 150, unit: 'ms' },
      how: OPENING,
      prepare: opening(json),
    },
    {
      name: 'SQLite: open 10,000 tasks, newest 50',
      bar: { atMost: 50, unit: 'ms' },
      how: OPENING,
      prepare: opening(sqlite),
    },
    {
      name: 'PostgreSQL: open 10,000 tasks, newest 50',
      bar: { atMost: 50, unit: 'ms' },
      how: OPENING,
      prepare: opening(postgres),
    },
    ...jsonReadingFigures(json),
  ];
}

/** So many tasks committing at once, against what the medium does bare. */
async function compared(
  open: () => Promise<BackEnd>,
  tasks: number,
  openFloor: (backEnd: BackEnd) => Floor | Promise<Floor>,
): Promise<Comparison> {
  await using opened = new AsyncDisposableStack();
  const backEnd = await open();
  opened.defer(backEnd.remove);
  const floor = await openFloor(backEnd);
  opened.defer(floor.close);
  const committers = await openCommitters(backEnd, tasks);
  opened.defer(committers.close);
  const kept = opened.move();
  return { floor: floor.rate, subject: committers.rate, close: () => kept.disposeAsync() };
}
