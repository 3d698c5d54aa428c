/** What the verbs that look at files answer, as far as the page reads it. */
import type { Hunk, Status } from './types.ts';

export interface CheckpointRow {
  readonly id: string;
  readonly short: string;
  readonly sequence_number: number;
  /** Its entry in the journal. */
  readonly seq: number;
  readonly created_at: string;
  /** Why, in the language of the page. */
  readonly made: string;
  readonly step_name: string | null;
  readonly prompt: string | null;
  readonly snapshot: string | null;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: 'created' | 'deleted' | 'modified';
  readonly by: readonly string[];
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
  readonly mode: { readonly before: string; readonly after: string } | null;
  readonly too_large: boolean;
  readonly hunks: readonly Hunk[] | null;
}

export interface Diff {
  readonly from: string;
  readonly to: string;
  readonly steps: number;
  readonly messages: number;
  readonly fixed: boolean;
  readonly files_known: boolean;
  readonly files: readonly ChangedFile[];
}

/** What a rollback, an undo, a redo or a take would do to a file. */
export interface PlannedFile {
  readonly path: string;
  readonly action: 'put' | 'remove' | 'keep' | 'ask';
  readonly why: string | null;
  /** Tools execute its content. */
  readonly runs: boolean;
  /** Whether the task changed it, or others, is not known. */
  readonly doubtful: boolean;
  readonly outcome: 'clean' | 'ask' | 'conflict';
  /** Whether both sides merge by themselves. */
  readonly merges?: boolean;
  readonly choices: readonly string[];
  readonly choice: string | null;
  readonly recommended: string | null;
  readonly result: 'put' | 'remove' | 'keep' | null;
  /** SHA-256 of what is there. */
  readonly before_hash: string | null;
  /** How many of its lines change, and how many changes of others stay; null where nobody counted. */
  readonly lines: { readonly added: number; readonly removed: number; readonly stay: number } | null;
  readonly own: readonly Hunk[] | null;
  readonly others: readonly Hunk[] | null;
  readonly binary: boolean;
  readonly too_large: boolean;
  /** Places that the task and others changed; null where it has none, or they are not asked for. */
  readonly conflict: Pick<Conflicted, 'conflicts' | 'unmergeable' | 'cut' | 'hunks'> | null;
}

export interface Preview {
  readonly task: string;
  readonly checkpoint?: string | null;
  readonly done: boolean;
  readonly steps?: readonly { readonly id: string; readonly name: string }[];
  readonly entries?: Readonly<Record<string, number>>;
  readonly checkpoints?: readonly string[];
  readonly plan: readonly PlannedFile[] | null;
  readonly expect?: number;
  /** Only of a take: where the journal of the other task ends, and files that are not taken. */
  readonly expect_from?: number;
  readonly in_doubt?: readonly string[];
  readonly lost?: readonly string[];
  readonly conversation?: {
    readonly client: string;
    readonly session: string;
    /** What will become of it, in a sentence. */
    readonly text?: string;
    readonly problem?: { readonly message: string; readonly hint: string };
  } | null;
}

export interface Side {
  readonly task: string;
  readonly short: string;
  readonly name: string;
  readonly status: Status;
  readonly interrupted: boolean;
  readonly steps: number;
  readonly ms: number;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** As the task recorded it. */
  readonly verified: unknown;
  /** Whether it changed them, or others, is not known. */
  readonly in_doubt: readonly string[];
}

export interface Comparison {
  readonly ancestor: { readonly task: string; readonly checkpoint: string | null } | null;
  readonly a: Side;
  readonly b: Side;
  readonly same: readonly string[];
  readonly only_a: readonly string[];
  readonly only_b: readonly string[];
  readonly differ: readonly {
    readonly path: string;
    readonly merge: 'clean' | 'conflict' | 'binary';
    readonly hunks_a: readonly Hunk[] | null;
    readonly hunks_b: readonly Hunk[] | null;
  }[];
}

export interface ConflictHunk {
  /** Null for what is the same on both sides. */
  readonly index: number | null;
  readonly text: string | null;
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly suggestions: readonly { readonly by: string; readonly text: string }[];
}

export interface Conflicted {
  readonly task: string;
  readonly question: string;
  readonly path: string;
  readonly labels: { readonly ours: string; readonly base: string; readonly theirs: string };
  readonly conflicts: number;
  /** Why it is decided about as a whole only. */
  readonly unmergeable: string | null;
  readonly cut: boolean;
  readonly hunks: readonly ConflictHunk[];
}
