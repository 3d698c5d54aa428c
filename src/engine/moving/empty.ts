/** Empties a store, so that its bytes are gone, too. */
import type { RecordWrite, Storage } from '../../storage/contract.ts';
import { everyTask, keysIn } from '../../storage/walk.ts';
import type { Done } from '../../system/progress.ts';
import { blobsOf } from './blobs.ts';

const AT_ONCE = 200;

/** Keeps only these records; returns about how many bytes were freed. TASK_OWNED while a task runs. */
export async function emptyStore(
  store: Storage,
  kept: readonly { readonly category: string; readonly key: string }[],
  at: Done = () => {},
): Promise<number> {
  const before = await store.size();
  const tasks = await Array.fromAsync(everyTask(store));
  for (const [done, task] of tasks.entries()) {
    at(done, tasks.length);
    await store.removeTask(task);
  }
  for (const category of await store.categories()) {
    const stays = new Set(kept.filter((one) => one.category === category).map(({ key }) => key));
    const keys = (await keysIn(store, category)).filter((key) => !stays.has(key));
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const part = keys.slice(at, at + AT_ONCE);
      const records = part.map((key): RecordWrite => ({ category, key, remove: true }));
      await store.commit({ task: null, records });
    }
  }
  await store.deleteBlobs(null, await blobsOf(store, null));
  await store.compact(null);
  return Math.max(0, before - (await store.size()));
}
