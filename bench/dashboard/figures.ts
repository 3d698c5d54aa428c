/** The figures of what is seen of tasks while others run them. */

import { newSite, type Site } from '../engine/site.ts';
import type { Bar, Figure, Measurement, Scratch } from '../harness.ts';
import { type BackEndType, NAMES } from '../storage/back-ends.ts';
import { firstHunk } from './diffs.ts';
import { firstPage, watchedList } from './listing.ts';
import { changeShown, listShown } from './many-tasks.ts';
import { idleServer, untilShown } from './on-page.ts';
import { opening, otherCommands, packageGrowth, untilAddress, wholePage } from './opening.ts';
import { timelineFigures } from './timeline.ts';
import { idleShare, untilSeen } from './watching.ts';

const SEEN =
  '60 plain steps in another process, 20 to 120 ms apart: from the end of its function to the batch of watchTask here that has the entry';
const ON_PAGE =
  '60 plain steps in another process, 20 to 120 ms apart: from the end of its function to its row in a real browser';
const MANY = '10,000 queued tasks';

export function dashboardFigures(scratch: Scratch): Figure[] {
  const on = (
    bars: Partial<Record<BackEndType, Bar>>,
    name: string,
    how: string,
    prepare: (site: Site) => Promise<Measurement>,
  ): Figure[] =>
    (Object.keys(bars) as BackEndType[]).map((type) => ({
      name: `${NAMES[type]}: ${name}`,
      bar: bars[type]!,
      how,
      prepare: async () => prepare(await newSite(scratch, type)),
    }));
  const all = (bar: Bar) => ({ json: bar, sqlite: bar, postgres: bar });
  const soon = { ...all({ atMost: 250, unit: 'ms' }), postgres: { atMost: 1000, unit: 'ms' } };

  const one = (name: string, bar: Bar, how: string, prepare: () => Promise<Measurement>): Figure => ({
    name,
    bar,
    how,
    prepare,
  });
  const opened = (name: string, bar: Bar, how: string, figure: Parameters<typeof opening>[1]): Figure =>
    one(name, bar, `${how}; 53 tasks, a browser with an empty cache`, async () =>
      opening(await newSite(scratch, 'json'), figure),
    );
  const files = (what: Parameters<typeof firstHunk>[1], how: string): Figure =>
    one(
      `diff of ${what}`,
      { atMost: 300, unit: 'ms' },
      `${how}; from opening the files of a task to the first line`,
      async () => firstHunk({ ...(await newSite(scratch, 'json')), files: true }, what),
    );

  return [
    opened(
      'first paint, bytes',
      { atMost: 40, unit: 'kB' },
      'of its files, what came over the wire before it',
      'bytes',
    ),
    opened(
      'first paint, requests',
      { atMost: 4, unit: 'requests' },
      'for its files, answered before it',
      'requests',
    ),
    one(
      'whole page',
      { atMost: 90, unit: 'kB' },
      'all files of the page in one language, each by gzip -9',
      wholePage,
    ),
    one('package, growth by the page', { atMost: 10, unit: '%' }, 'packed with and without it', () =>
      packageGrowth(scratch),
    ),
    opened('first contentful paint', { atMost: 200, unit: 'ms' }, 'as the browser tells it', 'paint'),
    opened('list ready', { atMost: 400, unit: 'ms' }, 'from the navigation until tasks are listed', 'list'),
    one(
      'ui → address',
      { atMost: 300, unit: 'ms' },
      'from the start of the process to the printed address',
      async () => untilAddress(await newSite(scratch, 'json')),
    ),
    one(
      'other commands, with and without it',
      { atMost: 2, unit: 'ms' },
      'tasks --json, 20 times each in turns, and in a copy without the page and its text: difference of the quicker quarters',
      async () => otherCommands(scratch),
    ),
    ...on(soon, 'step elsewhere → on the page, p95', ON_PAGE, (site) => untilShown(site, 0.95)),
    ...on(
      all({ atMost: 1, unit: '% CPU' }),
      'idle server with 100 tasks and a page',
      '100 tasks, 10 of them waiting in another process: CPU time of the server over 10 s, relative to those',
      idleServer,
    ),
    ...on(
      all({ atMost: 500, unit: 'ms' }),
      '10,000 tasks, list on the page',
      `${MANY}: from the navigation until tasks are listed`,
      listShown,
    ),
    ...on(
      all({ atMost: 500, unit: 'ms' }),
      '10,000 tasks, one more on the page',
      `${MANY}: from a task being queued in another process until its row is there`,
      changeShown,
    ),
    files('long file', 'one file of 10,000 lines, of which every tenth changed'),
    files('many files', '1,000 files with a line more each'),
    ...timelineFigures(scratch),
    ...on(soon, 'step elsewhere → seen, p50', SEEN, (site) => untilSeen(site, 0.5)),
    ...on(soon, 'step elsewhere → seen, p95', SEEN, (site) => untilSeen(site, 0.95)),
    ...on(
      all({ atMost: 1, unit: '% CPU' }),
      'watching 100 tasks while nothing happens',
      '100 tasks, 10 of them waiting in another process: CPU time of this process over 10 s of watchTasks, relative to those',
      idleShare,
    ),
    ...on(
      all({ atMost: 500, unit: 'ms' }),
      '10,000 tasks, first page',
      `${MANY}: the 50 newest rows, by a reader that was opened for it`,
      firstPage,
    ),
    ...on(
      all({ atMost: 500, unit: 'ms' }),
      '10,000 tasks, counted while watched',
      `${MANY}, watched: one more is queued; from its row being told, the 50 newest rows and all counts`,
      watchedList,
    ),
  ];
}
