/** Recovery from the checkpoints of a store: opens an engine for the duration. */
import type { CheckpointManager } from '../checkpoint/manager.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';
import { failure, type Recovery, type RecoveryResult } from './lifecycle/execution-recovery.ts';

/** As for `openEngine`: for example, the registered tasks, or a workspace to restore files. */
export type ExecutionRecoveryOptions = Omit<EngineOptions, 'storage' | 'automatic_cleanup'>;

export class ExecutionRecovery implements Recovery {
  readonly resumeFromCheckpoint: Recovery['resumeFromCheckpoint'];
  readonly retryFromStep: Recovery['retryFromStep'];
  readonly rollbackToCheckpoint: Recovery['rollbackToCheckpoint'];

  constructor({ storage }: Pick<CheckpointManager, 'storage'>, options: ExecutionRecoveryOptions = {}) {
    const through = async <Success>(
      recover: (engine: Engine) => Promise<RecoveryResult<Success>>,
    ): Promise<RecoveryResult<Success>> => {
      try {
        const engine = await openEngine({ ...options, storage, automatic_cleanup: false });
        try {
          return await recover(engine);
        } finally {
          await engine.close();
        }
      } catch (error) {
        return failure(error);
      }
    };
    this.resumeFromCheckpoint = (...given) =>
      through(({ recovery }) => recovery.resumeFromCheckpoint(...given));
    this.retryFromStep = (...given) => through(({ recovery }) => recovery.retryFromStep(...given));
    this.rollbackToCheckpoint = (...given) =>
      through(({ recovery }) => recovery.rollbackToCheckpoint(...given));
  }
}
