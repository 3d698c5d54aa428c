/** The figures of what is seen of tasks while others run them. */

import { newSite, type Site } from '../engine/site.ts';
import type { Bar, Figure, Measurement, Scratch } from '../harness.ts';
import { type BackEndType, NAMES } from '../storage/back-ends.ts';
import { firstPage, watchedList } from './listing.ts';
import { idleShare, untilSeen } from './watching.ts';

const SEEN =
  '60 plain steps in another process, 20 to 120 ms apart: from the end of its function to the batch of watchTask here that has the entry';
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

  return [
    ...on(soon, 'step elsewhere → seen, p50', SEEN, (site) => untilSeen(site, 0.5)),
    ...on(soon, 'step elsewhere → seen, p95', SEEN, (site) => untilSeen(site, 0.95)),
    ...on(
      all({ atMost: 1, unit: '% CPU' }),
      'watching 100 tasks while nothing happens',
      '100 tasks, 10 of them waiting in another process: CPU time of this process over 10 s of watchTasks, relative to those',
      idleShare,
    ),
    ...on(
      { json: { atMost: 500, unit: 'ms' }, sqlite: { atMost: 500, unit: 'ms' } },
      '10,000 tasks, first page',
      `${MANY}: the 50 newest rows, by a reader that was opened for it`,
      firstPage,
    ),
    ...on(
      { json: { atMost: 500, unit: 'ms' }, sqlite: { atMost: 500, unit: 'ms' } },
      '10,000 tasks, counted while watched',
      `${MANY}, watched: one more is queued; from its row being told, the 50 newest rows and all counts`,
      watchedList,
    ),
  ];
}
