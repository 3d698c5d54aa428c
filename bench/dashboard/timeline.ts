/** What the timeline of a task of 100,000 steps costs: read for the first time, then a page at a time. */
import { timelineOf } from '../../src/engine/reading/timeline/kept.ts';
import { defineTask, type Engine } from '../../src/index.ts';
import { newSite, openAt, type Site } from '../engine/site.ts';
import type { Figure, Measurement, Scratch } from '../harness.ts';
import { manySteps, type OfManySteps } from './many-steps.ts';

const STEPS = 100_000;
const AT_ONCE = 100;
const STORES = ['json', 'sqlite'] as const;
type StoreType = (typeof STORES)[number];

const many = defineTask<void>(
  'many',
  async (task) => {
    for (let n = 0; n < STEPS; n += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) => task.step('step', () => `result ${n + at}`)),
      );
  },
  { version: '1' },
);

export function timelineFigures(scratch: Scratch): Figure[] {
  const made = new Map<StoreType, Promise<Recorded>>();
  const recorded = (type: StoreType): Promise<Recorded> => {
    const known = made.get(type) ?? newSite(scratch, type).then(record);
    made.set(type, known);
    return known;
  };
  const shown = (name: string, bar: Figure['bar'], how: string, figure: OfManySteps): Figure => ({
    name: `100,000 steps: ${name}`,
    bar,
    how: `${how}; in a real browser, of a task of 100,000 steps (JSON)`,
    prepare: async () => manySteps(await recorded('json'), figure),
  });
  const onPage: Figure[] = [
    shown(
      'first rows, cold',
      { atMost: 1500, unit: 'ms' },
      'from the address to the first row, with a server that was just started',
      'cold',
    ),
    shown(
      'first rows, warm',
      { atMost: 400, unit: 'ms' },
      'the same, once the server has read the task',
      'warm',
    ),
    shown('elements', { atMost: 600, unit: 'nodes' }, 'elements in the page', 'nodes'),
    shown('heap', { atMost: 40, unit: 'MB' }, 'memory of the page’s script', 'heap'),
    shown('End', { atMost: 300, unit: 'ms' }, 'from the key to the last row, filled', 'end'),
    shown(
      'scrolling, p95',
      { atMost: 33, unit: 'ms' },
      '300 frames over the whole list: time between two',
      'scroll',
    ),
    shown(
      'memory of the server',
      { atMost: 60, unit: 'MB' },
      'growth of its resident memory by showing the task',
      'rss',
    ),
  ];
  return [
    ...onPage,
    ...STORES.flatMap((type): Figure[] => {
      const figure = (name: string, bar: Figure['bar'], how: string, measure: Measured): Figure => ({
        name: `${name} (${type})`,
        bar,
        how,
        prepare: async () => measuring(await recorded(type), measure),
      });
      return [
        figure(
          'timeline, cold',
          { atMost: 1000, unit: 'ms' },
          '100,000 steps read for the first time, and 200 rows of them',
          async (engine, id) => {
            const start = performance.now();
            await engine.reader.timeline(id, { limit: 200 });
            return performance.now() - start;
          },
        ),
        figure(
          'timeline, a later page',
          { atMost: 20, unit: 'ms' },
          '200 rows in the middle, once it was read',
          async (engine, id) => {
            await engine.reader.timeline(id, { limit: 0 });
            const start = performance.now();
            await engine.reader.timeline(id, { from: STEPS / 2, limit: 200 });
            return performance.now() - start;
          },
        ),
        figure(
          'timeline, bytes a row',
          { atMost: 120, unit: 'B' },
          'columns and texts of 100,000 steps, without their checkpoints',
          async (engine, id) => {
            const { index } = await timelineOf(engine.storage, id);
            return (index.bytes() - index.events.bytes()) / index.rows.length;
          },
        ),
        figure(
          'show --brief, again',
          { atMost: 100, unit: 'ms' },
          'all about the task without its steps, once its timeline was read',
          async (engine, id) => {
            await engine.reader.view(id, { brief: true });
            const start = performance.now();
            await engine.reader.view(id, { brief: true });
            return performance.now() - start;
          },
        ),
      ];
    }),
  ];
}

export interface Recorded {
  readonly id: string;
  readonly site: Site;
  open(): Promise<Engine>;
}

/** Side by side, since one after another each would wait for the disk. */
async function record(site: Site): Promise<Recorded> {
  const engine = await openAt(site);
  const { id, result } = await engine.start(many, undefined);
  await result;
  await engine.close();
  return { id, site, open: () => openAt(site) };
}

type Measured = (engine: Engine, task: string) => Promise<number>;

/** Each time with an engine of its own, on a store that was just opened. */
function measuring({ id, open }: Recorded, measure: Measured): Measurement {
  return {
    async measure() {
      const engine = await open();
      try {
        return await measure(engine, id);
      } finally {
        await engine.close();
      }
    },
    close: async () => {},
  };
}
