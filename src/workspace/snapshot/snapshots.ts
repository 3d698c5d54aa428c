/**
 * Snapshots in the store. One is a list of layers, each the changes since the layers before it; a new snapshot adds a layer
 * and merges those into it that are not much larger. So a snapshot costs as much as what changed, and reading one takes few
 * blobs.
 */
import * as z from 'zod';
import { CorruptError, WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { blobId } from '../../storage/blob-names.ts';
import type { NewBlob, Storage } from '../../storage/contract.ts';
import { diffTrees, type TreeChange } from '../tree/diff.ts';
import { EMPTY_TREE, parentOf, type Tree } from '../tree/tree.ts';
import { applyLayer } from './apply-layer.ts';
import { encodeLayer } from './layer.ts';
import { decodeLayer } from './layer-reader.ts';

export interface StoredSnapshot {
  /** `snapshot/{sha256}`: the same tree after the same history has the same one. */
  readonly id: string;
  readonly tree: Tree;
  readonly layers: readonly Layer[];
  /** Those on the git objects it refers to. */
  readonly holds: readonly string[];
}

interface Layer {
  readonly content: LayerContent;
  readonly entries: number;
  /** What the layers up to this one make. */
  readonly tree: Tree;
  /** The directories in which it changes something, if that is known without reading it. */
  readonly touched?: ReadonlySet<string> | undefined;
}

type Blobs = Pick<Storage, 'getBlob'>;

/**
 * A blob, or the bytes themselves where they are few: one file less to be synced. Every later snapshot repeats them until
 * they are merged, so larger ones have a blob, which all of these share.
 */
const layerContent = z.union([z.strictObject({ blob: z.string() }), z.strictObject({ base64: z.base64() })]);
export type LayerContent = z.infer<typeof layerContent>;
const FEW_BYTES = 400;

const documentSchema = z.strictObject({
  version: z.literal(1),
  layers: z.array(z.strictObject({ content: layerContent, entries: z.int().min(0) })),
  holds: z.array(z.string().regex(/^h[0-9a-z]{26}$/)),
});

/** A layer is not merged while it is this many times as large as what comes after it. */
const MUCH_LARGER = 2;

interface NewSnapshot {
  readonly tree: Tree;
  /** What differs from the snapshot before. */
  readonly since: readonly TreeChange[];
  /** On all git objects that the tree refers to. */
  readonly holds: readonly string[];
  /** Content of its files that is not stored yet: it is stored with the rest, before what names it. */
  readonly blobs?: readonly NewBlob[];
  /** Only commits to this store name it: it is stored with the next. */
  readonly promised?: boolean;
}

export async function saveSnapshot(
  storage: Storage,
  before: StoredSnapshot | null,
  { tree, since, holds, blobs: content = [], promised = false }: NewSnapshot,
): Promise<StoredSnapshot> {
  const put = (all: readonly NewBlob[]): Promise<string[]> =>
    promised ? storage.promiseBlobs(all) : storage.putBlobs(null, all);
  const blobs = [...content];
  const layers = [...(before?.layers ?? [])];
  if (before && since.length === 0 && holds.join() === before.holds.join()) {
    if (blobs.length > 0) await put(blobs);
    return before;
  }
  let entries = since.length;
  let touched: ReadonlySet<string> | undefined = new Set(since.map(({ path }) => parentOf(path)));
  while (layers.length > 0 && layers.at(-1)!.entries <= MUCH_LARGER * entries) {
    const merged = layers.pop()!;
    entries += merged.entries;
    touched = touched && merged.touched && new Set([...touched, ...merged.touched]);
  }
  const onTop = layers.length === (before?.layers.length ?? 0);
  const changes = onTop ? since : diffTrees(layers.at(-1)?.tree ?? EMPTY_TREE, tree, touched);
  if (changes.length > 0) {
    const content = keepLayer(encodeLayer(changes), blobs);
    layers.push({ content, entries: changes.length, tree, touched });
  }
  const document = {
    version: 1,
    layers: layers.map(({ content, entries }) => ({ content, entries })),
    holds,
  };
  blobs.push({ kind: 'snapshot', bytes: Buffer.from(JSON.stringify(document)) });
  const ids = await put(blobs);
  return { id: ids.at(-1)!, tree, layers, holds };
}

function keepLayer(bytes: Uint8Array, blobs: NewBlob[]): LayerContent {
  if (bytes.length <= FEW_BYTES) return { base64: Buffer.from(bytes).toString('base64') };
  const blob = { kind: 'tree', bytes };
  blobs.push(blob);
  return { blob: blobId(blob) };
}

/** Every entry is checked before the tree is returned. */
export async function loadSnapshot(storage: Blobs, id: string): Promise<StoredSnapshot> {
  const { layers: named, holds } = await readDocument(storage, id);
  const layers: Layer[] = [];
  let tree = EMPTY_TREE;
  for (const layer of named) {
    tree = await addLayer(storage, id, tree, layer.content);
    layers.push({ ...layer, tree });
  }
  return { id, tree, layers, holds };
}

/** Whether the store has all of a snapshot, byte for byte; does not check that it forms a tree. */
export async function isWhole(storage: Blobs, id: string): Promise<boolean> {
  try {
    const { layers } = await readDocument(storage, id);
    for (const { content } of layers) if ('blob' in content) await blob(storage, id, content.blob);
    return true;
  } catch (error) {
    if (isLost(error)) return false;
    throw error;
  }
}

/** Whether the error means that a snapshot is gone or damaged, rather than that a disk or a server failed. */
export function isLost(error: unknown): boolean {
  if (error instanceof CorruptError) return true;
  return (
    error instanceof WorkspaceError &&
    (error.code === 'SNAPSHOT_NOT_FOUND' || error.code === 'SNAPSHOT_UNSAFE')
  );
}

/** What the next layer of a snapshot makes of the tree before it. */
export async function addLayer(
  storage: Blobs,
  snapshot: string,
  before: Tree,
  content: LayerContent,
): Promise<Tree> {
  const bytes =
    'blob' in content ? await blob(storage, snapshot, content.blob) : Buffer.from(content.base64, 'base64');
  return applyLayer(before, decodeLayer(bytes));
}

/** Of which layers a snapshot is made, and what holds its git objects. */
export async function readDocument(storage: Blobs, id: string): Promise<z.infer<typeof documentSchema>> {
  const bytes = await blob(storage, id, id);
  try {
    return documentSchema.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new WorkspaceError('SNAPSHOT_UNSAFE', phrase`${id} is not a snapshot of this version.`, {
      data: { snapshot: id, why: phrase`its document cannot be read` },
      cause,
      hint: phrase`It was written by a newer version, or by another program. Nothing was changed.`,
    });
  }
}

async function blob(storage: Blobs, snapshot: string, id: string): Promise<Uint8Array> {
  const bytes = await storage.getBlob(null, id);
  if (bytes) return bytes;
  throw new WorkspaceError('SNAPSHOT_NOT_FOUND', phrase`The store does not have all of ${snapshot}.`, {
    data: { snapshot, missing: id },
    hint: phrase`Use the id of a snapshot that is still kept.`,
  });
}
