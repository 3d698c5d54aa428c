/** The files of a snapshot, read from the store and from git; looks at no file of the workspace and changes nothing. */
import type { Storage } from '../../storage/contract.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import { openReader } from '../../workspace/snapshot/reader.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { diffTrees, type TreeChange } from '../../workspace/tree/diff.ts';
import { entryAt, type Tree, type TreeEntry } from '../../workspace/tree/tree.ts';

export interface SnapshotFiles {
  tree(snapshot: string): Promise<Tree>;
  diff(from: string, to: string): Promise<TreeChange[]>;
  /** Null where there is no file of that path. */
  read(snapshot: string, path: string): Promise<Uint8Array | null>;
  close(): void;
}

/** `root` is where the repository is whose objects snapshots may refer to. */
export async function openSnapshotFiles(storage: Storage, root: string): Promise<SnapshotFiles> {
  // It reads objects only; holds on them, which are named for the store, are not its business.
  const repository = await openRepository(root, 'none');
  const reader = openReader(storage, repository);
  const tree = async (snapshot: string): Promise<Tree> => (await loadSnapshot(storage, snapshot)).tree;
  return {
    tree,
    diff: async (from, to) => diffTrees(await tree(from), await tree(to)),
    async read(snapshot, path) {
      const found = await tree(snapshot);
      return entryAt(found, path)?.kind === 'file' ? reader.read(found, path, snapshot) : null;
    },
    close: () => repository?.close(),
  };
}

export function kindOfChange({
  before,
  after,
}: Pick<TreeChange, 'before' | 'after'>): 'created' | 'deleted' | 'modified' {
  return before === null ? 'created' : after === null ? 'deleted' : 'modified';
}

/** Files and links; directories come and go with what is in them. */
export function isFile(entry: TreeEntry | null): boolean {
  return entry?.kind === 'file' || entry?.kind === 'symlink';
}
