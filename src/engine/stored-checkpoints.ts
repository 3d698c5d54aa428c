/** The checkpoints of an engine's tasks, with their contexts out of the journals, through those they were forked from. */
import { CheckpointManager } from '../checkpoint/manager.ts';
import type { LoadBlob } from '../checkpoint/pack.ts';
import { type ContextHost, contextItems } from './conversation.ts';
import { loadHead } from './head.ts';
import type { RunHost } from './host.ts';
import { readMemory } from './journal.ts';
import { blobLoader } from './packing.ts';
import { worldOf } from './world.ts';

export function checkpointsOf(
  host: ContextHost & Pick<RunHost, 'clock' | 'workspace'>,
  working_dir: string,
): CheckpointManager {
  const { storage, config, summariser, clock } = host;
  const blobs = (task: string): LoadBlob => {
    let load: Promise<LoadBlob> | undefined;
    const find = async (): Promise<LoadBlob> =>
      blobLoader(storage, (await loadHead(storage, task)) ?? { task_id: task, lineage: [] });
    return async (id) => {
      load ??= find();
      return (await load)(id);
    };
  };
  return new CheckpointManager(storage, {
    config,
    clock,
    blobs,
    working_dir,
    ...(summariser ? { summariser } : {}),
    async world(task, checkpoint) {
      const head = (await loadHead(storage, task)) ?? { task_id: task, lineage: [] };
      const upTo = checkpoint?.journal;
      const known =
        upTo && 'dead' in head ? (await readMemory(storage, head, upTo)).blobs : new Set<string>();
      return worldOf(host, head, known);
    },
    journal: async (task, upTo) => {
      const head = await loadHead(storage, task);
      return head ? contextItems(storage, head, { upTo }) : undefined;
    },
  });
}
