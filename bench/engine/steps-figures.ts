/** The figures of steps, each with its bar: one task, 16 and 100, against what the medium does bare. */
import type { Figure, Scratch } from '../harness.ts';
import { type BackEndType, NAMES } from '../storage/back-ends.ts';
import { newSite } from './site.ts';
import { append, cpuOfSteps, type FloorOf, postgresInserts, sqliteInserts, stepsAgainst } from './steps.ts';

const STEP =
  'a step that answers 1,024 characters, one after another in a task, with the checkpoint after each';

interface FloorText {
  readonly name: string;
  readonly how: string;
  readonly open: FloorOf;
}

const APPEND: FloorText = {
  name: 'append + fdatasync',
  how: 'writeSync of 1,024 random bytes and fdatasyncSync',
  open: append,
};
const RAW_INSERT: FloorText = {
  name: 'raw insert',
  how: 'a named insert of 1,024 bytes with pg, one client',
  open: postgresInserts(1),
};
const sqliteGroups = (size: number): FloorText => ({
  name: `raw inserts, ${size} to a transaction`,
  how: `a prepared insert of 1,024 bytes with node:sqlite, WAL, synchronous FULL, ${size} to a transaction`,
  open: sqliteInserts(size),
});
const CLIENTS: FloorText = {
  name: 'raw inserts of 16 clients',
  how: '16 clients with the raw insert',
  open: postgresInserts(16),
};

const ROWS: readonly (readonly [type: BackEndType, tasks: number, floor: FloorText, atLeast: number])[] = [
  ['json', 1, APPEND, 0.75],
  ['sqlite', 1, APPEND, 0.65],
  ['postgres', 1, RAW_INSERT, 0.6],
  ['json', 16, APPEND, 1.2],
  ['sqlite', 16, sqliteGroups(16), 0.4],
  ['postgres', 16, CLIENTS, 0.8],
  ['sqlite', 100, sqliteGroups(100), 0.2],
  ['postgres', 100, CLIENTS, 0.5],
];

export function stepsFigures(scratch: Scratch): Figure[] {
  return [
    ...ROWS.map(
      ([type, tasks, floor, atLeast]): Figure => ({
        name: `${NAMES[type]}: ${tasks === 1 ? 'step' : `steps of ${tasks} tasks`} / ${floor.name}`,
        bar: { atLeast },
        how: `${STEP}${tasks === 1 ? '' : `, ${tasks} tasks at once`}; against ${floor.how}`,
        prepare: async () => stepsAgainst(scratch, await newSite(scratch, type), tasks, floor.open),
      }),
    ),
    {
      name: 'SQLite: CPU a step of 100 tasks',
      bar: { atMost: 40, unit: 'µs' },
      how: `${STEP}, 20 of each of 100 tasks at once: process.cpuUsage, user and system, all threads, until everything is written`,
      prepare: async () => cpuOfSteps(await newSite(scratch, 'sqlite'), 100),
    },
  ];
}
