/** The files that a task's snapshots hold, as blobs: also those whose bytes are git's, which go nowhere by themselves. */
import { CorruptError, WorkspaceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { openReader } from '../workspace/reader.ts';
import { openRepository } from '../workspace/repository.ts';
import { loadSnapshot } from '../workspace/snapshots.ts';
import type { FileEntry } from '../workspace/tree.ts';

/** Bytes, or null where nobody has them any more. */
export type SnapshotPart = readonly [id: string, bytes: Uint8Array | null];

/** `roots`: where the repositories are that may have what the store has not. */
export async function* partsOfSnapshots(
  storage: Storage,
  ids: Iterable<string>,
  roots: readonly string[],
): AsyncGenerator<SnapshotPart> {
  const files = new Map<string, FileEntry>();
  const given = new Set<string>();
  const part = async (id: string): Promise<SnapshotPart> => {
    given.add(id);
    return [id, await orNothing(() => storage.getBlob(null, id))];
  };
  for (const id of ids) {
    if (given.has(id)) continue;
    const snapshot = id.startsWith('file/') ? null : await orNothing(() => loadSnapshot(storage, id));
    if (snapshot) {
      for (const { content } of snapshot.layers)
        if ('blob' in content && !given.has(content.blob)) yield part(content.blob);
      for (const { entries } of snapshot.tree.values())
        for (const entry of entries) if (entry.kind === 'file') files.set(entry.hash, entry);
    }
    yield snapshot || id.startsWith('file/') ? part(id) : [id, null];
  }
  const read = await openContents(storage, roots);
  try {
    for (const [hash, entry] of files)
      if (!given.has(`file/${hash}`)) yield [`file/${hash}`, await read.bytes(entry)];
  } finally {
    read.close();
  }
}

/** Null also where it is damaged: nobody has it any more. */
async function orNothing<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkspaceError || error instanceof CorruptError) return null;
    throw error;
  }
}

async function openContents(storage: Storage, roots: readonly string[]) {
  // It reads objects only; holds on them, which are named for the store, are not its business.
  const opened = await Promise.all(roots.map((root) => openRepository(root, 'none').catch(() => null)));
  const repositories = opened.filter((repository) => repository !== null);
  const readers = [null, ...repositories].map((repository) => openReader(storage, repository));
  return {
    async bytes(entry: FileEntry): Promise<Uint8Array | null> {
      for (const reader of readers) {
        const found = await orNothing(() => reader.contents([{ path: entry.hash, entry }]));
        if (found) return found[0]!;
      }
      return null;
    },
    close: () => {
      for (const repository of repositories) repository.close();
    },
  };
}
