/** The checkpoints of an engine's tasks, with their contexts out of the journals, through those they were forked from. */
import { CheckpointManager } from '../checkpoint/manager.ts';
import type { LoadBlob } from '../checkpoint/pack.ts';
import type { Clock } from '../system/clock.ts';
import { type ContextHost, contextItems } from './conversation.ts';
import { loadHead } from './head.ts';
import { blobLoader } from './packing.ts';

export function checkpointsOf(
  { storage, config, summariser, clock }: ContextHost & { readonly clock: Clock },
  working_dir: string,
): CheckpointManager {
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
    async *journal(task, upTo) {
      const head = await loadHead(storage, task);
      if (head) yield* contextItems(storage, head, { upTo });
    },
  });
}
