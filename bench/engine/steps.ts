/** Durable steps of one task or of many in one process: how many in a second against what the medium does bare, and their CPU. */
import type { Engine } from '../../src/index.ts';
import {
  type Comparison,
  type Measurement,
  ratePerSecond,
  runDueTimers,
  type Scratch,
  type Worker,
} from '../harness.ts';
import { appendAndSync, type Floor, insertIntoPostgres, insertIntoSqlite } from '../storage/floors.ts';
import { nextText } from '../storage/payloads.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site } from './site.ts';

export type FloorOf = (scratch: Scratch, site: Site) => Floor | Promise<Floor>;

export const append: FloorOf = (scratch) => appendAndSync(scratch);
export const sqliteInserts =
  (perTransaction: number): FloorOf =>
  (scratch) =>
    insertIntoSqlite(scratch, perTransaction);
export const postgresInserts =
  (clients: number): FloorOf =>
  (_, { url }) =>
    insertIntoPostgres(url!, clients);

export async function stepsAgainst(
  scratch: Scratch,
  site: Site,
  tasks: number,
  openFloor: FloorOf,
): Promise<Comparison> {
  await using opened = new AsyncDisposableStack();
  opened.defer(site.remove);
  const floor = await openFloor(scratch, site);
  opened.defer(floor.close);
  const engine = await openAt(site);
  opened.defer(engine.close);
  const workers = await startStepping(engine, tasks);
  const kept = opened.move();
  return {
    floor: floor.rate,
    subject: () => ratePerSecond(workers, runDueTimers),
    close: () => kept.disposeAsync(),
  };
}

/** Of each task in a round. */
const STEPS = 20;

/** Microseconds of CPU a step, of all threads of the process and in the kernel, with what was put off. */
export async function cpuOfSteps(site: Site, tasks: number): Promise<Measurement> {
  const engine = await openAt(site);
  const workers = await startStepping(engine, tasks);
  const measure = async (): Promise<number> => {
    const before = process.cpuUsage();
    await Promise.all(
      workers.map(async (step) => {
        for (let n = 0; n < STEPS; n++) await step();
      }),
    );
    await engine.storage.flush();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (tasks * STEPS);
  };
  return { measure, close: () => engine.close().finally(site.remove) };
}

async function startStepping(engine: Engine, tasks: number): Promise<Worker[]> {
  const driven = await Promise.all(Array.from({ length: tasks }, () => startDriven(engine)));
  return driven.map(({ task }) => async () => {
    await task.step('step', nextText);
  });
}
