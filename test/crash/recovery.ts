/** What every campaign does with a store that something happened to: open it, judge it, use it, open it again. */
import type { Storage } from '../../src/storage/contract.ts';
import { broken, checkLanes, checkVerify, type Progress } from './oracle.ts';
import { runLane } from './runner.ts';
import { openStore, type StorePlace } from './stores.ts';

/**
 * Throws Broken when a promise did not hold. With `then`, one more operation of that lane is done and the store is
 * opened again. Lanes say afterwards how far they really are; the answer is how far each was when the store was opened.
 */
export async function checkRecovered(
  place: StorePlace,
  lanes: readonly Progress[],
  then?: Progress,
): Promise<Map<string, number>> {
  const found = await using(place, async (storage) => {
    await checkLanes(storage, lanes);
    await checkVerify(storage);
    const reached = new Map(lanes.map(({ lane, acked }) => [lane.name, acked]));
    if (then) await goOn(storage, then);
    return reached;
  });
  if (then) await using(place, (storage) => checkLanes(storage, lanes));
  return found;
}

/** Opens, runs, closes; an error of the project where none is due is broken too. */
export async function using<T>(place: StorePlace, run: (storage: Storage) => Promise<T>): Promise<T> {
  try {
    const storage = await openStore(place);
    try {
      return await run(storage);
    } finally {
      await storage.close();
    }
  } catch (error) {
    throw broken(error);
  }
}

async function goOn(storage: Storage, progress: Progress): Promise<void> {
  await runLane(storage, progress.lane).run(progress.acked + 1);
  progress.acked++;
}
