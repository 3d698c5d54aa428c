/** Steps per second of one task, and of 16 at once. */
import type { Table } from '../results.ts';
import { takeRounds } from '../rounds.ts';
import { openAll, type Site, workerOf } from './site.ts';

const AT_ONCE = 16;

export async function stepsTables(site: Site): Promise<Table[]> {
  const { rounds, stepsOfOne, stepsOfMany } = site.sizes;
  const { opened, left } = await openAll(site, 'steps');
  const workers = opened.map((each) => ({ ...each, worker: workerOf(each) }));
  const rowsOf = (tasks: number, steps: number) =>
    takeRounds(
      workers.map(({ contender, worker }) => ({
        name: contender.name,
        ours: contender.peer === null,
        measure: () => worker.call('steps', tasks, steps),
      })),
      rounds,
    );
  try {
    site.tell('steps of 1 task');
    const one = await rowsOf(1, stepsOfOne);
    site.tell('steps of 16 tasks');
    const many = await rowsOf(AT_ONCE, stepsOfMany);
    return [
      { id: 'steps-1', rows: [...one, ...left] },
      { id: 'steps-16', rows: [...many, ...left] },
    ];
  } finally {
    for (const { worker, place } of workers) {
      await worker.close();
      await place.remove();
    }
  }
}
