/** What tells a store from others: of several that hold objects of one git repository, each releases its own. */
import { CorruptError, StaleWriteError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { newId } from '../../system/ids.ts';

const PLACE = { category: 'snapshots', key: 'store' } as const;

/** Created by the first caller. */
export async function storeId(storage: Storage): Promise<string> {
  const known = await storage.load(PLACE.category, PLACE.key).catch(unlessDamaged);
  if (known !== null && known !== DAMAGED) return (known as { id: string }).id;
  const id = newId('s');
  // If it is damaged, holds under the old id stay.
  const expect = known === DAMAGED ? {} : { expect: 0 };
  try {
    await storage.commit({ task: null, records: [{ ...PLACE, data: { id }, ...expect }] });
    return id;
  } catch (error) {
    if (error instanceof StaleWriteError) return storeId(storage);
    throw error;
  }
}

const DAMAGED: unique symbol = Symbol('damaged');

function unlessDamaged(error: unknown): typeof DAMAGED {
  if (error instanceof CorruptError) return DAMAGED;
  throw error;
}
