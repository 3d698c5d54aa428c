/** The bytes of captured files, from the store or from git, checked against their hash before they are returned. */
import { hash } from 'node:crypto';
import { CorruptError, WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { KeptObjects } from '../git/kept-objects.ts';
import type { Repository } from '../git/repository.ts';
import { entryAt, type FileEntry, type Tree } from '../tree/tree.ts';

export interface Reader {
  read(tree: Tree, path: string, snapshot: string): Promise<Uint8Array>;
  /** Of several files at once, in order. */
  contents(files: readonly { readonly path: string; readonly entry: FileEntry }[]): Promise<Uint8Array[]>;
}

/** `kept`: objects that the repository may have lost. */
export function openReader(
  storage: Storage,
  repository: Repository | null,
  kept: Pick<KeptObjects, 'read'> | null = null,
): Reader {
  const readGit = async (objects: readonly string[]): Promise<(Uint8Array | null)[]> => {
    const found = repository ? await repository.read(objects) : objects.map(() => null);
    const lost = objects.filter((_, index) => found[index] === null);
    if (!kept || lost.length === 0) return found;
    const again = await kept.read(lost);
    return found.map((one) => one ?? again.shift() ?? null);
  };

  const contents: Reader['contents'] = async (files) => {
    const objects = files.flatMap(({ entry }) => (entry.git === undefined ? [] : [entry.git]));
    const fromGit = objects.length > 0 ? await readGit(objects) : [];
    let nextFromGit = 0;
    const all: Uint8Array[] = [];
    for (const { path, entry } of files) {
      const inGit = entry.git === undefined ? null : (fromGit[nextFromGit++] ?? null);
      // What git has not (any more) may have been stored on another occasion.
      const bytes = isWhole(inGit, entry) ? inGit : await storedIn(storage, entry);
      if (!isWhole(bytes, entry)) throw missing(path, entry);
      all.push(bytes);
    }
    return all;
  };
  return {
    contents,
    async read(tree, path, snapshot) {
      const entry = entryAt(tree, path);
      if (entry?.kind === 'file') return (await contents([{ path, entry }]))[0]!;
      throw new WorkspaceError('SNAPSHOT_NOT_FOUND', phrase`There is no file ${path} in ${snapshot}.`, {
        data: { snapshot, path, kind: entry?.kind ?? null },
        hint: phrase`The command "checkpoints diff" shows what a checkpoint holds.`,
      });
    },
  };
}

/** Damaged content counts as missing: the error names the file. */
async function storedIn(storage: Storage, { hash }: FileEntry): Promise<Uint8Array | null> {
  try {
    return await storage.getBlob(null, `file/${hash}`);
  } catch (error) {
    if (error instanceof CorruptError && error.data.id !== undefined) return null;
    throw error;
  }
}

function isWhole(bytes: Uint8Array | null, entry: FileEntry): bytes is Uint8Array {
  return bytes !== null && hash('sha256', bytes) === entry.hash;
}

function missing(path: string, entry: FileEntry): WorkspaceError {
  return new WorkspaceError('CONTENT_MISSING', phrase`The content of ${path} no longer exists.`, {
    data: { path, hash: entry.hash, git: entry.git ?? null },
    hint: entry.git
      ? phrase`Fetch the git object ${entry.git}, then try again.`
      : phrase`Restore the store from a backup.`,
  });
}
