/**
 * Snapshots in the store. One is a list of layers, each the changes since the layers before it; a new snapshot adds a
 * layer and takes those into it that are not much larger. So it costs what changed, and reading one takes few blobs.
 */
import * as z from 'zod';
import { WorkspaceError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { applyLayer } from './apply-layer.ts';
import { diffTrees } from './diff.ts';
import { encodeLayer } from './layer.ts';
import { decodeLayer } from './layer-reader.ts';
import { EMPTY_TREE, everyEntry, type Tree } from './tree.ts';

export interface StoredSnapshot {
  /** `snapshot/{sha256}`: the same tree after the same history has the same one. */
  readonly id: string;
  readonly tree: Tree;
  readonly layers: readonly Layer[];
  /** Git trees that hold the objects it refers to. */
  readonly holds: readonly string[];
}

interface Layer {
  readonly id: string;
  readonly entries: number;
  /** What the layers up to this one make. */
  readonly tree: Tree;
}

const documentSchema = z.strictObject({
  version: z.literal(1),
  layers: z.array(z.strictObject({ id: z.string(), entries: z.int().min(0) })),
  holds: z.array(z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)),
});

/** A layer stays by itself while it is so many times as large as what comes after it. */
const MUCH_LARGER = 2;

export async function saveSnapshot(
  storage: Storage,
  before: StoredSnapshot | null,
  tree: Tree,
  newHolds: readonly string[],
): Promise<StoredSnapshot> {
  const holds = [...new Set([...(before?.holds ?? []), ...newHolds])].sort();
  const layers = [...(before?.layers ?? [])];
  let entries = diffTrees(before?.tree ?? EMPTY_TREE, tree).length;
  if (before && entries === 0 && holds.length === before.holds.length) return before;
  while (layers.length > 0 && layers.at(-1)!.entries <= MUCH_LARGER * entries)
    entries += layers.pop()!.entries;
  const changes = diffTrees(layers.at(-1)?.tree ?? EMPTY_TREE, tree);
  if (changes.length > 0) {
    const [id] = await storage.putBlobs(null, [{ kind: 'tree', bytes: encodeLayer(changes) }]);
    layers.push({ id: id!, entries: changes.length, tree });
  }
  const named = layers.map((layer) => ({ id: layer.id, entries: layer.entries }));
  const bytes = Buffer.from(JSON.stringify({ version: 1, layers: named, holds }));
  const [id] = await storage.putBlobs(null, [{ kind: 'snapshot', bytes }]);
  return { id: id!, tree, layers, holds };
}

/** Every entry is checked before the tree is handed out. */
export async function loadSnapshot(storage: Storage, id: string): Promise<StoredSnapshot> {
  const { layers: named, holds } = await readDocument(storage, id);
  const layers: Layer[] = [];
  let tree = EMPTY_TREE;
  for (const layer of named) {
    tree = applyLayer(tree, decodeLayer(await blob(storage, id, layer.id)));
    layers.push({ ...layer, tree });
  }
  return { id, tree, layers, holds };
}

/** The blobs that a snapshot needs, itself included, and the git trees: what clean-up has to leave. */
export async function neededBy(
  storage: Storage,
  id: string,
): Promise<{ blobs: Set<string>; holds: Set<string> }> {
  const { layers, tree, holds } = await loadSnapshot(storage, id);
  const blobs = new Set([id, ...layers.map((layer) => layer.id)]);
  for (const [, entry] of everyEntry(tree)) {
    if (entry.kind === 'file' && entry.git === undefined) blobs.add(`file/${entry.hash}`);
  }
  return { blobs, holds: new Set(holds) };
}

async function readDocument(storage: Storage, id: string): Promise<z.infer<typeof documentSchema>> {
  const bytes = await blob(storage, id, id);
  try {
    return documentSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new WorkspaceError('SNAPSHOT_UNSAFE', `${id} is no snapshot of this version.`, {
      data: { snapshot: id, why: 'its document cannot be read' },
      cause,
      hint: 'It was written by a newer version, or by somebody else. Nothing was changed.',
    });
  }
}

async function blob(storage: Storage, snapshot: string, id: string): Promise<Uint8Array> {
  const bytes = await storage.getBlob(null, id);
  if (bytes) return bytes;
  throw new WorkspaceError('SNAPSHOT_NOT_FOUND', `The store does not have all of ${snapshot}.`, {
    data: { snapshot, missing: id },
    hint: 'Use the id of a snapshot that is still kept.',
  });
}
