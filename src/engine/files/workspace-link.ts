/** What the engine needs from a task's files. Implemented by the workspace; without one, nothing is known of files. */

import type { CheckpointRecord } from '../../checkpoint/record/record.ts';
import type { Resolver } from '../../workspace/resolve/resolver.ts';
import type { Undo } from '../../workspace/restore/apply.ts';
import type { RestoreChoices } from '../../workspace/restore/decide.ts';
import type { PreviewItem, PreviewOptions } from '../../workspace/restore/preview.ts';
import type { RestoreOptions, Steps } from '../../workspace/restore/restore.ts';
import type { TreeChange } from '../../workspace/tree/diff.ts';
import type { AgentOptions, UnknownOutcome } from '../api/context.ts';
import type { Point } from '../task/cut.ts';
import type { FileChoices } from './choices.ts';
import type { FileAccess } from './file-access.ts';
import type { FileEntries } from './own-changes.ts';

export interface WorkspaceLink {
  /** The directory. */
  readonly root: string;
  /** Which directory of which machine it is. */
  readonly place: string;
  /** Reserves files for an agent before it starts; returns a function that releases them. */
  reserve(task: string, agent: string, files: AgentOptions): Promise<() => Promise<void>>;
  /** Releases what a dead process, or one that lost the task, still has reserved for it. */
  takeBackReserved(task: string): Promise<void>;
  /** The files as they are now. `full`: past the watch, which misses memory maps. */
  snapshot(options?: { readonly full?: boolean }): Promise<string>;
  /** A task ended or stopped: what snapshots left for later is done. */
  flush(): Promise<void>;
  /** What differs between two snapshots. */
  diff(from: string, to: string): Promise<readonly TreeChange[]>;
  /**
   * Which files an interrupted operation changed, of `paths` where it can have changed no others; and which of the task's it
   * did not.
   */
  settle(
    task: string,
    from: string,
    now: string,
    paths?: readonly string[],
  ): Promise<UnknownOutcome['files']>;
  /** Two snapshots that differ by what was written and nothing else; null when the given ones do. */
  ownPart(
    from: string,
    to: string,
    wrote: OwnWrite,
  ): Promise<{ readonly from: string; readonly to: string } | null>;
  /**
   * The task's files that are no longer as it left them; and of those it only `reads`, the same, marked. `known`, here and
   * below: the file entries of the journal, if already read.
   */
  changedSince(
    checkpoint: CheckpointRecord,
    reads?: ReadonlySet<string>,
    known?: FileEntries,
  ): Promise<readonly (TreeChange & { readonly only_read?: boolean })[]>;
  /**
   * One of them, merged against the version before the task's change; null if it should be removed, undefined if it is right
   * as it is. FILE_CONFLICT if neither resolvers nor the user can resolve it.
   */
  merged(
    checkpoint: CheckpointRecord,
    change: TreeChange,
    user: Resolver | null,
  ): Promise<Uint8Array | null | undefined>;
  /**
   * Restores some of them as the task left them, or as `merged` says, unless they changed again; returns what would undo it.
   */
  putBack(
    checkpoint: CheckpointRecord,
    changes: readonly TreeChange[],
    merged: ReadonlyMap<string, Uint8Array | null>,
  ): Promise<Undo | undefined>;
  /**
   * A file as the task's own operations left it, or else as it was when the task started; undefined where that is not known,
   * or the file is so `now`.
   */
  lastLeft(task: string, path: string, now: Uint8Array): Promise<Uint8Array | null | undefined>;
  /** The files the task has changed. */
  filesModified(task: string, known?: FileEntries): Promise<readonly string[]>;
  /**
   * Every file that `rollback` would look at, and what would become of it. `whole`: refused if that is not known for all.
   */
  previewRollback(
    task: string,
    point: Point,
    how?: Previewing & { readonly known?: FileEntries; readonly whole?: boolean },
  ): Promise<readonly PlannedFile[]>;
  /** Undoes the task's own changes since a point of its journal; changes of others stay. */
  rollback(task: string, point: Point, how: PutBack, known?: FileEntries): Promise<FilesRolledBack>;
  /** Every file that `redo` would look at. */
  previewRedo(task: string, steps: Steps, how?: Previewing): Promise<readonly PlannedFile[]>;
  /** Does once more what such a rollback has undone, or another task has done. */
  redo(task: string, steps: Steps, how: PutBack): Promise<FilesBroughtForward>;
  /** Reads and writes single files for `task.files`. */
  readonly access: FileAccess;
}

/** What was in a file when it was written, and what is in it now. */
export interface FileWrite {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** A write, none, or the files that were written, whatever is in them. */
export type OwnWrite = FileWrite | readonly string[] | null;

export interface PutBack extends RestoreChoices, Pick<RestoreOptions, 'begin'> {
  /** The files before its first start, if it was interrupted. */
  readonly since?: string;
  /** Throws where the content of a file is lost, and changes nothing; default: that file stays as it is, and is named. */
  readonly whole?: boolean;
}

/** What is chosen in advance, and whether contents are shown. */
export type Previewing = FileChoices & Pick<PreviewOptions, 'details' | 'context'>;

/** What would happen to a file; `ask`: the caller of the rollback decides. */
export interface PlannedFile extends Omit<PreviewItem, 'steps' | 'target' | 'current' | 'wanted'> {
  /** SHA-256 of its bytes as they are, and as they would be; null where it is no file. */
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  /** If its mode changes, too. */
  readonly mode: { readonly before: string; readonly after: string } | null;
}

/** Notes about single files after a restore. */
export interface FileNotes {
  /** Not restored: kept by choice, not captured, changed at the last moment, or with something in its way. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** What someone wrote while the file was swapped: kept as this blob. */
  readonly displaced: readonly { readonly path: string; readonly blob: string }[];
  /** A resolver merged lines that others had changed, too: worth a review. */
  readonly review: readonly string[];
}

export interface FilesRolledBack {
  readonly files: readonly string[];
  /** What `redo` needs to undo it. */
  readonly undo: Undo;
  /** The directory they are in. */
  readonly place?: string;
  readonly notes?: FileNotes;
}

export interface FilesBroughtForward extends FileNotes {
  /** The files that it changed. */
  readonly files: readonly string[];
  /** Two snapshots that differ by what it changed, and the directory. */
  readonly changed?: { readonly from: string; readonly to: string; readonly place?: string | undefined };
}
