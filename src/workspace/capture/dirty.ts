/** Where to look again. */
import { join } from 'node:path';
import { foldName } from '../tree/names.ts';
import { joinPath, type Tree } from '../tree/tree.ts';
import { listNames, statOf } from './look.ts';

/** Names to look at, by directory; true where the name itself came, went or was replaced. */
export type Dirty = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/**
 * Whether a file may be meant that has another name in the tree or on the disk: where names are folded, what is there by the
 * name that was told need not be called so.
 */
export function isSpelledOtherwise(dirty: Dirty, tree: Tree, root: string): boolean {
  const known = new Set<string>();
  for (const path of tree.keys()) known.add(foldName(path));
  for (const [directory, names] of dirty) {
    const before = tree.get(directory);
    // One that is not in the tree is not looked at, unless it is by another name.
    if (!before && known.has(foldName(directory))) return true;
    if (!before) continue;
    const listed = listNames(join(root, directory), () => false) ?? [];
    const spellings = new Map(
      [...before.names, ...listed, ...names.keys()].map((name) => [name, foldName(name)]),
    );
    if (new Set(spellings.values()).size < spellings.size) return true;
    for (const name of names.keys())
      if (!listed.includes(name) && statOf(join(root, joinPath(directory, name)))) return true;
  }
  return false;
}
