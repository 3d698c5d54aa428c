/** The tree that a layer makes of the one before it. Directories it does not concern are shared. */

import { phrase } from '../../phrase.ts';
import { unsafe } from '../tree/names.ts';
import {
  EMPTY_DIRECTORY,
  entryAt,
  indexOfName,
  joinPath,
  type Tree,
  type TreeDirectory,
  type TreeEntry,
} from '../tree/tree.ts';
import { CODES, kindOfCode } from './layer.ts';
import type { DirectoryChange } from './layer-reader.ts';

export function applyLayer(tree: Tree, layer: readonly DirectoryChange[]): Tree {
  const next = new Map(tree);
  const gone: string[] = [];
  for (const change of layer) {
    const { directory, names, codes } = change;
    const before = next.get(directory) ?? EMPTY_DIRECTORY;
    // As it is, its entries not made yet.
    if (before.names.length === 0 && !codes.includes(CODES.removed))
      next.set(directory, change as TreeDirectory);
    else {
      next.set(directory, merge(before, names, change.entries));
      for (const [index, name] of names.entries()) {
        if (!isDirectoryCode(codes[index]!) && isDirectory(before, name))
          gone.push(joinPath(directory, name));
      }
    }
  }
  for (const path of gone) drop(next, path);
  assertConnected(next, layer, addDirectories(next, layer));
  return next;
}

function merge(
  before: TreeDirectory,
  names: readonly string[],
  entries: readonly (TreeEntry | null)[],
): TreeDirectory {
  const all = new Map(before.names.map((name, index) => [name, before.entries[index]!]));
  for (const [index, name] of names.entries()) {
    const entry = entries[index]!;
    if (entry) all.set(name, entry);
    else all.delete(name);
  }
  const sorted = [...all.keys()].sort();
  return { names: sorted, entries: sorted.map((name) => all.get(name)!) };
}

function isDirectory({ names, entries }: TreeDirectory, name: string): boolean {
  return entries[indexOfName(names, name)]?.kind === 'dir';
}

function isDirectoryCode(code: number): boolean {
  return kindOfCode(code) === CODES.dir;
}

function drop(tree: Map<string, TreeDirectory>, path: string): void {
  const directory = tree.get(path);
  tree.delete(path);
  for (const [index, name] of directory?.names.entries() ?? []) {
    if (directory!.entries[index]!.kind === 'dir') drop(tree, joinPath(path, name));
  }
}

/** Those that the layer makes, empty ones included. */
function addDirectories(tree: Map<string, TreeDirectory>, layer: readonly DirectoryChange[]): Set<string> {
  const made = new Set<string>();
  for (const { directory, names, codes } of layer) {
    for (const [index, code] of codes.entries()) {
      if (!isDirectoryCode(code)) continue;
      const path = joinPath(directory, names[index]!);
      made.add(path);
      if (!tree.has(path)) tree.set(path, EMPTY_DIRECTORY);
    }
  }
  return made;
}

/** Nothing hangs below a file, a link or nothing: what is written there could end up anywhere. */
function assertConnected(tree: Tree, layer: readonly DirectoryChange[], made: ReadonlySet<string>): void {
  for (const { directory, names, codes } of layer) {
    if (directory === '' || made.has(directory) || entryAt(tree, directory)?.kind === 'dir') continue;
    const index = codes.findIndex((code) => code !== CODES.removed);
    if (index < 0) continue;
    throw unsafe(
      joinPath(directory, names[index]!),
      phrase`${directory} is not a directory, and yet has entries`,
    );
  }
}
