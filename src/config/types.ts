/** The settings, as code reads them. What each means, its default and its limits are in `schema.ts`. */
export interface Config {
  readonly persistence: PersistenceConfig;
  readonly checkpoints: CheckpointsConfig;
  readonly cleanup: CleanupConfig;
  readonly recovery: RecoveryConfig;
  readonly workspace: WorkspaceConfig;
  readonly conflicts: ConflictsConfig;
  readonly drift: DriftConfig;
  readonly encryption: EncryptionConfig;
}

/** Besides these, the settings of a storage type that the user registered. */
export interface PersistenceConfig {
  readonly storage_type: string;
  readonly base_dir: string | null;
  readonly path: string | null;
  readonly url: string | null;
  readonly schema: string;
  readonly pool_size: number;
  readonly lease_seconds: number;
  readonly reconnect_seconds: number;
  readonly allow_unsafe_server: boolean;
  readonly [other: string]: unknown;
}

export interface CheckpointsConfig {
  readonly triggers: {
    readonly after_step: TriggerPriority;
    readonly after_subagent: TriggerPriority;
    readonly before_shell_command: TriggerPriority;
    readonly before_file_change: TriggerPriority;
    readonly before_external_api: TriggerPriority;
    readonly after_user_input: TriggerPriority;
    readonly after_file_change: TriggerPriority;
    readonly interval_minutes: number | null;
    readonly context_growth_kb: number | null;
  };
  readonly max_size_mb: number;
  readonly compress_over_kb: number;
  readonly compression: 'gzip' | 'zstd' | 'none';
  readonly blob_over_kb: number;
  readonly keep_tool_outputs: number;
  readonly keep_messages: number;
  readonly durability: 'sync' | 'async' | 'exit';
}

export type TriggerPriority = 'off' | 'normal' | 'high' | 'critical';

export interface CleanupConfig {
  readonly completed_days: number;
  readonly failed_days: number;
  readonly max_per_task: number;
  readonly sample_every: number;
  readonly older_than_days: number | null;
  readonly newest_per_execution: number | null;
  readonly remove_completed: boolean;
  readonly quota_mb: number | null;
  readonly on_completion: boolean;
  readonly on_start_if_missed: boolean;
  readonly disk_usage_percent: number | null;
  readonly daily_at: string | null;
  readonly grace_hours: number;
  readonly conflict_copies_days: number;
  readonly max_resolutions: number;
}

export interface RecoveryConfig {
  readonly on_modified: 'ask' | 'use_current' | 'use_checkpoint' | 'merge' | 'abort';
  readonly on_deleted: 'ask' | 'restore' | 'skip' | 'abort';
  readonly on_upstream: 'ask' | 'ignore' | 'rebase' | 'abort';
  readonly on_environment: 'ask' | 'continue' | 'go_back' | 'abort';
  readonly on_definition_change: 'pin' | 'warn' | 'refuse';
  readonly retry: {
    readonly max_attempts: number;
    readonly first_delay_seconds: number;
    readonly factor: number;
    readonly max_delay_seconds: number;
  };
}

export interface WorkspaceConfig {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly max_file_mb: number;
  readonly watch: boolean;
  readonly identity: string | null;
}

export interface ConflictsConfig {
  readonly reservation_minutes: number;
  readonly reuse_resolutions: boolean;
  readonly merge_tool: string | null;
  readonly resolver: string | null;
}

export interface DriftConfig {
  readonly before_resume: boolean;
  readonly before_commit: boolean;
  readonly every_minutes: number | null;
  readonly auto_rebase: boolean;
  readonly upstream: string | null;
  readonly test_command: string | null;
  readonly test_timeout_minutes: number;
  readonly prefer: 'auto' | 'restart' | 'merge_and_continue' | 'continue';
  readonly restart_below_progress: number;
  readonly fetch_timeout_seconds: number;
}

export interface EncryptionConfig {
  readonly enabled: boolean;
  readonly key_from: 'environment' | 'file' | 'passphrase' | 'command';
  readonly key_file: string | null;
  readonly key_command: string | null;
}

/** Any part of the settings, as a file or a caller gives them; what is left out keeps its value from below. */
export type ConfigInput = Omit<Part<Config>, keyof DocumentNames> & DocumentNames;

/** The names of the design documents, beside ours; `aliases.ts` says which stands for which. */
interface DocumentNames {
  readonly checkpoints?: Omit<Part<CheckpointsConfig>, 'compression' | 'triggers'> & {
    readonly triggers?: Part<CheckpointsConfig['triggers']> & {
      readonly [Name in
        | 'after_agent_completion'
        | 'before_bash'
        | 'before_file_modification'
        | 'before_external_api_call'
        | 'after_user_interaction'
        | 'after_file_modification']?: TriggerPriority;
    } & { readonly interval?: string | null; readonly context_delta?: string | null };
    readonly compression?: CheckpointsConfig['compression'] | DocumentedCompression | undefined;
    readonly max_size?: string;
    readonly inline_threshold?: string;
  };
  readonly cleanup?: Part<CleanupConfig> & {
    readonly retention?: DocumentedRetention;
    readonly max_checkpoints_per_task?: number;
    readonly on_task_completion?: boolean;
    readonly disk_usage?: string | null;
  };
  readonly drift?: Part<DriftConfig> & {
    readonly before_task_resume?: boolean;
    readonly interval?: string | null;
  };
  readonly retention?: DocumentedRetention;
  readonly compression?: DocumentedCompression;
  readonly inline_threshold?: string;
}

interface DocumentedCompression {
  readonly enabled?: boolean;
  readonly algorithm?: CheckpointsConfig['compression'];
  readonly threshold?: string;
}

interface DocumentedRetention {
  readonly completed_tasks?: string;
  readonly failed_tasks?: string;
  readonly in_progress_tasks?: 'unlimited';
}

type Part<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> | undefined }
    : T;

/** The environment as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;
