/**
 * Blobs that came with a commit: their bytes are in the log of its task, synced with it. Their files follow, and are synced
 * later. Until then a mark says from which line on the log is needed for that; when its process has died, the next one that
 * opens the store, or works on the task, makes the files from the log.
 */
import { dirname } from 'node:path';
import { CorruptError, IoError } from '../../errors.ts';
import {
  ensureDir,
  namesIn,
  openIfExists,
  placeFile,
  placeFileUnsynced,
  readIfExists,
  removeIfExists,
  replaceFile,
  syncAll,
  syncDir,
  syncDirs,
  writeAll,
} from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { ensureDirBelow } from '../../system/own-files.ts';
import type { NamedBlob } from '../backend.ts';
import { blobFile } from './blobs.ts';
import type { Guard } from './guard.ts';
import type { Layout } from './layout.ts';
import { blobsOf } from './lines/frame.ts';
import { endOfLines, scanBackward } from './lines/log.ts';

export interface Unsynced {
  /** Before the first commit of a claim that brings blobs: durable. `number` is that of the last line without. */
  mark(task: string, fence: number, number: number): void;
  /** Makes their files, once the line with this number is on the disk. What cannot be written is in memory until it can. */
  show(task: string, blobs: readonly NamedBlob[], number: number): void;
  /** One whose file could not be made yet. */
  get(id: string): Uint8Array | undefined;
  /** Syncs what this task has shown so far. */
  sync(task: string): Promise<void>;
  /** The same at the end of the claim: the log is not needed for them any more. */
  end(task: string): Promise<void>;
}

/** Of a claim. */
interface Claimed {
  readonly mark: io.OpenFile;
  readonly waiting: Map<string, NamedBlob>;
  /** Of these, those that could not be written. */
  readonly unshown: Map<string, NamedBlob>;
  newest: number;
  turn: Promise<void>;
}

/** The bytes that a commit may bring along; they are in the log for as long as it is not compacted. */
const MOST_BYTES = 64 * 1024;

/** The blobs of a commit: those that its line brings along, and those that are stored before it. */
export function partBlobs(
  layout: Layout,
  blobs: readonly NamedBlob[],
  mayBring: boolean,
): { readonly brought: readonly NamedBlob[]; readonly others: readonly NamedBlob[] } {
  const size = blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (!mayBring || size > MOST_BYTES) return { brought: [], others: blobs };
  const isThere = ({ id }: NamedBlob): boolean => io.lstat(blobFile(layout, null, id)) !== null;
  return { brought: blobs.filter((blob) => !isThere(blob)), others: blobs.filter(isThere) };
}

/** As many digits as a safe integer has, so that a later number is written over it in one piece. */
const DIGITS = 16;

export function createUnsynced(layout: Layout, guard: Guard): Unsynced {
  const claims = new Map<string, Claimed>();
  const sync = (claim: Claimed): Promise<void> => {
    claim.turn = claim.turn
      .catch(() => {}) // Those who waited for that sync were told.
      .then(() => syncShown(layout, claim))
      .catch((error) => {
        guard.noteFailure(error);
        throw error;
      });
    return claim.turn;
  };
  return {
    mark(task, fence, number) {
      if (claims.has(task)) return;
      const path = layout.unsyncedMark(task, fence);
      ensureDir(layout.unsyncedDir);
      replaceFile(path, digits(number));
      const mark = io.open(path, 'r+');
      const turn = Promise.resolve();
      claims.set(task, { mark, waiting: new Map(), unshown: new Map(), newest: number, turn });
    },
    show(task, blobs, number) {
      const claim = claims.get(task)!;
      claim.newest = number;
      for (const blob of blobs) {
        claim.waiting.set(blob.id, blob);
        claim.unshown.set(blob.id, blob);
      }
      try {
        showAll(layout, claim);
      } catch (error) {
        guard.noteFailure(error);
      }
    },
    get(id) {
      for (const { unshown } of claims.values()) {
        const blob = unshown.get(id);
        if (blob) return blob.bytes;
      }
      return undefined;
    },
    async sync(task) {
      const claim = claims.get(task);
      if (claim && claim.waiting.size > 0) await sync(claim);
    },
    async end(task) {
      const claim = claims.get(task);
      if (!claim) return;
      claims.delete(task);
      try {
        await sync(claim);
        removeIfExists(claim.mark.path);
      } finally {
        io.close(claim.mark);
      }
    },
  };
}

function showAll(layout: Layout, { unshown }: Claimed): void {
  for (const [id, { bytes }] of unshown) {
    const path = blobFile(layout, null, id);
    ensureDirBelow(layout.root, dirname(path));
    placeFileUnsynced(path, bytes);
    unshown.delete(id);
  }
}

async function syncShown(layout: Layout, claim: Claimed): Promise<void> {
  const { mark, waiting, newest } = claim;
  showAll(layout, claim);
  const shown = [...waiting.values()];
  const files: io.OpenFile[] = [];
  try {
    for (const { id } of shown) {
      const file = openIfExists(blobFile(layout, null, id), 'r+');
      if (file) files.push(file); // Else clean-up has removed it: nothing names it any more.
    }
    await syncAll(files);
  } finally {
    for (const file of files) io.close(file);
  }
  await syncDirs(new Set(files.map(({ path }) => dirname(path))));
  for (const blob of shown) if (waiting.get(blob.id) === blob) waiting.delete(blob.id);
  writeAll(mark, digits(newest), 0);
}

/**
 * After a crash: what the log of such a claim brought along is in synced files when this returns. A claim that is `held` is left
 * to its owner, and a log that cannot be read to its doctor.
 */
export function settleUnsynced(layout: Layout, held: (task: string) => boolean, only?: string): void {
  for (const { name } of namesIn(layout.unsyncedDir)) {
    const found = layout.taskOfMark(name);
    if (!found || (only !== undefined && found.task !== only) || held(found.task)) continue;
    const path = layout.unsyncedMark(found.task, found.fence);
    const through = Number(readIfExists(path)?.toString('latin1') ?? 0);
    if (syncFromLog(layout, found.task, through)) removeIfExists(path);
  }
}

/** False where a full disk or damage prevents it: the mark stays. */
function syncFromLog(layout: Layout, task: string, through: number): boolean {
  const dirs = new Set<string>();
  try {
    for (const { id, bytes } of broughtAfter(layout, task, through)) {
      const path = blobFile(layout, null, id);
      ensureDirBelow(layout.root, dirname(path));
      placeFile(path, bytes, true);
      dirs.add(dirname(path));
    }
    for (const dir of dirs) syncDir(dir);
    return true;
  } catch (error) {
    if (error instanceof CorruptError || (error instanceof IoError && error.data.op !== 'fsync'))
      return false;
    throw error;
  }
}

/** Newest first. */
function* broughtAfter(layout: Layout, task: string, through: number): Generator<NamedBlob> {
  const file = openIfExists(layout.taskLog(task));
  if (!file) return;
  try {
    for (const { frame } of scanBackward(file, endOfLines(file))) {
      if (frame.number <= through) return;
      yield* blobsOf(frame);
    }
  } finally {
    io.close(file);
  }
}

function digits(number: number): Buffer {
  return Buffer.from(String(number).padStart(DIGITS, '0'));
}
