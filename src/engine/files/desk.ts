/** Writing a file that others may be writing too: reserved, checked, merged where they were quicker. */
import { join } from 'node:path';
import { WorkspaceError } from '../../errors.ts';
import { ensureDir, replaceFile } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import type { FileLocks } from '../../workspace/file-locks.ts';
import { OptimisticLock } from '../../workspace/optimistic-lock.ts';
import type { Reservations } from '../../workspace/reservations/reservations.ts';
import { entryAt } from '../../workspace/tree.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type SettledFile, type Settling, type Sides, settleSides } from './sides.ts';

export interface FileDesk {
  readonly root: string;
  /** The same for every way to name the file; WORKSPACE_UNSAFE outside the workspace. */
  nameOf(path: string): string;
  /** What is there; null when nothing is. */
  read(path: string): Uint8Array | null;
  /** What was there, as far as it was captured; undefined when that is not known. */
  readAt(snapshot: string, path: string): Promise<Uint8Array | null | undefined>;
  write(change: FileRequest): Promise<SettledFile>;
}

export interface FileRequest {
  /** Who writes. */
  readonly owner: string;
  readonly path: string;
  /** What the writer started from; undefined when it never looked. */
  readonly base: Uint8Array | null | undefined;
  /** Null removes the file. */
  readonly content: Uint8Array | null;
  /** What the writer wants with it, for whoever resolves a conflict. */
  readonly intent: string;
  readonly signal: AbortSignal;
}

export interface DeskHost extends Settling {
  readonly workspace: Workspace;
  readonly reservations: Reservations;
  readonly files: FileLocks;
}

export function createDesk(host: DeskHost): FileDesk {
  const { workspace, reservations, files } = host;
  const { locate } = files;
  const { root } = workspace;
  const read = (path: string) => new OptimisticLock(files).read(path).content;

  /** Until nobody was quicker: every round takes in what is there. */
  const writeHeld = async (change: FileRequest, allowed: () => void): Promise<SettledFile> => {
    const { path, signal } = change;
    for (;;) {
      signal.throwIfAborted();
      const lock = new OptimisticLock(files);
      const { content: theirs, version } = lock.read(path);
      const base = change.base === undefined ? theirs : change.base;
      const sides: Sides = { path: version.path, base, ours: change.content, theirs };
      const settled = await settleSides(host, sides, change.intent, signal);
      if (settled.status === 'conflict')
        throw conflict(version.path, keepCopy(root, version.path, settled), settled);
      if (settled.status === 'unchanged') return settled;
      if ((await lock.checkAndCommit(path, settled.content, allowed)).success) return settled;
    }
  };

  return {
    root,
    nameOf: (path) => locate(path).key,
    read,
    async readAt(snapshot, path) {
      const { key } = locate(path);
      const entry = entryAt(await workspace.tree(snapshot), key);
      if (entry === null) return null;
      return entry.kind === 'file' ? workspace.read(snapshot, key) : undefined;
    },
    async write(change) {
      const { owner, path } = change;
      const held = await reservations.reserve({ owner, operation: 'write', paths: [path] });
      try {
        return await writeHeld(change, () => {
          held.lost.throwIfAborted();
          reservations.assertNewest(held, path);
        });
      } finally {
        await held.release();
      }
    },
  };
}

type Conflicted = Extract<SettledFile, { status: 'conflict' }>;

/** Beside the workspace's own files: nobody's file gets markers. */
function keepCopy(root: string, path: string, { content }: Conflicted): string {
  const copy = join(root, '.vibe-engine', 'conflicts', newId('c'), ...path.split('/'));
  ensureDir(join(copy, '..'));
  replaceFile(copy, content);
  return copy;
}

function conflict(path: string, copy: string, { why, conflicts, attempts }: Conflicted): WorkspaceError {
  return new WorkspaceError('FILE_CONFLICT', `${path} was changed by others at the same time: ${why}.`, {
    data: { path, copy, why, conflicts, attempts },
    hint: `The file is as the others left it. What both want is in ${copy}: settle it there, read the file, then write it.`,
  });
}
