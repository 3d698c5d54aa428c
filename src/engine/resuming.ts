/** Resuming a task where it was; or at an older checkpoint, where the user decides so. */
import type { BackAndOn } from './back-and-on.ts';
import type { Run } from './host.ts';
import { GoBack } from './older-checkpoint.ts';
import type { RecoveryOptions } from './recovery.ts';
import { resumeFromCheckpoint } from './resume-from.ts';

export async function takeUpOrGoBack(host: BackAndOn, task: string, options: RecoveryOptions): Promise<Run> {
  try {
    return await host.running.takeUp(task, { ...options, may_go_back: true });
  } catch (error) {
    if (!(error instanceof GoBack)) throw error;
    const { on_environment: _chosen, ...others } = options;
    return resumeFromCheckpoint(host, error.checkpoint, undefined, others);
  }
}
