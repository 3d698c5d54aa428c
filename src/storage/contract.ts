/**
 * The storage contract: what a store promises, in types only. `createStorage` makes one of a back end (backend.ts). Helpers
 * are free functions over it.
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
import type {
  Backend,
  BlobInfo,
  Claim,
  DeleteBlobs,
  JournalRange,
  Owner,
  Page,
  PageQuery,
  Position,
  Problem,
  Receipt,
  Repair,
  StoreFiles,
} from './backend.ts';

export type * from './backend.ts';

export interface Storage {
  /** The back end it was created from, for wrappers around a store. */
  readonly backend: Backend;
  /** The `storage_type` that names this back end in the config. */
  readonly type: string;
  /** Whether processes on several machines may use the same store. */
  readonly shared: boolean;
  /** Whether everything in it is encrypted. */
  readonly encrypted?: boolean;
  /** Its files, if it is on this machine: they are never captured, restored or copied with a project's. */
  readonly files?: readonly StoreFiles[] | undefined;

  /** Commits one record, replacing any earlier one, and returns its location (a path, or the row's unique id). */
  save(category: string, key: string, data: unknown): Promise<string>;
  /** The record's data, or null when there is none. */
  load(category: string, key: string): Promise<unknown>;
  /** Commits the removal of one record; returns whether it existed. */
  delete(category: string, key: string): Promise<boolean>;
  /** All keys of a category, in the order of their UTF-8 bytes. `page` is the same in parts. */
  list(category: string): Promise<string[]>;
  /** The categories that have a record, except `tasks`, in order. */
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
  /** The same in parts, as they come from the back end: quicker where all of a long journal is read. */
  readParts(task: string, range?: JournalRange): AsyncIterable<readonly JournalEntry[]>;

  /**
   * Stores blobs durably, each once by content, and returns their ids `{kind}/{sha256}`, in order. An existing one counts as
   * stored now. `task: null` is store-wide.
   */
  putBlobs(task: string | null, blobs: readonly NewBlob[]): Promise<string[]>;
  /**
   * The same, store-wide, for what only later commits to this store name: stored with the next of them, where the back end
   * can do that, or with `flush` and `close`. Until then they can be read from this store alone.
   */
  promiseBlobs(blobs: readonly NewBlob[]): Promise<string[]>;
  /** The verified bytes, or null when there is no such blob. Throws CORRUPT when they are not what was stored. */
  getBlob(task: string | null, id: string): Promise<Uint8Array | null>;
  listBlobs(task: string | null): AsyncIterable<BlobInfo>;
  /** Counts existing blobs as stored now, and returns which of them exist. */
  renewBlobs(task: string | null, ids: readonly string[]): Promise<string[]>;
  /**
   * Returns how many were deleted. The caller knows that nothing refers to them; with `stored_before`, that nothing did at
   * that time: blobs stored or renewed since then stay.
   */
  deleteBlobs(task: string | null, ids: readonly string[], options?: DeleteBlobs): Promise<number>;

  /** Makes the caller the only writer of the task. TASK_OWNED when a live one exists. Raises the fence. */
  claim(task: string): Promise<Claim>;
  /** Who owns the task now; null when nobody does or its owner is dead. */
  owner(task: string): Promise<Owner | null>;

  /**
   * Hints of what changed, here or in another process: a task whose journal, records or owner may have, or null if anything may
   * have. The first is null, as soon as changes are noticed: look then. Hints may come twice or for nothing, and late by a few
   * seconds if the system did not tell; that a process died is no change. Ends with the signal and when the store is closed.
   */
  changes(signal?: AbortSignal): AsyncIterable<string | null>;

  /** Removes the whole task: records, journal, blobs. Refused while another owns it. False when there was none. */
  removeTask(task: string, options?: Fenced): Promise<boolean>;
  /**
   * Frees the bytes of cut entries and overwritten records of the task; returns how many. With `task: null`, of everything
   * that is no longer reachable: records outside tasks that were removed or overwritten, tasks that were removed, blobs of a
   * task that has nothing else and no owner, and copies that repairs kept aside.
   */
  compact(task: string | null, options?: Fenced): Promise<number>;
  /**
   * After CORRUPT in a task's journal: keeps a copy of the damaged part aside, then lets the task continue from the last
   * good entry before it; with `task: null` the same for the records outside tasks, where a store keeps them together. Null
   * when nothing was wrong. Never called by the store itself.
   */
  repair(task: string | null, options?: Fenced): Promise<Repair | null>;
  /** The approximate size of the store in bytes, without reserved space such as free pages. */
  size(): Promise<number>;
  /** Brings readable views (JSON's files) up to date now. Does nothing in other stores. */
  flush(): Promise<void>;
  /** Reads and checks everything stored; yields what is wrong. Changes nothing. `at` is called with its progress. */
  verify(at?: Done): AsyncIterable<Problem>;
  /** Releases claims, flushes, closes. Every later call rejects with STORE_CLOSED. Safe to call twice. */
  close(): Promise<void>;
}

interface Fenced {
  /** The fence of the caller's claim, where it has one. */
  readonly fence?: number | undefined;
}

export interface Commit {
  /** The task it concerns; null for records outside `tasks`. */
  readonly task: string | null;
  /** The fence of the caller's claim. Required while the task is claimed, and must be the current one. */
  readonly fence?: number;
  readonly records?: readonly RecordWrite[];
  /** Appends entries after a known position: STALE_WRITE when the journal ends elsewhere. */
  readonly append?: Append;
  /**
   * Removes entries `from` to `to` (inclusive) from reads. Numbers are never used again, the chain across the gap
   * stays verifiable, the bytes go at `compact`.
   */
  readonly cut?: { readonly from: number; readonly to: number };
}

/** Entries as values, or already encoded by `encode`, where the texts are needed elsewhere, too. */
type Append =
  | { readonly after: Position; readonly entries: readonly unknown[]; readonly texts?: undefined }
  | { readonly after: Position; readonly texts: readonly string[]; readonly entries?: undefined };

export type RecordWrite =
  | { readonly category: string; readonly key: string; readonly data: unknown; readonly expect?: number }
  | { readonly category: string; readonly key: string; readonly remove: true; readonly expect?: number };
// `expect`: the revision the record must have now, 0 for "must not exist"; left out: any.

export interface StoredRecord {
  readonly data: unknown;
  readonly revision: number;
  /** ISO 8601. */
  readonly updated_at: string;
}

export interface JournalEntry extends Position {
  readonly data: unknown;
}

export interface NewBlob {
  /** `agent_outputs`, `tool_results`, or any other `[a-z][a-z0-9_]*`. */
  readonly kind: string;
  readonly bytes: Uint8Array;
}

/** Makes a back end from its settings; what `registerStorage` takes. */
export type BackendFactory = (settings: StorageSettings) => Backend | Promise<Backend>;

export interface StorageSettings {
  /** The project directory, which contains `.vibe-engine/`. */
  readonly project_dir: string;
  /** The `persistence` part of the config, checked. */
  readonly persistence: Readonly<Record<string, unknown>> & { readonly storage_type: string };
}
