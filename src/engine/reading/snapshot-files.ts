/** The files of a snapshot, read from the store and from git; reads no file of the workspace and changes nothing. */
import type { Storage } from '../../storage/contract.ts';
import { openRepository } from '../../workspace/git/repository.ts';
import { openReader } from '../../workspace/snapshot/reader.ts';
import { loadSnapshot } from '../../workspace/snapshot/snapshots.ts';
import { diffTrees, type TreeChange } from '../../workspace/tree/diff.ts';
import { entryAt, everyEntry, type Tree, type TreeEntry } from '../../workspace/tree/tree.ts';
import { unlessWithheld } from '../task/records/withheld.ts';

export interface SnapshotFiles {
  tree(snapshot: string): Promise<Tree>;
  diff(from: string, to: string): Promise<TreeChange[]>;
  /** Null where there is no file of that path. */
  read(snapshot: string, path: string): Promise<Uint8Array | null>;
  entries(tree: Tree): Iterable<readonly [path: string, entry: TreeEntry]>;
  entryAt(tree: Tree, path: string): TreeEntry | null;
  close(): void;
}

/** `root` is where the repository is whose objects snapshots may refer to; withheld files are reported as such. */
export async function openSnapshotFiles(
  storage: Storage,
  root: string,
  task: string | null,
): Promise<SnapshotFiles> {
  // It reads objects only; it does not use holds.
  const repository = await openRepository(root, 'none');
  const reader = openReader(storage, repository);
  const tree = async (snapshot: string): Promise<Tree> => (await loadSnapshot(storage, snapshot)).tree;
  return {
    tree,
    diff: async (from, to) => diffTrees(await tree(from), await tree(to)),
    async read(snapshot, path) {
      const found = await tree(snapshot);
      if (entryAt(found, path)?.kind !== 'file') return null;
      const content = () => reader.read(found, path, snapshot);
      return task === null ? content() : unlessWithheld(storage, task, content);
    },
    entries: everyEntry,
    entryAt,
    close: () => repository?.close(),
  };
}
