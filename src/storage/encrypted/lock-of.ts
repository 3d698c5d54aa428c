/** How a store is encrypted, without opening it. */
import type { Storage } from '../contract.ts';
import { type LockedKey, readLocked } from './locked-key.ts';
import { KEYS, ROOT } from './names.ts';

export { unlock } from './locked-key.ts';

/** Null when it is not encrypted. */
export async function lockOf(store: Storage): Promise<LockedKey | null> {
  const record = await store.get(KEYS, ROOT);
  return record && readLocked(record.data);
}
