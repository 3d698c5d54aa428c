/** The checkpoints of an engine's tasks, with their contexts out of the journals, through those they were forked from. */

import { CheckpointManager, type CheckpointManagerOptions } from '../../checkpoint/manager.ts';
import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import { machineEnvironment } from '../../checkpoint/validation/machine.ts';
import type { CheckpointEnvironment } from '../../checkpoint/validation/validate.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import { type PersistenceManager, storageOf } from '../../persistence/manager.ts';
import type { Storage } from '../../storage/contract.ts';
import { noWorkingDirectory } from '../git/working-directories.ts';
import { taskCheckpoints } from '../history/checkpoints.ts';
import type { EngineServices } from '../run/services.ts';
import { type ContextServices, contextParts } from '../task/conversation.ts';
import { readMemory } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { environmentOf } from './checkpoint-environment.ts';

/** Over any store, with or without an engine that has it open. */
export class TaskCheckpoints extends CheckpointManager {
  constructor(store?: Storage | PersistenceManager, options: CheckpointManagerOptions = {}) {
    const storage = storageOf(store);
    const blobs = blobsIn(storage);
    const environment = async (
      task: string,
      checkpoint: CheckpointRecord | null,
    ): Promise<CheckpointEnvironment> => {
      const { changedFiles } = machineEnvironment(blobs(task));
      const known = await environmentIn({ storage }, task, checkpoint);
      return { ...known, ...(changedFiles ? { changedFiles } : {}) };
    };
    const journal: CheckpointManagerOptions['journal'] = async (task, upTo) => {
      const head = await loadHead(storage, task);
      return head ? contextParts(storage, head, { upTo }) : undefined;
    };
    super(storage, { blobs, environment, journal, source: taskCheckpoints(storage), ...options });
  }
}

export function checkpointsOf(
  services: ContextServices & Pick<EngineServices, 'clock' | 'workingDirectories' | 'declares'>,
  working_dir: string,
): CheckpointManager {
  const { storage, config, summariser, clock } = services;
  return new TaskCheckpoints(storage, {
    config,
    clock,
    working_dir,
    ...(summariser ? { summariser } : {}),
    environment: (task, checkpoint) => environmentIn(services, task, checkpoint),
  });
}

async function environmentIn(
  services: Pick<EngineServices, 'storage' | 'declares'> &
    Partial<Pick<EngineServices, 'workingDirectories'>>,
  task: string,
  checkpoint: CheckpointRecord | null,
): Promise<CheckpointEnvironment> {
  const head = await loadHead(services.storage, task);
  const memory = head && checkpoint && (await readMemory(services.storage, head, checkpoint.journal));
  const reads = memory ? { reads: memory.reads } : {};
  const workingDirectory = await services.workingDirectories?.of(head ?? { working_dir: '' });
  const { workspace } = workingDirectory ?? noWorkingDirectory;
  return environmentOf({ ...services, workspace }, head ?? headless(task), memory?.blobs ?? new Set(), reads);
}

function blobsIn(storage: Storage): (task: string) => LoadBlob {
  return (task) => {
    let load: Promise<LoadBlob> | undefined;
    const find = async (): Promise<LoadBlob> =>
      blobLoader(storage, (await loadHead(storage, task)) ?? headless(task));
    return async (id) => {
      load ??= find();
      return (await load)(id);
    };
  };
}

/** A task that only has checkpoints made with `CheckpointManager`. */
function headless(task: string): Pick<Head, 'task_id' | 'lineage'> {
  return { task_id: task, lineage: [] };
}
