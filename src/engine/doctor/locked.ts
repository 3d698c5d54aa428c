/** Checks an encrypted store without its key: whether its bytes are those that were stored. */
import { everyTask } from '../../storage/walk.ts';
import { type OnProgress, trackProgress } from '../../system/progress.ts';
import { exposedIn, nothingSeen, type Patient, troublesOf } from './examine.ts';
import type { Examined, StoreFinding } from './finding.ts';

/** `patient.storage` is the store without decryption. Yields problems as they are found; none can be repaired. */
export async function* examineLocked(
  patient: Patient,
  seen: Examined = nothingSeen(),
  onProgress?: OnProgress,
): AsyncGenerator<StoreFinding> {
  const { storage } = patient;
  yield* exposedIn(patient);
  const progress = trackProgress(onProgress);
  try {
    for await (const finding of troublesOf(storage, progress.of('check_store')))
      yield { ...finding, mend: null };
  } finally {
    progress.end();
  }
  for await (const _ of storage.listBlobs(null)) seen.blobs++;
  for await (const task of everyTask(storage)) {
    seen.tasks++;
    for await (const _ of storage.listBlobs(task)) seen.blobs++;
    seen.entries += (await storage.position(task).catch(() => NOTHING)).seq;
  }
}

const NOTHING = { seq: 0 };
