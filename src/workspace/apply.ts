/** Carries out what a restore decided on. Every part can be cut off and carried out again, with the same end. */
import { join } from 'node:path';
import type { Storage } from '../storage/contract.ts';
import { ensureDir, removeIfExists, removeTree, syncDir, writeAll } from '../system/files.ts';
import { readWhole } from '../system/hash-files.ts';
import { type InsideDirectory, openInside } from '../system/inside.ts';
import * as io from '../system/io.ts';
import { takeTurn } from '../system/turn.ts';
import { RESTORE_PREFIX } from './names.ts';
import { entryOnDisk, linkOrRename, type Places, removeEmpty, type Swapped, swap } from './swap.ts';
import { type FileEntry, parentOf, sameEntry, type TreeEntry } from './tree.ts';

export interface RestoreItem {
  readonly path: string;
  /** What must be there now; anything else is somebody's and stays. */
  readonly expected: TreeEntry | null;
  readonly target: TreeEntry | null;
}

export interface RestoreOutcome {
  /** Paths that are as they should be now. */
  readonly restored: string[];
  /** Paths that were left alone, since somebody changed them in the last moment or something is in the way. */
  readonly left: { path: string; why: 'changed' | 'blocked' }[];
  /** What somebody wrote while the file was swapped: kept as this blob. */
  readonly displaced: { path: string; blob: string }[];
}

export interface ApplyWorld {
  readonly root: string;
  readonly storage: Storage;
  /** Of this restore alone. */
  readonly stage: string;
  readonly id: string;
  contents(files: readonly { path: string; entry: FileEntry }[]): Promise<Uint8Array[]>;
  /** The mode of a directory that has to be made. */
  modeOf(directory: string): number;
  /** While nobody writes a file through a lock: who does finds each file as it was, or as it will be. */
  turn<T>(run: () => T): Promise<T>;
}

export async function applyRestore(
  world: ApplyWorld,
  items: readonly RestoreItem[],
): Promise<RestoreOutcome> {
  const applied: RestoreOutcome = { restored: [], left: [], displaced: [] };
  const touched = new Set<string>();
  await stageContents(world, items);
  for (const [item, number] of inOrder(items)) {
    const outcome = await world.turn(() =>
      applyItem(world, item, number, (made) => touched.add(parentOf(made))),
    );
    touched.add(parentOf(item.path));
    if (outcome === 'done') applied.restored.push(item.path);
    else applied.left.push({ path: item.path, why: outcome === 'blocked' ? 'blocked' : 'changed' });
    await takeTurn();
  }
  await Promise.all([...touched].map((directory) => syncDirectory(world, directory)));
  for (const [number, item] of items.entries()) await settleOld(world, item, number, applied);
  removeTree(world.stage);
  return applied;
}

/** Children go before their directories, directories come before their children, links come last. */
function inOrder(items: readonly RestoreItem[]): [RestoreItem, number][] {
  const numbered = items.map((item, number): [RestoreItem, number] => [item, number]);
  const rank = ([{ target }]: [RestoreItem, number]) =>
    target === null ? 0 : target.kind === 'symlink' ? 2 : 1;
  return numbered.sort((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const ascending = a[0].path < b[0].path ? -1 : 1;
    return rank(a) === 0 ? -ascending : ascending;
  });
}

const BATCH = 100;

/** All bytes lie on the disk before the first file is changed: what is missing is found out while nothing happened. */
async function stageContents({ stage, contents }: ApplyWorld, items: readonly RestoreItem[]): Promise<void> {
  ensureDir(stage);
  const due = [...items.entries()].flatMap(([number, { path, expected, target }]) =>
    target?.kind === 'file' && !sameBytes(expected, target) ? [{ number, path, entry: target }] : [],
  );
  for (let at = 0; at < due.length; at += BATCH) {
    const batch = due.slice(at, at + BATCH);
    const bytes = await contents(batch);
    await Promise.all(
      batch.map(({ number, entry }, index) => {
        const path = join(stage, `${number}.new`);
        removeIfExists(path);
        return writeFile(path, bytes[index]!, entry.mode);
      }),
    );
  }
  syncDir(stage);
}

function sameBytes(a: TreeEntry | null, b: FileEntry): boolean {
  return a?.kind === 'file' && a.hash === b.hash;
}

/** Several at once are synced in little more time than one. */
async function writeFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = writeOpen(path, bytes, mode);
  try {
    await io.fsyncAsync(file);
  } finally {
    io.close(file);
  }
}

function writeOpen(path: string, bytes: Uint8Array, mode: number): io.OpenFile {
  const file = io.open(path, 'wx');
  try {
    writeAll(file, bytes);
    io.chmod(file, mode);
    return file;
  } catch (error) {
    io.close(file);
    throw error;
  }
}

function applyItem(
  world: ApplyWorld,
  item: RestoreItem,
  number: number,
  making: (directory: string) => void,
): Swapped {
  const { path, expected, target } = item;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const make = (directory: string): number => {
    making(directory);
    return world.modeOf(directory);
  };
  const inside = openInside(world.root, parentOf(path), target === null ? undefined : make);
  if (!inside) return target === null ? 'done' : 'blocked';
  try {
    const at = inside.at(name);
    if (sameEntry(entryOnDisk(at), target)) return 'done';
    if (target?.kind === 'dir' && io.lstat(at)?.isDirectory()) return changeMode(at, target.mode);
    if (target === null && expected?.kind === 'dir') return removeEmpty(at) ? 'done' : 'blocked';
    const places = placesOf(world, inside, number);
    if (target?.kind === 'file' && sameBytes(expected, target)) return modeOfFile(at, expected!, target);
    return swap(inside, name, expected, places, target && ((to) => place(target, places, to)));
  } finally {
    inside.close();
  }
}

function place(target: TreeEntry, { fresh }: Places, to: string): void {
  if (target.kind === 'symlink') io.symlink(target.target, to);
  else if (target.kind === 'dir') {
    io.mkdir(to, target.mode);
    changeMode(to, target.mode);
  } else if (target.kind === 'file') {
    try {
      linkOrRename(fresh, to);
    } catch (error) {
      if (io.errnoOf(error) !== 'EXDEV') throw error;
      // Another disk: written there under its final name, which nobody else has.
      const file = writeOpen(to, readWhole(fresh)!.bytes, target.mode);
      try {
        io.fsync(file);
      } finally {
        io.close(file);
      }
    }
  }
}

/** The bytes are the right ones already. */
function modeOfFile(at: string, expected: TreeEntry, target: FileEntry): Swapped {
  return sameEntry(entryOnDisk(at), expected) ? changeMode(at, target.mode) : 'changed';
}

function changeMode(at: string, mode: number): Swapped {
  const file = io.open(at, io.READ_NO_FOLLOW);
  try {
    const special = io.fstat(file).mode & 0o7000;
    io.chmod(file, special | mode);
  } finally {
    io.close(file);
  }
  return 'done';
}

function placesOf({ stage, id }: ApplyWorld, inside: InsideDirectory, number: number): Places {
  const beside = inside.at(`${RESTORE_PREFIX}${id}-${number}.old`);
  return { fresh: join(stage, `${number}.new`), old: [join(stage, `${number}.old`), beside] };
}

/** What was moved aside is in the snapshot before the restore; unless somebody still had it open and wrote to it. */
async function settleOld(
  world: ApplyWorld,
  { path, expected }: RestoreItem,
  number: number,
  { displaced }: RestoreOutcome,
): Promise<void> {
  const inside = openInside(world.root, parentOf(path));
  try {
    const beside = inside ? [inside.at(`${RESTORE_PREFIX}${world.id}-${number}.old`)] : [];
    for (const old of [join(world.stage, `${number}.old`), ...beside]) {
      const found = entryOnDisk(old);
      if (!found) continue;
      if (!sameEntry(found, expected) && found.kind === 'file') {
        const [blob] = await world.storage.putBlobs(null, [{ kind: 'file', bytes: readWhole(old)!.bytes }]);
        // For good: nobody but its writer can say when it may go.
        const record = { root: world.root, path, blob, at: new Date().toISOString() };
        await world.storage.save('displaced', `${world.id}-${number}`, record);
        displaced.push({ path, blob: blob! });
      }
      removeIfExists(old);
    }
  } finally {
    inside?.close();
  }
}

async function syncDirectory({ root }: ApplyWorld, path: string): Promise<void> {
  const inside = openInside(root, path);
  try {
    await inside?.sync();
  } finally {
    inside?.close();
  }
}
