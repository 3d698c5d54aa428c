/**
 * The files of stores that lie in a workspace: snapshots neither contain nor restore them. Reading one would also drop the
 * locks that this process has on it.
 */
import { hash } from 'node:crypto';
import { dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import type { StoreFiles } from '../../storage/contract.ts';
import { isAlone, isOfDatabase, isOfJsonStore } from '../../storage/store-files.ts';
import { ensureDir, namesIn, readIfExists, replaceFile } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { jsonIn } from '../../system/json.ts';
import { isOwnName } from '../tree/names.ts';
import { EMPTY_DIRECTORY, joinPath, parentOf, type Tree, type TreeDirectory } from '../tree/tree.ts';

interface LeftOut {
  /** Changes when a store comes or goes. */
  readonly fingerprint: readonly string[];
  /** Whether a name in a directory is a store's. */
  isOf(directory: string, name: string): boolean;
  /** The same tree object if it has none of them. */
  without(tree: Tree): Tree;
}

export interface StoresHere {
  /** The caller's store and those that other processes use on the same workspace. */
  now(): LeftOut;
  /** As of the last call of `now`. */
  known(): LeftOut;
}

/** Registers the store for every process that works on the workspace. */
export function openStoresHere(root: string, stateDir: string, own: readonly StoreFiles[]): StoresHere {
  const dir = join(stateDir, 'stores');
  const isHere = (place: StoreFiles): boolean => pathInside(root, place) !== null;
  for (const { path, kind } of own.filter(isHere)) {
    const file = join(dir, `${hash('sha256', path).slice(0, 32)}.json`);
    const text = JSON.stringify({ path, kind, inode: inodeOf(path) });
    if (readIfExists(file)?.toString() === text) continue;
    ensureDir(dir);
    replaceFile(file, Buffer.from(text));
  }
  let last: { names: string; found: LeftOut } | undefined;
  const now = (): LeftOut => {
    const others = io.exists(dir) ? namesIn(dir).flatMap(({ name }) => noted(join(dir, name))) : [];
    const places = [...new Map([...others, ...own].map((place) => [place.path, place])).values()];
    places.push(...places.flatMap((place) => directoryOf(root, place)));
    const names = JSON.stringify(places.map(({ path, kind }) => [path, kind]));
    if (last?.names !== names) last = { names, found: leftOut(root, places) };
    return last.found;
  };
  return { now, known: () => last?.found ?? now() };
}

/** A directory that has nothing but a database is the store's for as long as that is so. */
function directoryOf(root: string, { path, kind }: StoreFiles): StoreFiles[] {
  const above: StoreFiles = { path: dirname(path), kind: 'directory' };
  if (kind !== 'database' || above.path === root || pathInside(root, above) === null) return [];
  return isAlone(path) ? [above] : [];
}

const notedSchema = z.object({
  path: z.string(),
  kind: z.enum(['directory', 'database', 'json']),
  inode: z.number().nullable(),
});

/** A file that has replaced a store since is not the store's, and captured. */
function noted(file: string): StoreFiles[] {
  const text = readIfExists(file)?.toString() ?? '';
  const { data } = notedSchema.safeParse(jsonIn(text));
  if (!data) return []; // Being written, or by another version.
  const { inode, ...place } = data;
  const there = inodeOf(place.path);
  return there === null || there === inode ? [place] : [];
}

interface StoreInside {
  readonly inside: string;
  readonly kind: StoreFiles['kind'];
}

function leftOut(root: string, stores: readonly StoreFiles[]): LeftOut {
  const places = stores.flatMap(({ path, kind }): StoreInside[] => {
    const inside = pathInside(root, { path, kind });
    return inside === null ? [] : [{ inside, kind: inside === '' ? 'json' : kind }];
  });
  const isOf = (directory: string, name: string): boolean =>
    places.some(({ inside, kind }) => {
      if (kind === 'directory') return joinPath(directory, name) === inside;
      if (kind === 'database') return directory === parentOf(inside) && isOfDatabase(inside, name);
      if (!isAtOrBelow(directory, inside)) return false;
      return isOfJsonStore(joinPath(directory, name).slice(inside === '' ? 0 : inside.length + 1));
    });
  return {
    fingerprint: places.map(({ inside, kind }) => `${kind} ${inside}`).sort(),
    isOf,
    without: (tree) => strip(tree, places, isOf),
  };
}

/** A path from the root; null for what is elsewhere, or kept out by its name already. */
function pathInside(root: string, { path, kind }: StoreFiles): string | null {
  const inside = relative(root, path).split(sep).join('/');
  if (inside.startsWith('../') || inside === '..' || /^[A-Za-z]:|^\//.test(inside)) return null;
  if (inside.split('/').some(isOwnName)) return null;
  return inside === '' && kind === 'database' ? null : inside;
}

/** Looks only where one of them can be: most trees have none. */
function strip(tree: Tree, places: readonly StoreInside[], isOf: LeftOut['isOf']): Tree {
  const held = places.flatMap(({ inside, kind }) =>
    kind === 'json' ? [...tree.keys()].filter((path) => isAtOrBelow(path, inside)) : [parentOf(inside)],
  );
  const kept = new Map<string, TreeDirectory>();
  const gone: string[] = [];
  for (const directory of new Set(held)) {
    const { names, entries } = tree.get(directory) ?? EMPTY_DIRECTORY;
    const own = names.map((name) => isOf(directory, name));
    if (!own.includes(true)) continue;
    gone.push(...names.filter((_, index) => own[index]).map((name) => joinPath(directory, name)));
    const stays = (_: unknown, index: number): boolean => !own[index];
    kept.set(directory, { names: names.filter(stays), entries: entries.filter(stays) });
  }
  if (kept.size === 0) return tree;
  const isGone = (path: string): boolean => gone.some((above) => isAtOrBelow(path, above));
  return new Map([...tree, ...kept].filter(([path]) => path === '' || !isGone(path)));
}

function isAtOrBelow(path: string, above: string): boolean {
  return above === '' || path === above || path.startsWith(`${above}/`);
}

function inodeOf(path: string): number | null {
  return io.lstat(path)?.ino ?? null;
}
