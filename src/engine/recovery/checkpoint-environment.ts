/** How validation of a checkpoint queries the store and the machine. */
import type { CheckpointEnvironment } from '../../checkpoint/validation/validate.ts';
import { lstat } from '../../system/io.ts';
import { isKnownTool, toolVersion } from '../../system/process/tools.ts';
import type { WorkspaceLink } from '../files/workspace-link.ts';
import type { TaskServices } from '../run/services.ts';
import { blobLoader } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { isImported } from '../task/records/imported.ts';

/** `blobs` are those the journal refers to, `changed` the files that are not as they should be, where that is known already; `reads` those the task read. */
export function environmentOf(
  services: Pick<TaskServices, 'storage' | 'workspace' | 'declares'>,
  head: Pick<Head, 'task_id' | 'lineage'>,
  blobs: ReadonlySet<string>,
  { changed, reads }: { readonly changed?: readonly string[]; readonly reads?: ReadonlySet<string> } = {},
): CheckpointEnvironment {
  const load = blobLoader(services.storage, head);
  const imported = once(() => isImported(services.storage, head));
  const mayAsk = async (name: string): Promise<boolean> =>
    name === 'node' || services.declares?.(name) || (isKnownTool(name) && !(await imported()));
  return {
    async *journalBlobs() {
      yield* blobs;
    },
    hasBlob: async (id) => (await load(id)) !== null,
    hasJournal: async ({ task, seq }) => (await services.storage.position(task)).seq >= seq,
    directoryExists: (path) => lstat(path)?.isDirectory() ?? false,
    changedFiles: async (checkpoint) =>
      changed ?? filesAmiss((await services.workspace?.changedSince(checkpoint, reads)) ?? []),
    // The record names what is started, and may come from a stranger.
    toolVersion: async (name) => ((await mayAsk(name)) ? toolVersion(name) : undefined),
    isSet: (variable) => process.env[variable] !== undefined,
  };
}

/** Others may change files that the task only read; but a missing one is a problem. */
function filesAmiss(changes: Awaited<ReturnType<WorkspaceLink['changedSince']>>): string[] {
  return changes.filter(({ only_read, after }) => !only_read || after === null).map(({ path }) => path);
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}
