/** If the requirements of the newest checkpoint are not met: finds an older one whose are. Reads only. */
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { type CheckpointValidation, validateCheckpoint } from '../../checkpoint/validation/validate.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { checkpointId } from '../../task/keys.ts';
import { liveCheckpoints, tryCheckpoint } from '../history/checkpoints.ts';
import type { TaskServices } from '../run/services.ts';
import type { Head } from '../task/records/head.ts';
import { environmentOf } from './checkpoint-environment.ts';

/** The user chose to go back to that checkpoint; the caller that resumes the task does it. */
export class GoBack extends EngineError {
  readonly checkpoint: string;

  constructor(task: string, checkpoint: string) {
    super('ENVIRONMENT_CHANGED', phrase`The task goes back to ${checkpoint}, whose requirements are met.`, {
      data: { task, checkpoint },
      hint: phrase`Resume it from there: ${checkpoint}.`,
    });
    this.checkpoint = checkpoint;
  }
}

/** Whether it is the machine or the store that lacks something, not the files, which are decided file by file. */
export function lacksRequirements({ environmental, integrity }: CheckpointValidation): boolean {
  const { workingDirectoryExists, dependenciesAvailable } = environmental;
  return !workingDirectoryExists || !dependenciesAvailable || !integrity.contextAvailable;
}

/** The newest one before it whose requirements are met, apart from files; null if there is none. */
export async function olderThatFits(
  services: Pick<TaskServices, 'storage' | 'workspace' | 'declares'>,
  head: Head,
  newest: CheckpointRecord,
): Promise<CheckpointRecord | null> {
  const environment = environmentOf(services, head, new Set(), { changed: [] });
  for (const place of (await liveCheckpoints(services.storage, head.task_id)).toReversed()) {
    if (place.sequence >= newest.sequence_number) continue;
    const found = await tryCheckpoint(place);
    if ('record' in found && (await validateCheckpoint(found.record, environment)).valid) return found.record;
  }
  return null;
}

/** What going back to it would mean, in a sentence. */
export function olderCheckpointText({
  task_id,
  sequence_number,
  created_at,
  step_name,
}: CheckpointRecord): string {
  const id = checkpointId(task_id, sequence_number);
  return phrase`Checkpoint ${id} (${created_at}, step ${step_name ?? '–'}) does not need it: "go_back" resumes there.`;
}
