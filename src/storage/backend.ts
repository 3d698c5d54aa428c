/**
 * What a back end has to implement, in types only: texts, bytes and claims. `createStorage` turns it into a `Storage`.
 *
 * A back end only gets valid calls: names, numbers and ranges are checked, values are encoded, journals are chained and
 * blobs are named before it is called, and it is not called after it was closed. It stores texts and bytes and returns them
 * unchanged; if it finds that it cannot, it throws a `CorruptError`.
 */
import type { Done } from '../system/progress.ts';

export interface Backend {
  /** The `storage_type` that names it in the config. */
  readonly type: string;
  /** Whether processes on several machines may use the same store. */
  readonly shared: boolean;
  /** Whether everything in it is encrypted. */
  readonly encrypted?: boolean | undefined;
  /** Whether a commit may bring blobs along. Without it, they are stored before. */
  readonly commits_blobs?: boolean | undefined;
  /** Its files, if it is on this machine. */
  readonly files?: readonly StoreFiles[] | undefined;

  /**
   * All of it, durably, or nothing: TASK_OWNED when another owns the task, FENCED_OUT when the fence is not the current one,
   * STALE_WRITE when the journal ends elsewhere or a record has another revision. `refusalOf` checks for these.
   */
  commit(commit: PreparedCommit): Promise<Receipt>;
  get(category: string, key: string): Promise<StoredText | null>;
  /** Names in the order of their UTF-8 bytes, a page at a time; `pageOf` makes one. */
  page(list: Listing, query: PageQuery): Promise<Page>;
  /** Where the task's journal ends; `START` when it has none. */
  position(task: string): Promise<Position>;
  /** Entries in the order asked for, without those that were cut, in batches. */
  read(task: string, range: JournalRange): AsyncIterable<readonly EntryText[]>;

  /** Durably. An existing one counts as stored now. The caller may change the bytes once this has returned. */
  putBlobs(task: string | null, blobs: readonly NamedBlob[]): Promise<void>;
  getBlob(task: string | null, id: string): Promise<Uint8Array | null>;
  /** In the order of their ids. */
  listBlobs(task: string | null): AsyncIterable<BlobInfo>;
  /** Returns how many were deleted; with `stored_before`, only those not stored again since. */
  deleteBlobs(task: string | null, ids: readonly string[], options: DeleteBlobs): Promise<number>;

  /** Makes the caller the only writer of the task, with a larger fence than any before. TASK_OWNED when there is one. */
  claim(task: string): Promise<Claim>;
  owner(task: string): Promise<Owner | null>;
  /** Records, journal, blobs; later revisions and fences must still be larger. Refused like a commit. */
  removeTask(task: string, fence: number | undefined): Promise<boolean>;
  /** Releases claims. Earlier calls finish; closing twice is fine. */
  close(): Promise<void>;

  /**
   * As in `Storage`, of what other processes change; what this store itself does is told without it. The first is null. A change
   * that was missed is found by a look at everything, every 2 seconds. Without this method, null is told every second.
   */
  changes?(signal: AbortSignal): AsyncIterable<string | null>;
  /** Returns which of them exist; those count as stored now. Without this method, they are read and stored again. */
  renewBlobs?(task: string | null, ids: readonly string[]): Promise<string[]>;
  /**
   * Optional, as in `Storage`. Without them nothing is freed, repaired or flushed; verifying and measuring read everything.
   */
  compact?(task: string | null, fence: number | undefined): Promise<number>;
  repair?(task: string | null, fence: number | undefined): Promise<Repair | null>;
  verify?(at?: Done): AsyncIterable<Problem>;
  size?(): Promise<number>;
  flush?(): Promise<void>;
}

/** The keys of a category; all tasks that have an entry or a record; all categories that have a record, except `tasks`. */
export type Listing = { readonly category: string } | 'tasks' | 'categories';

/** A commit that is checked and encoded: it concerns one task, or records outside tasks. */
export interface PreparedCommit {
  readonly task: string | null;
  readonly fence: number | undefined;
  readonly records: readonly PreparedRecord[];
  readonly append: PreparedAppend | undefined;
  /** Both inclusive; may reach beyond the end of the journal. */
  readonly cut: { readonly from: number; readonly to: number } | undefined;
  /** Store-wide ones, stored like those of `putBlobs`: with the rest or before it. Only with `commits_blobs`. */
  readonly blobs?: readonly NamedBlob[] | undefined;
}

export interface PreparedRecord {
  readonly category: string;
  readonly key: string;
  /** Null removes the record. */
  readonly text: string | null;
  /** The revision it must have now, 0 for none; undefined: any. */
  readonly expect: number | undefined;
}

export interface PreparedAppend {
  /** Where the journal must end now. */
  readonly after: Position;
  /** Where it ends afterwards. */
  readonly end: Position;
  readonly entries: readonly EntryText[];
}

export interface EntryText extends Position {
  readonly text: string;
}

export interface StoredText {
  readonly text: string;
  readonly revision: number;
  /** ISO 8601. */
  readonly updated_at: string;
}

export interface NamedBlob {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface StoreFiles {
  /** Absolute, with all links followed. */
  readonly path: string;
  /**
   * `directory`: everything in it belongs to the store. `database`: that file and those next to it whose names start with
   * its own, such as `-wal`. `json`: a JSON store in a directory that has other files, too.
   */
  readonly kind: 'directory' | 'database' | 'json';
}

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

/** A position in a journal: how many entries were ever appended, and the chain's hash there. */
export interface Position {
  readonly seq: number;
  readonly hash: string;
}

export interface JournalRange {
  /** First number, inclusive; default: 1. */
  readonly from?: number;
  /** Last number, inclusive; default: the newest. */
  readonly to?: number;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface PageQuery {
  readonly prefix?: string;
  /** Continue after this key (in the order asked for); take it from `Page.next`. */
  readonly after?: string;
  /** Default: 100. */
  readonly limit?: number;
  readonly reverse?: boolean;
}

export interface Page {
  readonly keys: readonly string[];
  /** Give it as `after` for the next page; null at the end. */
  readonly next: string | null;
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
   * Whether it is still ours, checked by the clock rather than by a timer: a process that was stopped handles old events
   * before its timers fire. Call it before any effect that no commit guards. Once false, it stays false.
   */
  live(): boolean;
  release(): Promise<void>;
}

export interface Owner {
  readonly fence: number;
  /** A readable name of the owner: host, process id. */
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
