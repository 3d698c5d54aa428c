/** What the verbs that care for a project answer, as far as the page reads it. */

export interface Cleaned {
  readonly done: boolean;
  readonly removed: readonly {
    readonly task: string;
    readonly checkpoint: string;
    readonly policy: string;
    readonly why: string;
    readonly bytes: number;
  }[];
  readonly spared: readonly {
    readonly task: string;
    readonly checkpoint: string;
    readonly because: string;
  }[];
  /** Checkpoints that no list has any more. */
  readonly unlisted: number;
  readonly forgotten: readonly { readonly task: string; readonly at: string }[];
  readonly emptied: readonly string[];
  readonly skipped: readonly { readonly task: string | null; readonly why: string }[];
  readonly freed_bytes: number;
  readonly pending_bytes: number;
}

export interface Examined {
  readonly healthy: boolean;
  readonly checked: Readonly<
    Record<'tasks' | 'entries' | 'checkpoints' | 'blobs' | 'snapshots' | 'files', number>
  >;
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly task: string | null;
    readonly where: string;
    readonly repair: string | null;
  }[];
  readonly without_key: string | null;
}

export interface Locked {
  readonly tasks: readonly {
    readonly task: string;
    readonly name: string;
    readonly client: string | null;
    readonly holder: string;
    readonly since: string;
  }[];
  readonly files: readonly {
    readonly id: string;
    readonly owner: string;
    readonly operation: string;
    readonly paths: readonly string[];
    readonly expires_at: string;
    readonly expired: boolean;
    readonly task_name: string | null;
    readonly client: string | null;
  }[];
}

export interface Drifted {
  readonly task: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly upstream: string | null;
  readonly commits_behind: number;
  readonly level: string | null;
  readonly files: readonly string[];
  readonly unknown: string | null;
  readonly checked_at: string;
  readonly events: readonly {
    readonly detected_at: string;
    readonly type: string;
    readonly resolution: string;
  }[];
}

export interface Rebase {
  readonly done: boolean;
  readonly branch: string;
  readonly onto: string;
  readonly commits_behind: number;
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  readonly files: readonly string[];
  readonly test_command: string | null;
  readonly backup_ref: string | null;
}

export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly waiting: unknown;
  readonly source: string;
  readonly from: string | null;
  readonly default: unknown;
  readonly description: string;
}
