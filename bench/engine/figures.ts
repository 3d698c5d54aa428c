/** The figures of the engine, each with its bar. */
import type { Comparison, Figure, Measurement, Scratch } from '../harness.ts';
import type { BackEndType } from '../storage/back-ends.ts';
import { kilobytesPerCheckpoint, lateAgainstEarly, relativeBytes } from './growth.ts';
import { loadAgainstFile, loadTime } from './load.ts';
import { asStep, asTurn, overheadOf, saveTime } from './overhead.ts';
import { memoryOfLongTask, resumeTime } from './resuming.ts';
import { FILES, newSite, type Site } from './site.ts';
import { append, postgresInserts, sqliteInserts, stepsAgainst } from './steps.ts';

const NAMES = { json: 'JSON', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const LOCAL = ['json', 'sqlite'] as const;
const ALL = ['json', 'sqlite', 'postgres'] as const;

const TURNS =
  '1,000 turns of one task, each a message of 1 KB from the user, one of 1 KB from the assistant and a tool call with an output of 4 KB, random text, with a checkpoint at its end';
const STEP =
  'a step that answers 1,024 characters, one after another in a task, with the checkpoint after each';
const WITH_FILES = `in a repository of ${FILES} files that the engine captures, with one of 2 KB rewritten in each turn`;

export function engineFigures(scratch: Scratch): Figure[] {
  /** One figure per store. */
  const on = (
    types: readonly BackEndType[],
    { name, prepare, files, ...rest }: Omit<Figure, 'prepare'> & { prepare: Prepare; files?: boolean },
  ): Figure[] =>
    types.map((type) => ({
      ...rest,
      name: `${NAMES[type]}: ${name}`,
      prepare: async () => prepare(await newSite(scratch, type, files)),
    }));

  return [
    ...on(LOCAL, {
      name: '1,000 turns, bytes / payload',
      bar: { atMost: 1.5 },
      how: `${TURNS}, automatic clean-up off: bytes of every file of the store, WAL included, the larger of while it is open and after it was closed; relative to 6,144 bytes a turn; measured once`,
      prepare: relativeBytes,
    }),
    ...on(ALL, {
      name: 'turns 951-1000 / turns 101-150',
      bar: { atMost: 1.3 },
      how: `${TURNS}, automatic clean-up off: median of the last 50 relative to that of 50 early ones, a new task each round after one that does not count`,
      prepare: lateAgainstEarly,
    }),
    ...on(ALL, {
      name: 'load the context of 1,000 turns / one file',
      bar: { atMost: 2 },
      how: `loadCheckpoint of the newest after ${TURNS}, its whole context, by an engine that did not write it; against readFileSync of one file with the same context, SHA-256 and JSON.parse`,
      prepare: (site) => loadAgainstFile(site, 1000),
    }),
    ...on(ALL, {
      name: 'save a checkpoint (files on)',
      files: true,
      bar: { atMost: 10, unit: 'ms' },
      how: `from deciding on it until it is on the disk, with the step it belongs to; median of 20 turns, ${WITH_FILES}`,
      prepare: saveTime,
    }),
    ...on(ALL, {
      name: 'load a checkpoint of 100 turns (files on)',
      files: true,
      bar: { atMost: 5, unit: 'ms' },
      how: `loadCheckpoint of the newest after 100 such turns, its whole context of 600 KB, ${WITH_FILES}`,
      prepare: (site) => loadTime(site, 100),
    }),
    ...on(LOCAL, {
      name: 'bytes per checkpoint (files on)',
      files: true,
      bar: { atMost: 5, unit: 'KB' },
      how: `${TURNS}: every byte of the store beyond the payload and the files' content, per turn; measured once; ${WITH_FILES}`,
      prepare: kilobytesPerCheckpoint,
    }),
    ...on(ALL, {
      name: 'overhead on turns of 100 ms (files on)',
      files: true,
      bar: { atMost: 5, unit: '%' },
      how: `5 turns whose tool takes 100 ms, one by one beside 5 bare waits of 100 ms, ${WITH_FILES}`,
      prepare: (site) => overheadOf(site, asTurn),
    }),
    ...on(ALL, {
      name: 'resume after 10,000 steps',
      bar: { atMost: 300, unit: 'ms' },
      how: 'in a new process that has imported the engine and the driver: from openEngine until the first step begins that is not remembered, over 10,000 that are, of 1 KB each',
      prepare: resumeTime,
    }),
    {
      name: 'JSON: step / append + fdatasync',
      bar: { atLeast: 0.4 },
      how: `${STEP}; against writeSync of 1,024 random bytes and fdatasyncSync`,
      prepare: async () => stepsAgainst(scratch, await newSite(scratch, 'json'), 1, append),
    },
    {
      name: 'SQLite: step / append + fdatasync',
      bar: { atLeast: 0.5 },
      how: `${STEP}; against writeSync of 1,024 random bytes and fdatasyncSync`,
      prepare: async () => stepsAgainst(scratch, await newSite(scratch, 'sqlite'), 1, append),
    },
    {
      name: 'PostgreSQL: step / raw insert',
      bar: { atLeast: 0.6 },
      how: `${STEP}; against a named insert of 1,024 bytes with pg, one client`,
      prepare: async () => stepsAgainst(scratch, await newSite(scratch, 'postgres'), 1, postgresInserts(1)),
    },
    {
      name: 'SQLite: steps of 100 tasks / raw inserts, 100 to a transaction',
      bar: { atLeast: 0.5 },
      how: `${STEP}, 100 tasks at once; against a prepared insert of 1,024 bytes with node:sqlite, WAL, synchronous FULL, 100 to a transaction`,
      prepare: async () => stepsAgainst(scratch, await newSite(scratch, 'sqlite'), 100, sqliteInserts(100)),
    },
    {
      name: 'PostgreSQL: steps of 100 tasks / raw inserts of 16 clients',
      bar: { atLeast: 0.5 },
      how: `${STEP}, 100 tasks at once; against 16 clients with the raw insert`,
      prepare: async () =>
        stepsAgainst(scratch, await newSite(scratch, 'postgres'), 100, postgresInserts(16)),
    },
    ...on(ALL, {
      name: 'overhead on steps of 100 ms',
      bar: { atMost: 1, unit: '%' },
      how: '5 steps that take 100 ms, one by one beside 5 bare waits of 100 ms',
      prepare: (site) => overheadOf(site, asStep),
    }),
    ...on(ALL, {
      name: 'memory of a task of 10,000 turns',
      bar: { atMost: 150, unit: 'MB' },
      how: 'a new process resumes a task with 10,000 such turns, takes 100 more, pauses it and closes: its largest resident set, less that of one that has imported the same and does nothing',
      prepare: memoryOfLongTask,
    }),
  ];
}

type Prepare = (site: Site) => Promise<Comparison | Measurement>;
