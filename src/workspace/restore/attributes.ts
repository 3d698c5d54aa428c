/** Owner, access list and extended attributes of files that a restore replaces. */
import { inheritAll } from '../../system/attributes.ts';
import { syncAll } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { parentOf, type TreeEntry } from '../tree/tree.ts';
import { enterInside } from './directories.ts';

interface ReplacingItem {
  readonly path: string;
  readonly expected: TreeEntry | null;
  readonly target: TreeEntry | null;
}

/** As many directories are open at a time. */
const BATCH = 100;

/** Gives each replacement what the old file has besides its bytes; returns those where that failed. */
export async function inheritAttributes<I extends ReplacingItem>(
  { root }: { readonly root: string },
  items: readonly I[],
  staged: (number: number) => string,
): Promise<I[]> {
  const replaced = [...items.entries()].flatMap(([number, item]) =>
    item.target?.kind === 'file' && item.expected?.kind === 'file' && item.expected.hash !== item.target.hash
      ? [{ number, item, mode: item.target.mode }]
      : [],
  );
  const refused: I[] = [];
  for (let at = 0; at < replaced.length; at += BATCH) {
    const found = replaced.slice(at, at + BATCH).flatMap((one) => {
      const inside = enterInside(root, parentOf(one.item.path));
      return inside ? [{ ...one, inside }] : [];
    });
    const heirs = found.map(({ number, item: { path }, mode, inside }) => ({
      from: inside.at(path.slice(path.lastIndexOf('/') + 1)),
      to: staged(number),
      mode,
    }));
    const { kept, changed } = inheritAll(heirs);
    try {
      await syncAll(changed);
    } finally {
      for (const file of changed) io.close(file);
    }
    for (const [index, { item, inside }] of found.entries()) {
      inside.close();
      if (!kept[index]) refused.push(item);
    }
  }
  return refused;
}
