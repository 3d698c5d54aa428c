/** The figures of the engine, each with its bar. */
import type { Bar, Comparison, Figure, Measurement, Scratch } from '../harness.ts';
import { type BackEndType, NAMES } from '../storage/back-ends.ts';
import { insertIntoPostgres, insertIntoSqlite } from '../storage/floors.ts';
import { kilobytesPerCheckpoint, lateAgainstEarly, relativeBytes } from './growth.ts';
import { listTime } from './listing.ts';
import { loadAgainstFile, loadAgainstSelect, loadTime } from './load.ts';
import { asStep, asTurn, overheadBeyond, overheadOf, saveTime } from './overhead.ts';
import { memoryOfLongTask, resumeTime } from './resuming.ts';
import { FILES, newSite, type Site } from './site.ts';
import { stepsFigures } from './steps-figures.ts';

const TURNS =
  '1,000 turns of one task, each a message of 1 KB from the user, one of 1 KB from the assistant and a tool call with an output of 4 KB, random text, with a checkpoint at its end';
const LOAD = `loadCheckpoint of the newest after ${TURNS}, its whole context, by an engine that did not write it`;
const WITH_FILES = `in a repository of ${FILES} files that the engine captures, with one of 2 KB rewritten in each`;

export function engineFigures(scratch: Scratch): Figure[] {
  /** One figure per store that has a bar. */
  const on = (
    bars: Partial<Record<BackEndType, Bar>>,
    { name, how, files, prepare }: Omit<Figure, 'prepare' | 'bar'> & { prepare: Prepare; files?: boolean },
  ): Figure[] =>
    (Object.keys(bars) as BackEndType[]).map((type) => ({
      name: `${NAMES[type]}: ${name}`,
      bar: bars[type]!,
      how,
      prepare: async () => prepare(await newSite(scratch, type, files)),
    }));
  const rawInsert = ({ url }: Site) =>
    url === null ? insertIntoSqlite(scratch, 1) : insertIntoPostgres(url, 1);

  return [
    ...on(
      { json: { atMost: 1.3 }, sqlite: { atMost: 1.4 } },
      {
        name: '1,000 turns, bytes / payload',
        how: `${TURNS}, automatic clean-up off: bytes of every file of the store, WAL included, the larger of while it is open and after it was closed; relative to 6,144 bytes a turn; measured once. Then 10 random turns are loaded by the ids of their checkpoints, and a task is forked from one`,
        prepare: relativeBytes,
      },
    ),
    ...on(all({ atMost: 1.3 }), {
      name: 'turns 951-1000 / turns 101-150',
      how: `${TURNS}, automatic clean-up off: median of the last 50 relative to that of 50 early ones, a new task each round after one that does not count`,
      prepare: lateAgainstEarly,
    }),
    ...on(local({ atMost: 2 }), {
      name: 'load the context of 1,000 turns / one file',
      how: `${LOAD}; against readFileSync of one file with the same context, SHA-256 and JSON.parse`,
      prepare: (site) => loadAgainstFile(site, 1000),
    }),
    ...on(
      { postgres: { atMost: 2 } },
      {
        name: 'load the context of 1,000 turns / bare SELECT',
        how: `${LOAD}; against a named SELECT of the rows of its journal with pg, one client`,
        prepare: (site) => loadAgainstSelect(site, 1000),
      },
    ),
    ...on(all({ atMost: 30, unit: 'ms' }), {
      name: 'list 1,000 checkpoints',
      how: 'listCheckpoints of a task of 1,000 steps of 1 KB that has ended, all of them kept by `cleanup.max_per_task`, by an engine just opened; opening not counted',
      prepare: (site) => listTime(site, 1000),
    }),
    ...on(all({ atMost: 10, unit: 'ms' }), {
      name: 'save a checkpoint (files on)',
      files: true,
      how: `from deciding on it until it is on the disk, with the step it belongs to; median of 20 turns, ${WITH_FILES}`,
      prepare: saveTime,
    }),
    ...on(all({ atMost: 5, unit: 'ms' }), {
      name: 'load a checkpoint of 100 turns (files on)',
      files: true,
      how: `loadCheckpoint of the newest after 100 such turns, its whole context of 600 KB, ${WITH_FILES}`,
      prepare: (site) => loadTime(site, 100),
    }),
    ...on(local({ atMost: 5, unit: 'KB' }), {
      name: 'bytes per checkpoint (files on)',
      files: true,
      how: `${TURNS}: every byte of the store beyond the payload and the files' content, per turn; hard links to git's own objects, which take no space, are not counted; measured once; ${WITH_FILES}`,
      prepare: kilobytesPerCheckpoint,
    }),
    ...on(all({ atMost: 5, unit: '%' }), {
      name: 'overhead on turns of 100 ms (files on)',
      files: true,
      how: `5 turns whose tool takes 100 ms, in turns with 5 bare waits of 100 ms, ${WITH_FILES}`,
      prepare: (site) => overheadOf(site, asTurn),
    }),
    ...on(all({ atMost: 2, unit: '%' }), {
      name: 'overhead on steps of 100 ms (files on)',
      files: true,
      how: `5 steps that take 100 ms, in turns with 5 bare waits of 100 ms, ${WITH_FILES}`,
      prepare: (site) => overheadOf(site, asStep),
    }),
    ...on(all({ atMost: 0.7, unit: 'points' }), {
      name: 'overhead on steps of 100 ms beyond that of a raw insert',
      how: '5 steps that take 100 ms, in turns with 5 bare waits of 100 ms and 5 that are followed by a raw insert of 1,024 bytes (node:sqlite, WAL, synchronous FULL; on PostgreSQL pg, one client): what the steps take more than the waits with the insert, in per cent of the bare waits',
      prepare: async (site) => overheadBeyond(site, await rawInsert(site)),
    }),
    ...on(
      {
        json: { atMost: 150, unit: 'ms' },
        sqlite: { atMost: 150, unit: 'ms' },
        postgres: { atMost: 250, unit: 'ms' },
      },
      {
        name: 'resume after 10,000 steps',
        how: 'in a new process that has imported the engine, the store and the driver: from openEngine until the first step begins that is not remembered, over 10,000 that are, of 1 KB each',
        prepare: resumeTime,
      },
    ),
    ...stepsFigures(scratch),
    ...on(all({ atMost: 120, unit: 'MB' }), {
      name: 'memory of a task of 10,000 turns',
      how: 'a new process resumes a task with 10,000 such turns, takes 100 more, pauses it and closes: its largest resident set, less that of one that has imported the same and does nothing',
      prepare: memoryOfLongTask,
    }),
  ];
}

type Prepare = (site: Site) => Promise<Comparison | Measurement>;

function local(bar: Bar): Partial<Record<BackEndType, Bar>> {
  return { json: bar, sqlite: bar };
}

function all(bar: Bar): Record<BackEndType, Bar> {
  return { json: bar, sqlite: bar, postgres: bar };
}
