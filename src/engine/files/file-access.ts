/** Writes a file that others may be writing, too: reserved, checked, and merged if they were faster. */
import { relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { oneByOne } from '../../system/in-turn.ts';
import type { FileLocks } from '../../workspace/editing/file-locks.ts';
import { OptimisticLock } from '../../workspace/editing/optimistic-lock.ts';
import type { HeldReservation, Reservations } from '../../workspace/reservations/reservations.ts';
import type { Asking } from '../../workspace/resolve/ask.ts';
import { recordResolutions } from '../../workspace/resolve/recorded.ts';
import type { Resolver } from '../../workspace/resolve/resolver.ts';
import { keepConflict } from '../../workspace/restore/conflict-copies.ts';
import { refuseGuarded, refuseUnkept } from '../../workspace/rules/guarded.ts';
import { entryAt, omittedAbove } from '../../workspace/tree/tree.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Services } from '../api/services.ts';
import { userResolver } from './ask-user.ts';
import { unlessLost } from './lost.ts';
import { alreadyThere, type SettledFile, type Sides, settleSides } from './sides.ts';

export interface FileAccess {
  readonly root: string;
  /** The same for every way to name the file; WORKSPACE_UNSAFE outside the workspace. */
  nameOf(path: string): string;
  /** As the file system spells it. */
  nameInSnapshots(path: string): string;
  /** WORKSPACE_UNSAFE where it belongs to git or to us, or has a name that no snapshot can have. */
  assertChangeable(path: string): void;
  /** From now on snapshots contain the file, even if it is ignored, a secret or too large. */
  keep(path: string): void;
  /** The current content; null if there is no file. FILE_RESERVED while another agent has it reserved for writing. */
  read(request: Pick<FileRequest, 'owner' | 'path' | 'signal'>): Promise<Uint8Array | null>;
  /** The content at a snapshot; undefined if not known. */
  readAt(snapshot: string, path: string): Promise<Uint8Array | null | undefined>;
  write(change: FileRequest): Promise<SettledFile>;
  /** Edits of one file, from reading to writing, one after the other: agents that edit it at the same time do not conflict. */
  inTurn<T>(request: Pick<FileRequest, 'path' | 'signal'>, edit: () => Promise<T>): Promise<T>;
  /** FILE_RESERVED while another agent has all files reserved for writing: a command may change any of them. */
  mayRun(request: Pick<FileRequest, 'owner' | 'signal'>): Promise<void>;
}

export interface FileRequest {
  /** Who writes. */
  readonly owner: string;
  readonly path: string;
  /** What the writer started from; undefined if it never read the file. */
  readonly base: Uint8Array | null | undefined;
  /** Null removes the file. */
  readonly content: Uint8Array | null;
  /** It may have been written before, so that what is there has it, and what others added. */
  readonly may_be_there?: boolean;
  /** The intent of the change, for resolving conflicts. */
  readonly intent: string;
  /** The commit that its task started at; null where there is none. */
  since?(): Promise<string | null>;
  readonly signal: AbortSignal;
  /** Throws if the writer may no longer write; called right before writing. */
  allowed?(): void;
  /** Called when the file is written: what was there, and what is. */
  readonly wrote?: (before: Uint8Array | null, after: Uint8Array | null) => void;
}

/** What is open of a directory that tasks work in. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly reservations: Reservations;
  readonly files: FileLocks;
  /** Asked one after the other where both changed the same lines; then the user, if possible. */
  readonly resolvers: readonly Resolver[];
}

export function createFileAccess(services: Services, open: OpenWorkspace): FileAccess {
  const { workspace, reservations, files } = open;
  const { locate } = files;
  const { root } = workspace;

  const turns = new Map<string, ReturnType<typeof oneByOne>>();

  const nameInSnapshots = (path: string): string => relative(root, locate(path).path).split(sep).join('/');

  /** Repeats until no one else was faster: every round merges the current content. */
  const writeHeld = async (change: FileRequest, held: HeldReservation): Promise<SettledFile> => {
    const { path, signal } = change;
    const allowed = (): void => {
      held.lost.throwIfAborted();
      change.allowed?.();
      reservations.assertNewest(held, path);
    };
    for (;;) {
      signal.throwIfAborted();
      const lock = new OptimisticLock(files);
      const { content: theirs, version } = await lock.read(path);
      const base = change.base === undefined ? theirs : change.base;
      const sides: Sides = { path: version.path, base, ours: change.content, theirs };
      const { file, answered } =
        (change.may_be_there && alreadyThere(sides)) ||
        (await settleSides(askingFor(services, open, change), sides, signal));
      if (file.status === 'conflict')
        throw conflict(version.path, keepConflict(root, version.path, file.content), file);
      if (file.status === 'unchanged' || file.content === theirs) return file;
      await reservations.assertHeld(held); // By the board, which other machines change too.
      const { success } = await lock.checkAndCommit(path, file.content, allowed);
      if (success) change.wrote?.(theirs, file.content);
      if (success && answered) await recordResolutions(services.storage, answered, file.content!);
      if (success) return file;
    }
  };

  return {
    root,
    nameOf: (path) => locate(path).key,
    assertChangeable(path) {
      refuseGuarded(root, path, locate(path).path);
      refuseUnkept(nameInSnapshots(path));
    },
    async read({ owner, path, signal }) {
      const request = { owner, operation: 'read', paths: [path] } as const;
      await patiently(signal, () => reservations.assertFree(request));
      // The rest is immediate, so the reservation need not be held.
      return (await new OptimisticLock(files).read(path)).content;
    },
    inTurn({ path, signal }, edit) {
      const { key } = locate(path);
      const turn = turns.get(key) ?? oneByOne();
      turns.set(key, turn);
      return turn(() => unlessAborted(signal, edit));
    },
    nameInSnapshots,
    keep: (path) => workspace.also(nameInSnapshots(path)),
    readAt: (snapshot, path) =>
      unlessLost(async () => {
        const name = nameInSnapshots(path);
        const tree = await workspace.tree(snapshot);
        const entry = entryAt(tree, name);
        if (entry === null) return omittedAbove(tree, name) ? undefined : null;
        return entry.kind === 'file' ? await workspace.read(snapshot, name) : undefined;
      }, undefined),
    mayRun: ({ owner, signal }) => patiently(signal, () => reservations.assertNotAll(owner)),
    async write(change) {
      const { owner, path, signal } = change;
      const request = { owner, operation: 'write', paths: [path] } as const;
      const held = await patiently(signal, () => reservations.reserve(request));
      try {
        return await writeHeld(change, held);
      } finally {
        await held.release();
      }
    },
  };
}

function askingFor(
  { storage, prompter }: Services,
  { workspace, resolvers }: OpenWorkspace,
  change: FileRequest,
): Asking {
  const [task] = change.owner.split('/') as [string];
  return {
    storage,
    root: workspace.root,
    resolvers: prompter ? [...resolvers, userResolver(prompter, task)] : resolvers,
    intent: change.intent,
    since: change.since ?? (async () => null),
  };
}

const PATIENCE_MS = 1_000;
const LONGEST_PAUSE_MS = 20;

/** Most reservations are for the moment of a write. */
async function patiently<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const isReserved = error instanceof WorkspaceError && error.code === 'FILE_RESERVED';
      if (!isReserved || performance.now() > end) throw error;
    }
    await sleep(Math.random() * LONGEST_PAUSE_MS, undefined, { signal });
  }
}

/** One that was given up writes nothing any more, and is not waited for. */
async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Conflicted = Extract<SettledFile, { status: 'conflict' }>;

function conflict(path: string, copy: string, { why, conflicts, attempts }: Conflicted): WorkspaceError {
  return new WorkspaceError(
    'FILE_CONFLICT',
    phrase`${path} was changed by others at the same time: ${why}.`,
    {
      data: { path, copy, why, conflicts, attempts },
      hint: phrase`The file is as the others left it. Both versions are in ${copy}: resolve the conflict there, read the file, then write it.`,
    },
  );
}
