/** The settings as code reads them: the output of `schema.ts`. */
import type { z } from 'zod';
import type { openSchema } from './schema.ts';

export type Config = Whole<z.infer<typeof openSchema>>;
/** Besides ours, the settings of a storage type that the user registered. */
export type PersistenceConfig = Config['persistence'];
export type CheckpointsConfig = Config['checkpoints'];
export type CleanupConfig = Config['cleanup'];
type DriftConfig = Config['drift'];
export type EncryptionConfig = Config['encryption'];
export type TriggerPriority = CheckpointsConfig['triggers']['after_step'];

/** Any part of the settings, as a file or a caller gives them; what is left out keeps its value from the layer below. */
export type ConfigInput = Omit<Part<Config>, keyof DocumentNames> & DocumentNames;

/** The names of the design documents, in addition to ours; `aliases.ts` maps them. */
interface DocumentNames extends DocumentedTriggers {
  readonly checkpoints?: Omit<Part<CheckpointsConfig>, 'compression' | 'triggers'> & {
    readonly triggers?: Part<CheckpointsConfig['triggers']> &
      DocumentedTriggers & { readonly interval?: string | null; readonly context_delta?: string | null };
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

type DocumentedTriggers = {
  readonly [Name in
    | 'after_agent_completion'
    | 'before_bash'
    | 'before_file_modification'
    | 'before_external_api_call'
    | 'after_user_interaction'
    | 'after_file_modification']?: TriggerPriority;
};

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

type Whole<T> = T extends object ? { readonly [K in keyof T]: Whole<T[K]> } : T;

type Part<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> | undefined }
    : T;

/** The environment as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;
