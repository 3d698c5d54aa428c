/** Carries out what a restore decided on. Every part can be interrupted and repeated, with the same result. */
import { join } from 'node:path';
import type { Storage } from '../../storage/contract.ts';
import { inherit } from '../../system/attributes.ts';
import { setModeAt } from '../../system/closed.ts';
import { ensureDir, removeIfExists, removeTree, syncDir, writeAll } from '../../system/files.ts';
import { readWhole } from '../../system/hashing/hash-files.ts';
import { type InsideDirectory, openInside } from '../../system/inside.ts';
import * as io from '../../system/io.ts';
import { takeTurn } from '../../system/turn.ts';
import { entryOnDisk, linkOrRename, type Paths, removeEmpty, type Swapped, swap } from '../editing/swap.ts';
import { RESTORE_PREFIX } from '../tree/names.ts';
import { type FileEntry, parentOf, sameEntry, type TreeEntry } from '../tree/tree.ts';
import { inheritAttributes } from './attributes.ts';
import { closeDirectory, enterInside, isForbidden, OWN, openDirectories } from './directories.ts';

export interface RestoreItem {
  readonly path: string;
  /** What must be there now; anything else was changed by someone and stays. */
  readonly expected: TreeEntry | null;
  readonly target: TreeEntry | null;
}

export interface RestoreOutcome {
  /** Paths that are as they should be now. */
  readonly restored: string[];
  /**
   * Paths that were left alone: someone changed them at the last moment, something is in the way, or the owner, the access
   * list or attributes of what is there could not be kept.
   */
  readonly left: { path: string; why: 'changed' | 'blocked' | 'attributes' }[];
  /** What someone wrote while the file was swapped, kept as this blob; for a link, its target. */
  readonly displaced: { path: string; blob: string; link?: true }[];
}

/** The snapshots before and after a change of files, without what others saved in the meantime. */
export interface Undo {
  readonly before: string;
  readonly after: string;
}

interface ApplyServices {
  readonly root: string;
  readonly storage: Storage;
  /** Of this restore alone. */
  readonly stage: string;
  readonly id: string;
  contents(files: readonly { path: string; entry: FileEntry }[]): Promise<Uint8Array[]>;
  /** Excludes writers that use the lock: they find each file as it was before, or as it is afterwards. */
  turn<T>(run: () => T): Promise<T>;
}

/** Some content cannot be read: nothing was changed yet. */
export class NotBegun {
  readonly cause: unknown;
  constructor(cause: unknown) {
    this.cause = cause;
  }
}

export async function applyRestore(
  services: ApplyServices,
  items: readonly RestoreItem[],
): Promise<RestoreOutcome> {
  const applied: RestoreOutcome = { restored: [], left: [], displaced: [] };
  const touched = new Set<string>();
  await stageContents(services, items).catch((error: unknown) => {
    throw new NotBegun(error);
  });
  openDirectories(services.root, items);
  const outcomes = new Map<RestoreItem, Swapped | 'attributes'>();
  const staged = (number: number): string => join(services.stage, `${number}.new`);
  for (const item of await inheritAttributes(services, items, staged)) outcomes.set(item, 'attributes');
  const due = inOrder(items).filter(([item]) => !outcomes.has(item));
  const applyNext = (): void => {
    const [item, number] = due.shift()!;
    const attempt = () => applyItem(services, item, number, (made) => touched.add(parentOf(made)));
    outcomes.set(item, unlessForbidden(attempt, oldPaths(services, item.path, number)));
    touched.add(parentOf(item.path));
  };
  while (due.length > 0) {
    await services.turn(() => {
      const end = performance.now() + LONGEST_TURN_MS;
      do applyNext();
      while (due.length > 0 && performance.now() < end);
    });
    await takeTurn();
  }
  await Promise.all([...touched].map((directory) => syncDirectory(services, directory)));
  for (const [number, item] of items.entries()) await settleOld(services, item, number, applied);
  const { root } = services;
  for (const item of items.toReversed()) if (!closeDirectory(root, item)) outcomes.set(item, 'blocked');
  for (const [{ path }, outcome] of outcomes) {
    if (outcome === 'done') applied.restored.push(path);
    else applied.left.push({ path, why: outcome === 'displaced' ? 'changed' : outcome });
  }
  removeTree(services.stage);
  return applied;
}

/** A file that may not be changed is left as it is, and the rest continues; but not while its old content is moved aside. */
function unlessForbidden(run: () => Swapped, old: readonly string[]): Swapped {
  try {
    return run();
  } catch (error) {
    if (isForbidden(error) && !old.some(isThere)) return 'blocked';
    throw error;
  }
}

/** Where we may not look, nothing was written. */
function isThere(path: string): boolean {
  try {
    return io.lstat(path) !== null;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

function oldPaths({ stage, root, id }: ApplyServices, path: string, number: number): string[] {
  return [join(stage, `${number}.old`), join(root, parentOf(path), besideName(id, number, 'old'))];
}

/** Children are removed before their directories, directories are created before their children, links come last. */
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

/** Of one that has to be made for what is in it. */
const DIRECTORY_MODE = 0o755;
const BATCH = 100;
/** So long do other writers wait at most. */
const LONGEST_TURN_MS = 4;

/** All bytes are on disk before the first file is changed, so that missing content is noticed while nothing has changed. */
async function stageContents({ stage, contents }: ApplyServices, items: readonly RestoreItem[]) {
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
  services: ApplyServices,
  item: RestoreItem,
  number: number,
  making: (directory: string) => void,
): Swapped {
  const { path, expected, target } = item;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const make = (directory: string): number => {
    making(directory);
    return DIRECTORY_MODE;
  };
  const inside = openInside(services.root, parentOf(path), target === null ? undefined : make);
  if (!inside) return target === null ? 'done' : 'blocked';
  try {
    const at = inside.at(name);
    if (sameEntry(entryOnDisk(at), target)) return 'done';
    if (target?.kind === 'dir' && io.lstat(at)?.isDirectory()) return 'done'; // Its mode comes last.
    if (target === null && expected?.kind === 'dir') return removeEmpty(at) ? 'done' : 'blocked';
    const places = swapPaths(services, inside, number);
    if (target?.kind === 'file' && sameBytes(expected, target)) return modeOfFile(at, expected!, target);
    return swap(inside, name, expected, places, target && ((to) => place(target, places, to)));
  } finally {
    inside.close();
  }
}

function place(target: TreeEntry, { fresh, near }: Paths, to: string): void {
  if (target.kind === 'symlink') io.symlink(target.target, to);
  else if (target.kind === 'dir') {
    io.mkdir(to, target.mode | OWN);
    setModeAt(to, target.mode | OWN);
  } else if (target.kind === 'file') {
    try {
      linkOrRename(fresh, to);
    } catch (error) {
      if (io.errnoOf(error) !== 'EXDEV') throw error;
      // Another disk: written there first, so that no reader sees it half written.
      removeIfExists(near);
      const file = writeOpen(near, readWhole(fresh)!.bytes, target.mode);
      try {
        if (!inherit({ from: fresh, to: near, mode: target.mode }))
          throw io.ioError('chmod', near, { code: 'EPERM' });
        io.fsync(file);
      } finally {
        io.close(file);
      }
      linkOrRename(near, to);
    }
  }
}

/** The bytes are the right ones already. */
function modeOfFile(at: string, expected: TreeEntry, target: FileEntry): Swapped {
  if (!sameEntry(entryOnDisk(at), expected)) return 'changed';
  setModeAt(at, target.mode);
  return 'done';
}

function swapPaths({ stage, id }: ApplyServices, inside: InsideDirectory, number: number): Paths {
  const beside = (kind: 'old' | 'new') => inside.at(besideName(id, number, kind));
  const old = [join(stage, `${number}.old`), beside('old')];
  return { fresh: join(stage, `${number}.new`), near: beside('new'), old };
}

function besideName(id: string, number: number, kind: 'old' | 'new'): string {
  return `${RESTORE_PREFIX}${id}-${number}.${kind}`;
}

/** What was moved aside is in the snapshot before the restore, unless someone still had it open and wrote to it. */
async function settleOld(
  services: ApplyServices,
  { path, expected }: RestoreItem,
  number: number,
  { displaced }: RestoreOutcome,
): Promise<void> {
  const inside = enterInside(services.root, parentOf(path));
  try {
    const beside = inside ? [inside.at(besideName(services.id, number, 'old'))] : [];
    if (inside) removeIfExists(inside.at(besideName(services.id, number, 'new')));
    for (const old of [join(services.stage, `${number}.old`), ...beside]) {
      const found = entryOnDisk(old);
      if (!found) continue;
      const isLink = found.kind === 'symlink';
      if (!sameEntry(found, expected) && (found.kind === 'file' || isLink)) {
        const bytes = isLink ? Buffer.from(found.target) : readWhole(old)!.bytes;
        const [blob] = await services.storage.putBlobs(null, [{ kind: 'file', bytes }]);
        const one = { path, blob: blob!, ...(isLink ? { link: true as const } : {}) };
        // Kept forever: only its writer can say when it may be removed.
        const record = { root: services.root, ...one, at: new Date().toISOString() };
        await services.storage.save('displaced', `${services.id}-${number}`, record);
        displaced.push(one);
      }
      removeIfExists(old);
    }
  } finally {
    inside?.close();
  }
}

async function syncDirectory({ root }: ApplyServices, path: string): Promise<void> {
  const inside = enterInside(root, path);
  try {
    await inside?.sync();
  } finally {
    inside?.close();
  }
}
