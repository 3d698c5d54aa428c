/** The files that a task's snapshots hold, as blobs: also those whose bytes are git's, which go nowhere by themselves. */
import { WorkspaceError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { openReader } from '../../workspace/reader.ts';
import { openRepository } from '../../workspace/repository.ts';
import { loadSnapshot, type StoredSnapshot } from '../../workspace/snapshots.ts';
import type { FileEntry } from '../../workspace/tree.ts';

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
  for (const id of ids) {
    if (id.startsWith('file/')) {
      const bytes = await storage.getBlob(null, id);
      given.add(id);
      yield [id, bytes];
      continue;
    }
    const snapshot = await whole(storage, id);
    yield [id, await storage.getBlob(null, id)];
    if (!snapshot) continue;
    for (const { content } of snapshot.layers) {
      if (!('blob' in content) || given.has(content.blob)) continue;
      given.add(content.blob);
      yield [content.blob, await storage.getBlob(null, content.blob)];
    }
    for (const { entries } of snapshot.tree.values())
      for (const entry of entries) if (entry.kind === 'file') files.set(entry.hash, entry);
  }
  const read = await openContents(storage, roots);
  try {
    for (const [hash, entry] of files)
      if (!given.has(`file/${hash}`)) yield [`file/${hash}`, await read.bytes(entry)];
  } finally {
    read.close();
  }
}

async function whole(storage: Storage, id: string): Promise<StoredSnapshot | null> {
  try {
    return await loadSnapshot(storage, id);
  } catch (error) {
    if (error instanceof WorkspaceError) return null;
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
        try {
          return (await reader.contents([{ path: entry.hash, entry }]))[0]!;
        } catch (error) {
          if (!(error instanceof WorkspaceError)) throw error;
        }
      }
      return null;
    },
    close: () => {
      for (const repository of repositories) repository.close();
    },
  };
}
