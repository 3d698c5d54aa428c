/** Lists of very many tasks. */
import { defineTask, type Engine } from '../../src/index.ts';
import { openAt, type Site } from '../engine/site.ts';
import type { Measurement } from '../harness.ts';

const MANY = 10_000;
const PAGE = { statuses: [], resumable: false, find: undefined, sort: 'created', limit: 50 } as const;
export const queued = defineTask('queued', async () => {});

export async function fill(site: Site): Promise<Engine> {
  const engine = await openAt(site);
  for (let n = 0; n < MANY; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => engine.enqueue(queued, undefined)));
  return engine;
}

/** Milliseconds, without opening. */
export async function firstPage(site: Site): Promise<Measurement> {
  await (await fill(site)).close();
  const measure = async (): Promise<number> => {
    const engine = await openAt(site);
    const start = performance.now();
    const { rows } = await engine.reader.rows(PAGE);
    const took = performance.now() - start;
    if (rows.length !== PAGE.limit) throw new Error(`Only ${rows.length} rows were listed.`);
    await engine.close();
    return took;
  };
  return { measure, close: site.remove };
}

/** Milliseconds. */
export async function watchedList(site: Site): Promise<Measurement> {
  const engine = await fill(site);
  const changes = engine.reader.watchTasks();
  let known = 0;
  while (known < MANY) known += (await changes.next()).value.rows.length;
  const measure = async (): Promise<number> => {
    const id = await engine.enqueue(queued, undefined);
    while (!(await changes.next()).value.rows.some((row: { id: string }) => row.id === id));
    const start = performance.now();
    const { counts } = await engine.reader.rows({ ...PAGE, counts: true });
    const took = performance.now() - start;
    if (counts === null || counts.queued <= MANY) throw new Error('Not all of them were counted.');
    return took;
  };
  const close = async (): Promise<void> => {
    await engine.close(); // Ends the changes, too.
    await site.remove();
  };
  return { measure, close };
}
