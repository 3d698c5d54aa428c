/** Checks an encrypted store without its key: whether its bytes are those that were stored. */
import type { LoadedConfig } from '../../config/load.ts';
import { answering, isDamage } from '../../errors.ts';
import { openUnsealed } from '../../storage/opening/factory.ts';
import { everyTask } from '../../storage/walk.ts';
import { type OnProgress, trackProgress } from '../../system/progress.ts';
import { emptyExamination, exposedIn, findingsOf } from './examine.ts';
import type { Examined, StoreFinding } from './finding.ts';

/** Yields problems as they are found; none can be repaired. */
export async function* examineLocked(
  place: Pick<LoadedConfig, 'config' | 'project_dir'>,
  seen: Examined = emptyExamination(),
  onProgress?: OnProgress,
): AsyncGenerator<StoreFinding> {
  const storage = await openUnsealed(place.config, place);
  const progress = trackProgress(onProgress);
  try {
    yield* exposedIn({ ...place, storage });
    for await (const finding of findingsOf(storage, progress.of('check_store')))
      yield { ...finding, mend: null };
    progress.end();
    for await (const _ of storage.listBlobs(null)) seen.blobs++;
    for await (const task of everyTask(storage)) {
      seen.tasks++;
      for await (const _ of storage.listBlobs(task)) seen.blobs++;
      seen.entries += (await storage.position(task).catch(answering(isDamage, NOTHING))).seq;
    }
  } finally {
    progress.end();
    await storage.close();
  }
}

/** What is damaged was found above. */
const NOTHING = { seq: 0 };
