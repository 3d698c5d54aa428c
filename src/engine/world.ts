/** What validating a checkpoint asks of the store and the machine. */
import type { CheckpointWorld } from '../checkpoint/validate.ts';
import { lstat } from '../system/io.ts';
import { toolVersion } from '../system/tools.ts';
import type { Head } from './head.ts';
import type { RunHost } from './host.ts';
import { blobLoader } from './packing.ts';

/** `blobs` are those the journal refers to, `settled` the changed files that somebody has decided about. */
export function worldOf(
  host: Pick<RunHost, 'storage' | 'workspace'>,
  head: Pick<Head, 'task_id' | 'lineage'>,
  blobs: ReadonlySet<string>,
  settled: ReadonlySet<string> = new Set(),
): CheckpointWorld {
  const load = blobLoader(host.storage, head);
  return {
    async *journalBlobs() {
      yield* blobs;
    },
    hasBlob: async (id) => (await load(id)) !== null,
    directoryExists: (path) => lstat(path)?.isDirectory() ?? false,
    changedFiles: async (checkpoint) => {
      const changed = await host.workspace.changedSince(checkpoint);
      return changed.map(({ path }) => path).filter((path) => !settled.has(path));
    },
    toolVersion,
    isSet: (variable) => process.env[variable] !== undefined,
  };
}
