/** What the verbs answer, as far as the page reads it. */
import type { MarkKind } from './marks.ts';

export interface Session {
  readonly project: string;
  readonly language: string;
  readonly read_only: boolean;
  readonly reveal: boolean;
  readonly version: string;
  readonly verbs: readonly string[];
}

export type Status = 'queued' | 'in_progress' | 'paused' | 'waiting' | 'completed' | 'failed' | 'cancelled';

interface OpenWait {
  readonly id: string;
  readonly kind: string;
  readonly prompt: string | null;
  readonly timeout_at: string | null;
}

export interface TaskRow {
  readonly id: string;
  readonly short: string;
  readonly name: string;
  readonly status: Status;
  readonly resumable: boolean;
  readonly expired: boolean;
  readonly timed_out: boolean;
  readonly idle: boolean;
  readonly interrupted?: boolean;
  readonly client: string | null;
  readonly session: string | null;
  readonly holder: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly detail: string | null;
  readonly progress?: number | null;
  readonly step?: string | null;
  readonly position?: number;
  readonly waits?: readonly OpenWait[];
  readonly questions?: number;
}

export interface TaskList {
  readonly tasks: readonly TaskRow[];
  readonly more: boolean;
  readonly unreadable: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
}

export interface Question {
  readonly id: string;
  readonly task: string;
  readonly short: string;
  readonly name: string;
  readonly kind: 'wait' | 'modified' | 'deleted' | 'upstream' | 'conflict' | 'confirm' | 'permission';
  readonly text: string;
  readonly path: string | null;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly recommended: boolean;
  }[];
  readonly asked_at: string;
  readonly timeout_at: string | null;
  readonly by: string | null;
  readonly conflict: boolean;
}

type RowKind =
  | 'step'
  | 'tool'
  | 'shell'
  | 'edit'
  | 'message'
  | 'decision'
  | 'wait'
  | 'answer'
  | 'sleep'
  | 'agent'
  | 'status'
  | 'recovery'
  | 'rollback'
  | 'redo'
  | 'take'
  | 'fork'
  | 'checkpoint';

export type RowStatus = 'success' | 'failed' | 'pending' | 'unknown' | 'skipped' | 'refused';

interface Why {
  readonly kind:
    | 'retry'
    | 'cut_off'
    | 'not_recorded'
    | 'rolled_back'
    | 'asked_again'
    | 'code_changed'
    | 'forked';
  readonly text: string;
  readonly attempt?: number;
  readonly error?: string | null;
}

export interface Step {
  readonly row: number;
  readonly seq: number;
  readonly kind: RowKind;
  readonly id: string;
  readonly name: string;
  readonly agent: string | null;
  readonly at: string;
  readonly ms: number | null;
  readonly attempt: number;
  readonly status: RowStatus;
  readonly why: Why | null;
  readonly files: number | null;
  readonly text: string | null;
  readonly checkpoint: string | null;
  readonly dead: boolean;
  readonly task: string | null;
}

export interface Timeline {
  readonly task: string;
  readonly position: number;
  readonly total: number;
  /** Those that the filters let through. */
  readonly matching: number;
  /** The first row that may still change. */
  readonly open: number | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly last_at: string | null;
  /** Clean-up has removed its rows. */
  readonly emptied: boolean;
  readonly rows: readonly Step[];
  readonly lanes: readonly {
    readonly agent: string | null;
    readonly name: string;
    readonly rows: number;
    readonly from: string;
    readonly to: string;
  }[];
  readonly marks: readonly {
    readonly kind: MarkKind;
    readonly seq: number;
    readonly row: number | null;
    readonly at: string;
    readonly id: string | null;
    readonly text: string | null;
    readonly task: string | null;
  }[];
  readonly gaps: readonly { readonly from: string; readonly to: string; readonly ms: number }[];
  readonly dead: readonly {
    readonly from_row: number;
    readonly to_row: number;
    readonly after_seq: number;
    readonly rollback_seq: number;
    readonly redone: boolean;
  }[];
  readonly bins: readonly {
    readonly from: string;
    readonly to: string;
    readonly row: number | null;
    readonly rows: number;
    readonly failed: number;
    readonly agents: Readonly<Record<string, number>>;
  }[];
}

export interface Action {
  readonly verb: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly allowed: boolean;
  readonly why_not: string | null;
}

export interface Shown {
  readonly task: TaskRow;
  readonly working_dir: string;
  readonly forked_from: string | null;
  readonly input: unknown;
  readonly state: unknown;
  readonly files: {
    readonly known: boolean;
    readonly complete: boolean;
    readonly changed: readonly string[];
  };
  readonly waits: readonly {
    readonly id: string;
    readonly kind: string;
    readonly prompt: string | null;
    readonly answered: boolean;
    readonly timed_out: boolean;
    readonly timeout_at: string | null;
  }[];
  readonly history: {
    readonly versions: {
      readonly branch: string | null;
      readonly current_head: string | null;
      readonly commits_behind: number;
    } | null;
  } | null;
  /** The verb that finishes an interrupted change of its files. */
  readonly unfinished: 'undo' | 'redo' | 'resume' | 'finish' | null;
  readonly problems: readonly string[];
  readonly next: readonly string[];
  readonly position?: number;
  readonly can_redo?: boolean;
  readonly redo?: {
    readonly checkpoint: string;
    readonly steps: number;
    readonly files: number | readonly string[];
  } | null;
  readonly children?: readonly {
    readonly task: string;
    readonly short: string;
    readonly name: string;
    readonly status: Status;
    readonly checkpoint: string | null;
  }[];
  readonly in_progress?: readonly {
    readonly id: string;
    readonly name: string;
    readonly agent: string | null;
    readonly attempt: number;
    readonly started_at: string;
  }[];
  readonly runs?: readonly {
    readonly at: string;
    readonly by: unknown;
    readonly after: string | null;
    readonly ended: string | null;
  }[];
  readonly actions?: readonly Action[];
}

export interface Entry {
  readonly task: string;
  readonly seq: number;
  readonly kind: string;
  readonly at: string | null;
  readonly value: unknown;
  readonly truncated: boolean;
  readonly files: readonly string[] | null;
}

export interface Message {
  readonly index: number;
  readonly seq: number;
  readonly role: string;
  readonly agent: string | null;
  readonly at: string;
  readonly text: string | null;
  readonly content: unknown;
  readonly tool: { readonly name: string; readonly status: string; readonly ms: number | null } | null;
  readonly ref: string | null;
  readonly truncated: boolean;
}

export interface Conversation {
  readonly task: string;
  readonly total: number;
  readonly messages: readonly Message[];
}

/** An operation of the task, and its row. */
export interface MadeBy {
  readonly row: number;
  readonly name: string;
}

export interface Hunk {
  readonly before: { readonly start: number; readonly count: number };
  readonly after: { readonly start: number; readonly count: number };
  readonly by?: string | null;
  readonly steps?: readonly MadeBy[];
  readonly lines: readonly { readonly kind: 'same' | 'add' | 'remove'; readonly text: string }[];
}
