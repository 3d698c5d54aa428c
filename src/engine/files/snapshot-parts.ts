/** The files that a task's snapshots hold, as blobs: also those whose bytes only git has. */
import { CorruptError, WorkspaceError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { isKnownRoot } from '../../workspace/git/known-roots.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import { openReader } from '../../workspace/snapshot/reader.ts';
import { loadSnapshot, type StoredSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { everyEntry, type FileEntry, joinPath } from '../../workspace/tree/tree.ts';

interface SnapshotPart {
  readonly id: string;
  /** Where the file is, or was, in one of the snapshots; null if it is not a file. */
  readonly path: string | null;
  /** Null if they are lost. */
  readonly bytes: Uint8Array | 'withheld' | null;
}

type Layer = StoredSnapshot['layers'][number];

/** What must not be exported. */
interface Withholding {
  name(text: string): boolean;
  content(bytes: Uint8Array): boolean;
}

/** `roots`: where the repositories are that may have what the store has not, that of the project first. */
export async function* partsOfSnapshots(
  storage: Storage,
  ids: Iterable<string>,
  roots: readonly string[],
  withhold: Withholding = { name: () => false, content: () => false },
): AsyncGenerator<SnapshotPart> {
  const files = new Map<string, { readonly path: string; readonly entry: FileEntry }>();
  const given = new Set<string>();
  const isTelling = tellingLayers(withhold);
  const part = async (id: string, isTree: boolean): Promise<SnapshotPart> => {
    given.add(id);
    const bytes = await orNothing(() => storage.getBlob(null, id));
    return { id, path: null, bytes: bytes && !isTree && withhold.content(bytes) ? 'withheld' : bytes };
  };
  /** Named directly, as by an interrupted restore: a snapshot tells where they are in git. */
  const alone: string[] = [];
  for (const id of ids) {
    if (given.has(id)) continue;
    if (id.startsWith('file/')) {
      alone.push(id);
      continue;
    }
    const snapshot = await orNothing(() => loadSnapshot(storage, id));
    if (snapshot?.layers.some(isTelling)) {
      yield { id, path: null, bytes: 'withheld' };
      continue;
    }
    if (snapshot) {
      for (const { content } of snapshot.layers)
        if ('blob' in content && !given.has(content.blob)) yield part(content.blob, true);
      for (const [path, entry] of everyEntry(snapshot.tree))
        if (entry.kind === 'file') files.set(entry.hash, { path, entry });
    }
    yield snapshot ? part(id, true) : { id, path: null, bytes: null };
  }
  for (const id of alone) if (!given.has(id) && !files.has(id.slice('file/'.length))) yield part(id, false);
  const read = await openContents(storage, roots);
  try {
    for (const [hash, { path, entry }] of files) {
      if (given.has(`file/${hash}`)) continue;
      const bytes = await read.bytes(entry);
      yield { id: `file/${hash}`, path, bytes: bytes && withhold.content(bytes) ? 'withheld' : bytes };
    }
  } finally {
    read.close();
  }
}

/** Null also if it is damaged. */
async function orNothing<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkspaceError || error instanceof CorruptError) return null;
    throw error;
  }
}

async function openContents(storage: Storage, roots: readonly string[]) {
  // It reads objects only; it does not use holds.
  const [project, ...others] = roots;
  const known = [project!, ...others.filter(isKnownRoot)];
  const opened = await Promise.all(known.map((root) => openRepository(root, 'none')));
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

/** Whether a layer contains a name that must not be exported; each is checked once, and only what it changed. */
function tellingLayers({ name }: Withholding) {
  const known = new Map<string, boolean>();
  return ({ content, tree }: Layer, index: number, layers: readonly Layer[]): boolean => {
    const key = 'blob' in content ? content.blob : content.base64;
    const before = known.get(key);
    if (before !== undefined) return before;
    const below = layers[index - 1]?.tree;
    const tells = [...tree].some(
      ([path, directory]) =>
        directory !== below?.get(path) &&
        directory.names.some((one, at) => {
          const entry = directory.entries[at]!;
          return name(joinPath(path, one)) || (entry.kind === 'symlink' && name(entry.target));
        }),
    );
    known.set(key, tells);
    return tells;
  };
}
