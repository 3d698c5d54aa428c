/**
 * Trees of many snapshots of one history: they share most of their layers, and so are read and kept once. What two of them have
 * in common is the same object, so comparing them takes as long as they differ.
 */
import type { Storage } from '../../storage/contract.ts';
import { EMPTY_TREE, type Tree } from '../tree/tree.ts';
import { addLayer, readDocument } from './snapshots.ts';

const MOST_KEPT = 512;

export function openTrees(storage: Pick<Storage, 'getBlob'>): (snapshot: string) => Promise<Tree> {
  const snapshots = new Map<string, Promise<Tree>>();
  const made = new Map<string, Tree>();
  const keep = <V>(map: Map<string, V>, key: string, value: V): V => {
    map.set(key, value);
    if (map.size > MOST_KEPT) map.delete(map.keys().next().value!);
    return value;
  };
  const load = async (snapshot: string): Promise<Tree> => {
    let tree = EMPTY_TREE;
    let key = '';
    for (const { content } of (await readDocument(storage, snapshot)).layers) {
      key += `${'blob' in content ? content.blob : content.base64} `;
      tree = made.get(key) ?? keep(made, key, await addLayer(storage, snapshot, tree, content));
    }
    return tree;
  };
  return (snapshot) => snapshots.get(snapshot) ?? keep(snapshots, snapshot, load(snapshot));
}
