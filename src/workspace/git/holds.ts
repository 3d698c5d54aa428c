/** Releases holds on git objects that no snapshot needs any more, in the repositories of this machine. */
import type { Storage } from '../../storage/contract.ts';
import { timeOfId } from '../../system/ids.ts';
import { rootsHere } from './noted.ts';
import { openRepository } from './repository.ts';
import { storeId } from './store-id.ts';

interface Release {
  /** Objects needed by the remaining snapshots. */
  readonly needed: ReadonlySet<string>;
  /** Only those made before: a younger one may be for a snapshot that is about to be stored. */
  readonly made_before: Date;
  readonly dry: boolean;
}

/** Returns how many were released, or would be. */
export async function releaseHolds(storage: Storage, { needed, made_before, dry }: Release): Promise<number> {
  const roots = await rootsHere(storage);
  if (roots.length === 0) return 0;
  const store = await storeId(storage);
  const released = new Set<string>();
  for (const root of roots) {
    const repository = await openRepository(root, store);
    if (!repository) continue;
    const gone = (await repository.holds()).filter(
      (hold) => !needed.has(hold) && timeOfId(hold) < made_before.getTime(),
    );
    repository.close();
    if (gone.length === 0 || !(dry || (await repository.release(gone)))) continue;
    for (const hold of gone) released.add(hold);
  }
  return released.size;
}
