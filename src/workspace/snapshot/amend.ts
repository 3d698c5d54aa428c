/** Synthetic snapshots: like another one, except for some paths. */
import { hash } from 'node:crypto';
import type { NewBlob, Storage } from '../../storage/contract.ts';
import { diffTrees } from '../tree/diff.ts';
import { EMPTY_TREE, entryAt, parentOf, type Tree, type TreeEntry } from '../tree/tree.ts';
import { applyLayer } from './apply-layer.ts';
import { encodeLayer, type LayerChange } from './layer.ts';
import { decodeLayer } from './layer-reader.ts';
import { type StoredSnapshot, saveSnapshot } from './snapshots.ts';

/** Like `like`, but these paths are as `other` has them. */
export function blendSnapshots(
  storage: Storage,
  like: StoredSnapshot,
  paths: readonly string[],
  other: StoredSnapshot,
): Promise<StoredSnapshot> {
  const changes = paths.map((path) => ({ path, after: entryAt(other.tree, path) }));
  return saveChanged(storage, like, changes, other.holds);
}

/** Like `like`, but with this content in one file. Modes that it has none of are as `other` has them. */
export async function amendSnapshot(
  storage: Storage,
  like: StoredSnapshot,
  { path, content }: { readonly path: string; readonly content: Uint8Array | null },
  other: Tree,
): Promise<StoredSnapshot> {
  if (content === null) return saveChanged(storage, like, [{ path, after: null }], []);
  const [there, elsewhere] = [entryAt(like.tree, path), entryAt(other, path)];
  const digest = hash('sha256', content);
  if (there?.kind === 'file' && there.hash === digest) return like;
  const mode = modeOf(there, 'file') ?? modeOf(elsewhere, 'file') ?? 0o644;
  const changes: LayerChange[] = [
    { path, after: { kind: 'file', mode, size: content.length, hash: digest } },
  ];
  for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
    if (modeOf(entryAt(like.tree, above), 'dir') !== null) continue;
    changes.push({
      path: above,
      after: { kind: 'dir', mode: modeOf(entryAt(other, above), 'dir') ?? 0o755 },
    });
  }
  return saveChanged(storage, like, changes, [], [{ kind: 'file', bytes: content }]);
}

function modeOf(entry: TreeEntry | null, kind: 'file' | 'dir'): number | null {
  return entry?.kind === kind ? entry.mode : null;
}

async function saveChanged(
  storage: Storage,
  like: StoredSnapshot,
  changes: readonly LayerChange[],
  holds: readonly string[],
  blobs: readonly NewBlob[] = [],
): Promise<StoredSnapshot> {
  const tree = applyLayer(like.tree, decodeLayer(encodeLayer(changes)));
  return saveSnapshot(storage, like, { tree, since: diffTrees(like.tree, tree), holds, blobs });
}

/** A snapshot of these alone; null where there is nothing. Every directory of any of them is there. */
export async function saveTree(
  storage: Storage,
  files: ReadonlyMap<string, TreeEntry | null>,
): Promise<string> {
  const changes = new Map<string, LayerChange>();
  for (const [path, after] of files) {
    for (let above = parentOf(path); above !== ''; above = parentOf(above))
      if (!files.get(above)) changes.set(above, { path: above, after: { kind: 'dir', mode: 0o755 } });
    if (after) changes.set(path, { path, after });
  }
  const tree = applyLayer(EMPTY_TREE, decodeLayer(encodeLayer([...changes.values()])));
  return (await saveSnapshot(storage, null, { tree, since: diffTrees(EMPTY_TREE, tree), holds: [] })).id;
}
