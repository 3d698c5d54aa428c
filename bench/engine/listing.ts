/** How long it takes to list the checkpoints of a task, for an engine that did not write them. */
import type { Measurement } from '../harness.ts';
import { nextText } from '../storage/payloads.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site } from './site.ts';

/** Milliseconds of the first list by an engine that was opened for it; opening is not counted. */
export async function listTime(given: Site, count: number): Promise<Measurement> {
  const site = { ...given, max_per_task: 2 * count };
  const writing = await openAt(site);
  const { task, end } = await startDriven(writing);
  for (let step = 0; step < count; step++) await task.step('step', nextText);
  await end();
  await writing.close();
  const measure = async (): Promise<number> => {
    const engine = await openAt(site);
    try {
      const start = performance.now();
      const { length } = await engine.checkpoints.listCheckpoints(task.id);
      const took = performance.now() - start;
      if (length < count) throw new Error(`Only ${length} of ${count} checkpoints were listed.`);
      return took;
    } finally {
      await engine.close();
    }
  };
  return { measure, close: site.remove };
}
