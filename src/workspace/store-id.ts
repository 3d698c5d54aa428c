/** What tells a store from others: of several that hold objects of one git repository, each releases its own. */
import { StaleWriteError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { newId } from '../system/ids.ts';

const PLACE = { category: 'snapshots', key: 'store' } as const;

/** Given by whoever asks first. */
export async function storeId(storage: Storage): Promise<string> {
  const known = await storage.load(PLACE.category, PLACE.key);
  if (known !== null) return (known as { id: string }).id;
  const id = newId('s');
  try {
    await storage.commit({ task: null, records: [{ ...PLACE, data: { id }, expect: 0 }] });
    return id;
  } catch (error) {
    if (error instanceof StaleWriteError) return storeId(storage);
    throw error;
  }
}
