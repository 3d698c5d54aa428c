/** SIGTERM to a worker, as every deploy sends it: its tasks are the next worker's, and nobody has to resume them. */
import { expect, test } from 'vitest';
import { SOURCES } from '../crash/mutants.ts';
import { unlessFull } from '../support/full.ts';
import { roll } from '../workers/rolling.ts';

test.each(unlessFull(['json'] as const, ['json', 'postgres'] as const))(
  '%s: workers are replaced while tasks run: none is paused, all are done, no step runs twice',
  async (store) => {
    const size = { tasks: 18, workers: 3, every_ms: 200, step_ms: 200 };
    const { statuses, ends, runs, again } = await roll({ src: SOURCES, store, ...size });
    expect(statuses).toEqual({ completed: 18 });
    expect(ends).toEqual({ SIGTERM: 3 });
    expect(runs.released).toBeGreaterThan(0);
    expect(again).toEqual([]);
  },
);
