/** The snapshots that were last used, in memory: the newest ones share most of their content, and are used again soon. */
import type { Storage } from '../../storage/contract.ts';
import type { StoresHere } from '../rules/store-files.ts';
import { loadSnapshot, type StoredSnapshot } from './snapshots.ts';

const MOST_REMEMBERED = 16;

interface RecentSnapshots {
  load(id: string): Promise<StoredSnapshot>;
  add(snapshot: StoredSnapshot): void;
}

export function recentSnapshots(storage: Storage, stores: StoresHere): RecentSnapshots {
  const recent = new Map<string, StoredSnapshot>();
  const add = (snapshot: StoredSnapshot): void => {
    recent.delete(snapshot.id);
    recent.set(snapshot.id, snapshot);
    if (recent.size > MOST_REMEMBERED) recent.delete(recent.keys().next().value!);
  };
  const load = async (id: string): Promise<StoredSnapshot> => {
    const found = recent.get(id) ?? (await loadSnapshot(storage, id));
    const tree = stores.known().without(found.tree);
    const clean = tree === found.tree ? found : { ...found, tree };
    add(clean);
    return clean;
  };
  return { load, add };
}
