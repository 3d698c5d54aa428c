/** What durability adds to work that takes its time, and how long a checkpoint takes to be saved meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskContext } from '../../src/index.ts';
import { median } from '../harness/rounds.ts';
import type { Measurement } from '../harness.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site } from './site.ts';
import { editsIn, takeTurn, takeTurns } from './turns.ts';

const WORK_MS = 100;
const TIMES = 5;

const work = (): Promise<void> => sleep(WORK_MS);

/** How the work is done durably at a site. */
export type Durably = (site: Site) => (task: TaskContext) => Promise<void>;

export const asStep: Durably = () => (task) => task.step('work', work);
export const asTurn: Durably = (site) => {
  const edit = editsIn(site);
  return (task) => takeTurn(task, () => work().then(edit));
};

/** By how many per cent the work takes longer when it is done durably. */
export async function overheadOf(site: Site, durably: Durably): Promise<Measurement> {
  const engine = await openAt(site);
  const { task } = await startDriven(engine);
  const doIt = durably(site);
  const measure = async (): Promise<number> => {
    let bare = 0;
    let durable = 0;
    for (let i = 0; i < TIMES; i++) {
      bare += await millisecondsOf(work);
      durable += await millisecondsOf(() => doIt(task));
    }
    return (durable / bare - 1) * 100;
  };
  return { measure, close: () => engine.close().finally(site.remove) };
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

async function millisecondsOf(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
