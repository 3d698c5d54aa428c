/** Durable steps per second: one task or many in one process, against what the medium does bare. */
import { type Comparison, ratePerSecond, runDueTimers, type Scratch } from '../harness.ts';
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
  const driven = await Promise.all(Array.from({ length: tasks }, () => startDriven(engine)));
  const workers = driven.map(({ task }) => async (): Promise<void> => {
    await task.step('step', nextText);
  });
  const kept = opened.move();
  return {
    floor: floor.rate,
    subject: () => ratePerSecond(workers, runDueTimers),
    close: () => kept.disposeAsync(),
  };
}
