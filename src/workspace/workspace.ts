/** A directory of files that tasks work on: captured byte for byte, read as it was, restored. */

import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { OwnershipError, WorkspaceError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Storage } from '../storage/contract.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import { keepOutOfGit } from '../system/git/out-of-git.ts';
import { oneByOne } from '../system/in-turn.ts';
import * as io from '../system/io.ts';
import { type LocalLocks, openLocks } from '../system/locks/locks.ts';
import { ensureDirBelow } from '../system/own-files.ts';
import { platform } from '../system/platform.ts';
import type { OnProgress } from '../system/progress.ts';
import { openComparer } from '../system/stats/compare.ts';
import { openCapture } from './capture/capture.ts';
import type { Dirty } from './capture/dirty.ts';
import { cacheFile, readStatCache } from './capture/stat-cache.ts';
import { openWatch, type Watch } from './capture/watch.ts';
import { type FileLocks, openFileLocks } from './editing/file-locks.ts';
import { openKeptObjects } from './git/kept-objects.ts';
import { noteNewest, rootId } from './git/noted.ts';
import { openRepository } from './git/repository.ts';
import { storeId } from './git/store-id.ts';
import { type MergedTrees, type MergeTreesOptions, mergeInto } from './merging/merge.ts';
import type { RestoreOutcome, Undo } from './restore/apply.ts';
import { finishRestores, isUnfinished } from './restore/carry-out.ts';
import { isMergedBack, mergeBack } from './restore/merge-back.ts';
import type { OwnChange } from './restore/plan.ts';
import { type PreviewItem, type PreviewOptions, previewRestore } from './restore/preview.ts';
import {
  alone,
  type RestoreOptions,
  type RestoreResult,
  type RestoreServices,
  restore,
  type UndoOptions,
  undoRestore,
} from './restore/restore.ts';
import type { CaptureSettings } from './rules/rules.ts';
import { openStoresHere } from './rules/store-files.ts';
import { amendSnapshot, blendSnapshots } from './snapshot/amend.ts';
import { openReader } from './snapshot/reader.ts';
import { recentSnapshots } from './snapshot/recent-snapshots.ts';
import { diffKnown, type TreeChange } from './tree/diff.ts';
import { EMPTY_TREE, type Tree, type TreeEntry } from './tree/tree.ts';

export interface WorkspaceOptions extends CaptureSettings {
  /** The directory. Not the home directory, not the root of the file system. */
  readonly root: string;
  readonly storage: Storage;
  readonly clock?: Clock;
  /** Called with the progress of a snapshot. */
  readonly onProgress?: OnProgress;
  /** What was captured once stays captured when it is ignored later: the task itself may have added the ignore rule. */
  readonly keeps_captured?: boolean;
}

interface SnapshotOptions {
  /** Scans everything, even if the watch reports no change. */
  readonly full?: boolean;
  /** Only commits to the same store will name it: it may be stored with the next of them. */
  readonly promised?: boolean;
}

export interface Snapshot {
  /** `snapshot/{sha256}`; the same while nothing changes. */
  readonly id: string;
  /** Since the snapshot before it, of any process. */
  readonly changes: readonly TreeChange[];
}

export interface Workspace {
  readonly root: string;
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  /**
   * Watches the files from now on, so that a snapshot costs only what changed. False where that cannot be done; then every
   * snapshot scans everything. Writes through memory maps are seen by full snapshots only.
   */
  watch(): Promise<boolean>;
  /** Captures this file too from now on, even if the rules exclude it: for a caller that is about to change it. */
  also(path: string): void;
  /** What differs between two snapshots. */
  diff(from: string, to: string): Promise<readonly TreeChange[]>;
  /** Everything in a snapshot. */
  tree(snapshot: string): Promise<Tree>;
  /**
   * A snapshot like another one, except for the content of one file; its mode, where that one has none, is as in a third.
   */
  amend(snapshot: string, path: string, content: Uint8Array | null, modeAsIn: string): Promise<string>;
  /** The bytes of a file as they were. */
  read(snapshot: string, path: string): Promise<Uint8Array>;
  /**
   * A file without these changes, which are removed last first; null if no file is left, or they cannot be separated from
   * others.
   */
  without(path: string, entry: TreeEntry | null, changes: readonly OwnChange[]): Promise<Uint8Array | null>;
  /** Every file that `restore` would look at, and what would become of it. Changes no file. */
  preview(options: PreviewOptions): Promise<readonly PreviewItem[]>;
  /** Undoes a task's own changes since a snapshot; what others changed stays, is merged, or is asked about. */
  restore(options: RestoreOptions): Promise<RestoreResult>;
  /** Merges what changed between two snapshots, wherever they were taken, into the files as they are. */
  merge(options: MergeTreesOptions): Promise<MergedTrees>;
  /** Undoes a restore or a merge, given the `undo` of its result. */
  undo(undo: Undo, choices?: UndoOptions): Promise<RestoreResult>;
  /** Restores of a dead process that were finished when this workspace was opened. */
  readonly finished: readonly RestoreOutcome[];
  /** Nothing more happens for now: what snapshots left for later is done. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { storage, include, exclude, max_file_mb, clock = systemClock, keeps_captured = false } = options;
  const root = safeRoot(options.root);
  const stateDir = join(root, '.vibe-engine', '.workspace');
  ensureDirBelow(join(root, '.vibe-engine'), stateDir);
  keepOutOfGit(stateDir);
  const opening = openRepository(root, await storeId(storage));
  // While git runs.
  const left = readStatCache(cacheFile(stateDir));
  const comparer = openComparer(left?.table);
  const repository = await opening;
  const settings = {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(max_file_mb !== undefined && { max_file_mb }),
  };
  const foldCase = platform.folds_names;
  const { onProgress } = options;
  const stores = openStoresHere(root, stateDir, storage.files ?? []);
  const kept = openKeptObjects(stateDir);
  const { load, add } = recentSnapshots(storage, stores);
  const capture = openCapture(
    {
      root,
      stateDir,
      storage,
      repository,
      settings,
      foldCase,
      clock,
      onProgress,
      load,
      stores,
      kept,
      comparer,
      keepsCaptured: keeps_captured,
    },
    left,
  );
  const reader = openReader(storage, repository, kept);
  const place = rootId(root);
  const note = noteNewest(storage, root, clock);
  let watch: Watch | null = null;
  /** Each is a difference to the one before. */
  const inTurn = oneByOne();

  const look = async ({ full = false, promised = false }: SnapshotOptions, names?: Dirty) => {
    if (!watch) return capture.take(names ?? null, { promised });
    const known = (await capture.newest())?.tree ?? EMPTY_TREE;
    const dirty = await watch.dirty(known);
    if (!dirty) await watch.restart(['', ...known.keys()]);
    try {
      const all = dirty && names ? union(dirty, names) : dirty;
      const taken = await capture.take(full ? null : all, { entering: watch.entering, promised });
      if (!dirty) watch.trust();
      return taken;
    } catch (error) {
      watch.distrust();
      throw error;
    }
  };
  const take = async (names?: Dirty, options: SnapshotOptions = {}) => {
    const { id, stored, changes } = await look(options, names);
    if (stored) add(stored);
    await note.take(id);
    return { id, changes };
  };
  let locks: Promise<LocalLocks> | undefined;
  let fileLocks: Promise<FileLocks> | undefined;
  const services: RestoreServices = {
    root,
    place,
    stateDir,
    storage,
    reader,
    nameRules: { windows: platform.windows, folds: foldCase },
    locks: () => (locks ??= openLocks(join(stateDir, 'locks'))),
    fileLocks: () => (fileLocks ??= openFileLocks(root)),
    newest: async () => ((await capture.newest()) ?? (await take())).id,
    take: async (dirty) => {
      const { id } = await take(dirty);
      return { id, tree: (await load(id)).tree };
    },
    also: keeps_captured ? capture.also : () => {},
    tree: async (snapshot) => (await load(snapshot)).tree,
    blend: async (like, paths, asIn) =>
      (await blendSnapshots(storage, await load(like), paths, await load(asIn))).id,
  };

  return {
    root,
    finished: await finishLeftOver(services),
    async snapshot(options) {
      const { id, changes } = await inTurn(() => take(undefined, options));
      return { id, changes };
    },
    watch: () =>
      inTurn(async () => {
        watch ??= openWatch(root, stateDir);
        if (watch) await take();
        return watch?.works ?? false;
      }),
    also: (path) => capture.also([{ path, size: sizeAt(join(root, path)) }]),
    preview: (request) => inTurn(() => previewRestore(services, request)),
    restore: (request) => inTurn(() => restore(services, request)),
    merge: (request) => inTurn(() => mergeInto(services, request)),
    undo: (undo, choices = {}) => inTurn(() => undoRestore(services, undo, choices)),
    diff: async (from, to) => diffKnown((await load(from)).tree, (await load(to)).tree),
    tree: async (snapshot) => (await load(snapshot)).tree,
    amend: async (snapshot, path, content, modeAsIn) => {
      const amended = await amendSnapshot(
        storage,
        await load(snapshot),
        { path, content },
        (await load(modeAsIn)).tree,
      );
      add(amended);
      return amended.id;
    },
    read: async (snapshot, path) => reader.read((await load(snapshot)).tree, path, snapshot),
    async without(path, current, steps) {
      const taken = await mergeBack({ path, current, steps }, reader, { storage, root, resolvers: [] });
      if (!isMergedBack(taken)) return null;
      return taken.bytes ?? (await reader.contents([{ path, entry: taken.entry }]))[0]!;
    },
    flush: note.write,
    close: () =>
      inTurn(async () => {
        watch?.close();
        repository?.close();
        kept.close();
        capture.close();
        await note.write();
        await (await locks)?.close();
        await (await fileLocks)?.close();
        locks = fileLocks = undefined;
      }),
  };
}

function sizeAt(path: string): number {
  return io.unlessRefused(() => io.lstat(path)?.size ?? 0, 0); // A write there reports it.
}

/** What another process has in progress is left to it. */
async function finishLeftOver(services: RestoreServices): Promise<RestoreOutcome[]> {
  if (!(await isUnfinished(services))) return [];
  try {
    return await alone(services, () => finishRestores(services));
  } catch (error) {
    if (error instanceof OwnershipError) return [];
    throw error;
  }
}

function safeRoot(given: string): string {
  const root = io.realpath(resolve(given));
  const home = io.realpath(homedir()) ?? homedir();
  const isAbove = root !== null && `${home}${sep}`.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
  if (root !== null && !isAbove && io.lstat(root)?.isDirectory()) return root;
  throw new WorkspaceError('WORKSPACE_UNSAFE', phrase`${given} is not a directory for a workspace.`, {
    data: { root: given },
    hint: phrase`Use the directory of one project: not the home directory, nothing above it, and it must exist.`,
  });
}

function union(a: Dirty, b: Dirty): Dirty {
  const all = new Map([...a].map(([directory, names]) => [directory, new Map(names)]));
  for (const [directory, names] of b) {
    const known = all.get(directory) ?? new Map<string, boolean>();
    for (const [name, replaced] of names) known.set(name, replaced || (known.get(name) ?? false));
    all.set(directory, known);
  }
  return all;
}
