/** Resumes a task where it was; or at an older checkpoint, if the user decides so. */

import { GoBack } from '../recovery/older-checkpoint.ts';
import type { RecoveryOptions } from '../recovery/recover.ts';
import type { Run } from '../run/services.ts';
import { resumeFromCheckpoint } from './resume-from.ts';
import type { RunServices } from './runs.ts';

export async function resumeOrRollBack(
  services: RunServices,
  task: string,
  options: RecoveryOptions,
): Promise<Run> {
  try {
    return await services.running.takeUp(task, { ...options, may_go_back: true });
  } catch (error) {
    if (!(error instanceof GoBack)) throw error;
    const { on_environment: _chosen, ...others } = options;
    return resumeFromCheckpoint(services, error.checkpoint, undefined, others);
  }
}
