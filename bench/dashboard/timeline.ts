/** What the timeline of a task of 100,000 steps costs: read for the first time, then a page at a time. */
import { mkdirSync } from 'node:fs';
import { timelineOf } from '../../src/engine/reading/timeline/kept.ts';
import { defineTask, type Engine, openEngine } from '../../src/index.ts';
import type { Figure, Measurement, Scratch } from '../harness.ts';

const STEPS = 100_000;
const STORES = ['json', 'sqlite'] as const;
type StoreType = (typeof STORES)[number];

const many = defineTask<void>(
  'many',
  async (task) => {
    for (let n = 0; n < STEPS; n++) await task.step('step', () => `result ${n}`);
  },
  { version: '1' },
);

export function timelineFigures(scratch: Scratch): Figure[] {
  const made = new Map<StoreType, Promise<Recorded>>();
  const recorded = (type: StoreType): Promise<Recorded> => {
    const known = made.get(type) ?? record(scratch.fresh(`timeline-${type}`), type);
    made.set(type, known);
    return known;
  };
  return STORES.flatMap((type): Figure[] => {
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
  });
}

interface Recorded {
  readonly id: string;
  open(): Promise<Engine>;
}

async function record(project_dir: string, type: StoreType): Promise<Recorded> {
  mkdirSync(project_dir, { recursive: true });
  const config = { persistence: { storage_type: type }, checkpoints: {} };
  const open = (): Promise<Engine> =>
    openEngine({ project_dir, config, signals: false, automatic_cleanup: false, telemetry: false });
  const engine = await open();
  const { id, result } = await engine.start(many, undefined);
  await result;
  await engine.close();
  return { id, open };
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
