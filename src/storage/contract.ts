/**
 * The storage contract: what a back end promises, in types only. Helpers are free functions over it.
 *
 * Four ideas:
 * - A *record* is a value at (category, key). Every write gives it a larger revision, also after a delete.
 * - A *journal* is a task's append-only list of entries, numbered from 1, each hash chained to the one before.
 * - A *commit* is atomic and durable: when its promise resolves, all of it survives a crash; when it rejects
 *   with STALE_WRITE, TASK_OWNED or FENCED_OUT, none of it happened. It concerns one task (its journal and the
 *   records `tasks/{task}/…`) or, with `task: null`, any records outside `tasks`.
 * - A *claim* makes one process the only writer of a task, until it releases it or dies.
 *
 * Values are whatever `serialize.ts` can encode; they come back equal.
 */
import type { Done } from '../system/progress.ts';

export interface Storage {
  /** The `storage_type` that names this back end in the config. */
  readonly type: string;
  /** Whether processes on several machines may use the same store. */
  readonly shared: boolean;
  /** Whether everything in it is sealed. */
  readonly encrypted?: boolean;
  /** Where it lies on this machine, if it does: such files are never captured, restored or copied with a project's. */
  readonly files?: readonly StoreFiles[] | undefined;

  /** Commits one record, whatever was there, and says where it went (a path, or the row's unique id). */
  save(category: string, key: string, data: unknown): Promise<string>;
  /** The record's data, or null when there is none. */
  load(category: string, key: string): Promise<unknown>;
  /** Commits the removal of one record; whether it was there. */
  delete(category: string, key: string): Promise<boolean>;
  /** All keys of a category, in the order of their UTF-8 bytes. `page` is the same in parts. */
  list(category: string): Promise<string[]>;
  /** The categories that have a record, but for `tasks`, in order. */
  categories(): Promise<string[]>;

  /** The record with its revision, or null. */
  get(category: string, key: string): Promise<StoredRecord | null>;
  /** Keys of a category, a page at a time. */
  page(category: string, query?: PageQuery): Promise<Page>;
  /** Ids of the tasks that have a journal entry or a record, a page at a time. Ids sort by creation time. */
  tasks(query?: PageQuery): Promise<Page>;

  commit(commit: Commit): Promise<Receipt>;
  /** Where the task's journal ends. */
  position(task: string): Promise<Position>;
  /**
   * Entries in order (or newest first), each verified against the chain before it is yielded. Throws CORRUPT at
   * damage, after yielding what is readable before it in reading order.
   */
  read(task: string, range?: JournalRange): AsyncIterable<JournalEntry>;

  /**
   * Stores blobs durably, each once by content, and answers their ids `{kind}/{sha256}`, in order. One that is there
   * already counts as stored anew. `task: null` is store-wide.
   */
  putBlobs(task: string | null, blobs: readonly NewBlob[]): Promise<string[]>;
  /** The verified bytes, or null when there is no such blob. Throws CORRUPT when they are not what was stored. */
  getBlob(task: string | null, id: string): Promise<Uint8Array | null>;
  listBlobs(task: string | null): AsyncIterable<BlobInfo>;
  /** Counts blobs as stored anew, and answers which of them are there. */
  renewBlobs(task: string | null, ids: readonly string[]): Promise<string[]>;
  /**
   * How many of them went. The caller knows that nothing refers to them any more; with `stored_before`, or that nothing
   * did then: those that somebody stored or renewed since stay.
   */
  deleteBlobs(task: string | null, ids: readonly string[], options?: DeleteBlobs): Promise<number>;

  /** Makes the caller the only writer of the task. TASK_OWNED when a live one exists. Raises the fence. */
  claim(task: string): Promise<Claim>;
  /** Who owns the task now; null when nobody does or its owner is dead. */
  owner(task: string): Promise<Owner | null>;

  /** Removes the task whole: records, journal, blobs. Refused while another owns it. False when there was none. */
  removeTask(task: string, options?: { fence?: number }): Promise<boolean>;
  /**
   * Frees the bytes of cut entries and overwritten records of the task; answers how many. With `task: null`, of all that
   * nothing leads to any more: records outside tasks that were removed or overwritten, tasks that were removed, blobs of
   * a task that has nothing else and no owner, and copies that repairs kept aside.
   */
  compact(task: string | null, options?: { fence?: number }): Promise<number>;
  /**
   * After CORRUPT in a task's journal: keeps a copy of the damaged part aside, then lets the task go on from the last
   * good entry before it; with `task: null` the same for the records outside tasks, where a store keeps them together.
   * Null when nothing was wrong. Never called by the store itself.
   */
  repair(task: string | null, options?: { fence?: number }): Promise<Repair | null>;
  /** How many bytes what is stored takes, about: without room that is kept for later use, such as free pages. */
  size(): Promise<number>;
  /** Brings readable views (JSON's files) up to date now. Nothing to do elsewhere. */
  flush(): Promise<void>;
  /** Reads and checks everything stored; yields what is wrong. Changes nothing. `at` is told how far it is. */
  verify(at?: Done): AsyncIterable<Problem>;
  /** Releases claims, flushes, closes. Every later call rejects with STORE_CLOSED. Safe to call twice. */
  close(): Promise<void>;
}

export interface StoreFiles {
  /** Absolute, with all links followed. */
  readonly path: string;
  /**
   * `directory`: all in it is the store's. `database`: that file and those beside it whose names begin with its own, as
   * `-wal`. `json`: a JSON store in a directory that has other files, too.
   */
  readonly kind: 'directory' | 'database' | 'json';
}

export interface Commit {
  /** The task it concerns; null for records outside `tasks`. */
  readonly task: string | null;
  /** The fence of the caller's claim. Required while the task is claimed, and must be the current one. */
  readonly fence?: number;
  readonly records?: readonly RecordWrite[];
  /** Appends entries after a known position: STALE_WRITE when the journal ends elsewhere. */
  readonly append?: { readonly after: Position; readonly entries: readonly unknown[] };
  /**
   * Removes entries `from` to `to` (inclusive) from reads. Numbers are never used again, the chain across the gap
   * stays verifiable, the bytes go at `compact`.
   */
  readonly cut?: { readonly from: number; readonly to: number };
}

export type RecordWrite =
  | { readonly category: string; readonly key: string; readonly data: unknown; readonly expect?: number }
  | { readonly category: string; readonly key: string; readonly remove: true; readonly expect?: number };
// `expect`: the revision the record must have now, 0 for "must not exist"; left out: whatever is there.

export interface Receipt {
  /** Where the journal ends after this commit; the given position when nothing was appended; null with `task: null`. */
  readonly position: Position | null;
  /** Per record write, in order: its new revision (0 when removed), where it went, whether it was there before. */
  readonly records: readonly {
    readonly revision: number;
    readonly location: string;
    readonly existed: boolean;
  }[];
}

export interface StoredRecord {
  readonly data: unknown;
  readonly revision: number;
  /** ISO 8601. */
  readonly updated_at: string;
}

/** A place in a journal: how many entries were ever appended, and the chain's hash there. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

export interface JournalEntry extends Position {
  readonly data: unknown;
}

export interface JournalRange {
  /** First number, inclusive; 1 unless told. */
  readonly from?: number;
  /** Last number, inclusive; the newest unless told. */
  readonly to?: number;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface PageQuery {
  readonly prefix?: string;
  /** Continue after this key (in the order asked for); take it from `Page.next`. */
  readonly after?: string;
  /** 100 unless told. */
  readonly limit?: number;
  readonly reverse?: boolean;
}

export interface Page {
  readonly keys: readonly string[];
  /** Give it as `after` for the next page; null at the end. */
  readonly next: string | null;
}

export interface NewBlob {
  /** `agent_outputs`, `tool_results`, or any other `[a-z][a-z0-9_]*`. */
  readonly kind: string;
  readonly bytes: Uint8Array;
  /** For bytes that `packSealed` made: stored under this name (64 hexadecimal digits) instead of their hash. */
  readonly name?: string;
}

export interface BlobInfo {
  readonly id: string;
  readonly size: number;
  /** When it was last stored, or up to half an hour before that. */
  readonly created_at: string;
}

export interface DeleteBlobs {
  /** ISO 8601. */
  readonly stored_before?: string;
}

export interface Claim {
  readonly task: string;
  /** Grows with every claim of the task; later writers have the larger one. */
  readonly fence: number;
  /** Aborted when the claim was lost: a lease that ran out, or a later claim that a local one has found on the disk. */
  readonly lost: AbortSignal;
  /**
   * Whether it is still ours, by the clock and not by what a timer has said so far: a process that was stopped reads old
   * answers before its timers fire. To be asked before anything that a commit does not guard. Once false, it stays so.
   */
  live(): boolean;
  release(): Promise<void>;
}

export interface Owner {
  readonly fence: number;
  /** Says who, for people: host, process id. */
  readonly holder: string;
  readonly since: string;
}

export interface Repair {
  /** Where the journal ends now. */
  readonly kept: Position;
  /** Where the copy of what was damaged is: a path, or a table and row range. */
  readonly aside: string;
  /** What was wrong, in a sentence. */
  readonly message: string;
}

export interface Problem {
  readonly code: string;
  /** A sentence. */
  readonly message: string;
  readonly task: string | null;
  /** The file, row or blob. */
  readonly where: string;
}

/** Makes a back end from its settings; what `registerStorage` takes. */
export type StorageFactory = (settings: StorageSettings) => Promise<Storage>;

export interface StorageSettings {
  /** Where the project is; `.vibe-engine/` lies in it. */
  readonly project_dir: string;
  /** The `persistence` part of the config, checked. */
  readonly persistence: Readonly<Record<string, unknown>> & { readonly storage_type: string };
}
