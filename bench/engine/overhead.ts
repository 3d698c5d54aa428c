/** What durability adds to work that takes its time, and how long a checkpoint takes to be saved meanwhile. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { TaskContext } from '../../src/index.ts';
import { median } from '../harness/rounds.ts';
import type { Measurement } from '../harness.ts';
import type { Floor } from '../storage/floors.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site } from './site.ts';
import { editsIn, takeTurn, takeTurns } from './turns.ts';

const WORK_MS = 100;
const TIMES = 5;

const work = (): Promise<void> => sleep(WORK_MS);

/** How the work is done durably at a site. */
export type Durably = (site: Site) => (task: TaskContext) => Promise<void>;

export const asStep: Durably = (site) => {
  const edit = editsIn(site);
  return (task) => task.step('work', () => work().then(edit));
};
export const asTurn: Durably = (site) => {
  const edit = editsIn(site);
  return (task) => takeTurn(task, () => work().then(edit));
};

/** By how many per cent the work takes longer when it is done durably. */
export async function overheadOf(site: Site, durably: Durably): Promise<Measurement> {
  const { doIt, close } = await openDurable(site, durably);
  const measure = async (): Promise<number> => {
    const [bare, durable] = await millisecondsOfEach([work, doIt]);
    return (durable! / bare! - 1) * 100;
  };
  return { measure, close };
}

/** By how many points more a durable step adds to the work than a raw insert of 1 KB after it does, in the same loop. */
export async function overheadBeyond(site: Site, floor: Floor): Promise<Measurement> {
  const { doIt, close } = await openDurable(site, asStep);
  const insertAfter = async (): Promise<void> => {
    await work();
    await floor.once();
  };
  const measure = async (): Promise<number> => {
    const [bare, raw, durable] = await millisecondsOfEach([work, insertAfter, doIt]);
    return ((durable! - raw!) / bare!) * 100;
  };
  return { measure, close: () => floor.close().finally(close) };
}

/** Milliseconds from deciding on a checkpoint until it is on the disk, as the engine reports it. */
export async function saveTime(site: Site): Promise<Measurement> {
  const engine = await openAt(site);
  const { task } = await startDriven(engine);
  const took: number[] = [];
  engine.on('checkpoint', ({ duration_ms }) => took.push(duration_ms));
  const measure = async (): Promise<number> => {
    took.length = 0;
    await takeTurns(task, 20, editsIn(site));
    return median(took);
  };
  return { measure, close: () => engine.close().finally(site.remove) };
}

async function openDurable(site: Site, durably: Durably) {
  const engine = await openAt(site);
  const { task } = await startDriven(engine);
  const once = durably(site);
  return { doIt: () => once(task), close: () => engine.close().finally(site.remove) };
}

/** The sum of the times that each takes, in turns; another begins each time. */
async function millisecondsOfEach(ways: readonly (() => Promise<void>)[]): Promise<number[]> {
  const took = ways.map(() => 0);
  for (let time = 0; time < TIMES; time++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const at = (turn + time) % ways.length;
      took[at]! += await millisecondsOf(ways[at]!);
    }
  }
  return took;
}

/**
 * Timers go by whole milliseconds: a wait is shorter the later in one it begins. So each begins at a random part of one, not
 * where what was measured before it ended.
 */
async function millisecondsOf(run: () => Promise<void>): Promise<number> {
  const begin = performance.now() + 1 + Math.random();
  while (performance.now() < begin) await nextTurn();
  const start = performance.now();
  await run();
  return performance.now() - start;
}
