/** What snapshots need of the store and of git repositories: what clean-up has to keep. */
import { hash } from 'node:crypto';
import type { Storage } from '../../storage/contract.ts';
import { EMPTY_TREE, type Tree, type TreeDirectory } from '../tree/tree.ts';
import { addLayer, type LayerContent, readDocument } from './snapshots.ts';

interface Needs {
  /** Ids of blobs that belong to the whole store. */
  readonly blobs: ReadonlySet<string>;
  readonly holds: ReadonlySet<string>;
}

/** Kinds of blobs, store-wide, that are snapshots or parts of them. */
export const SNAPSHOT_KINDS = ['snapshot', 'tree', 'file'] as const;

/**
 * Snapshots with the same layers are read together, and shared directories once. A file that git holds needs its blob as
 * well, where there is one.
 */
export async function neededBy(
  storage: Storage,
  snapshots: Iterable<string>,
  breathe: () => Promise<void> = async () => {},
): Promise<Needs> {
  const blobs = new Set<string>();
  const holds = new Set<string>();
  const chains: Chain[] = [];
  for (const id of snapshots) {
    const document = await readDocument(storage, id);
    blobs.add(id);
    for (const hold of document.holds) holds.add(hold);
    for (const { content } of document.layers) if ('blob' in content) blobs.add(content.blob);
    chains.push({ id, keys: document.layers.map(({ content }) => keyOf(content)) });
    await breathe();
  }
  const seen = new Set<TreeDirectory>();
  let path: { key: string; tree: Tree }[] = [];
  for (const { id, keys } of chains.sort((a, b) => (a.keys.join() < b.keys.join() ? -1 : 1))) {
    const differs = keys.findIndex((key, index) => path[index]?.key !== key);
    path = path.slice(0, differs < 0 ? keys.length : differs);
    const { layers } = await readDocument(storage, id);
    for (const { content } of layers.slice(path.length)) {
      const tree = await addLayer(storage, id, path.at(-1)?.tree ?? EMPTY_TREE, content);
      path.push({ key: keyOf(content), tree });
      await breathe();
    }
    for (const directory of path.at(-1)?.tree.values() ?? []) {
      if (seen.has(directory)) continue;
      seen.add(directory);
      for (const entry of directory.entries) if (entry.kind === 'file') blobs.add(`file/${entry.hash}`);
    }
    await breathe();
  }
  return { blobs, holds };
}

/** Only the holds, which takes no reading of trees. */
export async function holdsOf(
  storage: Storage,
  snapshots: Iterable<string>,
  breathe: () => Promise<void>,
): Promise<Set<string>> {
  const holds = new Set<string>();
  for (const id of snapshots) {
    for (const hold of (await readDocument(storage, id)).holds) holds.add(hold);
    await breathe();
  }
  return holds;
}

/** The layers of a snapshot, each by a unique name. */
interface Chain {
  readonly id: string;
  readonly keys: readonly string[];
}

function keyOf(content: LayerContent): string {
  return 'blob' in content ? content.blob : hash('sha256', content.base64);
}
