/** Every setting: its type, default and meaning. `docs/reference/settings.md` and the names of the variables are derived from here. */
import { z } from 'zod';
import { phrase } from '../phrase.ts';
import {
  above,
  atLeast,
  between,
  flag,
  meta,
  patterns,
  personal,
  priority,
  schemaName,
  secret,
  text,
  timeOfDay,
  whole,
} from './leaves.ts';

/** The storage types that come with the package; any other is one the user registered. */
/** What can be done about a file that others modified, or deleted. */
export const FILE_CHOICES = {
  modified: ['use_current', 'use_checkpoint', 'merge', 'abort'],
  deleted: ['restore', 'skip', 'abort'],
} as const;

export const BUILT_IN_STORAGE = ['json', 'sqlite', 'postgres'] as const;

const persistence = {
  storage_type: text()
    .default('json')
    .describe('The back end: `json`, `sqlite`, `postgres`, or a registered one.'),
  base_dir: text()
    .nullable()
    .default(null)
    .describe(
      'Keep the store at `{base_dir}/{project}/` instead of in the project; `~` is the home directory.',
    ),
  path: text()
    .nullable()
    .default(null)
    .describe(
      'The store itself: the directory (`json`) or the database file (`sqlite`). Takes precedence over `base_dir`.',
    ),
  url: secret(text().nullable())
    .default(null)
    .describe('The PostgreSQL server; null: the variable `DATABASE_URL`.'),
  schema: schemaName().default('vibe_engine').describe('The PostgreSQL schema that holds the tables.'),
  pool_size: whole(1, 1000).default(10).describe('The maximum number of connections to PostgreSQL.'),
  lease_seconds: above(0)
    .default(30)
    .describe('How long a task stays claimed on a shared server after its owner was last heard of.'),
  reconnect_seconds: atLeast(0)
    .default(30)
    .describe('How long a call waits for a PostgreSQL server that went away.'),
  allow_unsafe_server: flag(false).describe(
    'Use a PostgreSQL server even if its settings can lose acknowledged writes.',
  ),
};

const checkpoints = z.strictObject({
  triggers: z
    .strictObject({
      after_step: priority('normal').describe('After each step of a task.'),
      after_subagent: priority('high').describe('After a sub-agent completes.'),
      before_shell_command: priority('critical').describe('Before a shell command runs.'),
      before_file_change: priority('critical').describe('Before a file is changed.'),
      before_external_api: priority('critical').describe('Before an external API is called.'),
      after_user_input: priority('high').describe("After a person's input."),
      after_file_change: priority('normal').describe('After a file was changed.'),
      interval_minutes: above(0)
        .nullable()
        .default(5)
        .describe('This often, if the state changed since the last checkpoint; null: never by time.'),
      context_growth_kb: above(0)
        .nullable()
        .default(10)
        .describe('When the context grew by more than this since the last checkpoint; null: never by size.'),
    })
    .prefault({}),
  max_size_mb: above(0).default(5).describe('A larger record moves more of itself into blobs.'),
  compress_over_kb: atLeast(0).default(100).describe('Larger data is compressed.'),
  compression: z.enum(['gzip', 'zstd', 'none']).default('gzip').describe('The compression.'),
  blob_over_kb: above(0).default(10).describe('Larger values leave the record and become blobs.'),
  keep_tool_outputs: whole(0)
    .default(5)
    .describe('Tool outputs a resumed agent gets in full; older ones are summarised.'),
  keep_messages: whole(0)
    .default(50)
    .describe('Messages a resumed agent gets in full; older ones are summarised.'),
  durability: z
    .enum(['sync', 'async', 'exit'])
    .default('sync')
    .describe('`sync` waits for the disk, `async` does not, `exit` saves at pauses and the end.'),
});

const cleanup = z.strictObject({
  completed_days: atLeast(0).default(7).describe('How long checkpoints of completed tasks are kept.'),
  failed_days: atLeast(0).default(30).describe('How long checkpoints of failed tasks are kept.'),
  idle_days: atLeast(0).nullable().default(30).describe("When an agent's idle session is cancelled."),
  max_per_task: whole(2)
    .default(20)
    .describe('The most checkpoints per task; the first and the last are always kept.'),
  sample_every: whole(1).default(5).describe('Of the others, every n-th is kept.'),
  older_than_days: atLeast(0).nullable().default(null).describe('Remove all checkpoints older than this.'),
  newest_per_execution: whole(1)
    .nullable()
    .default(null)
    .describe('Keep only this many of an execution, the newest.'),
  remove_completed: flag(false).describe('Remove all checkpoints of an execution once it has completed.'),
  quota_mb: above(0).nullable().default(null).describe('Clean up when the store is larger than this.'),
  on_completion: flag(true).describe('Clean up when a task completes.'),
  on_start_if_missed: flag(true).describe('Clean up at start-up if an earlier trigger was missed.'),
  disk_usage_percent: between(1, 100)
    .nullable()
    .default(80)
    .describe('Clean up when the disk is fuller than this.'),
  daily_at: timeOfDay().nullable().default('03:00').describe('Clean up every day at this local time.'),
  grace_hours: atLeast(0)
    .default(24)
    .describe('How long what was removed can be brought back; then its bytes are freed.'),
  conflict_copies_days: atLeast(0)
    .default(30)
    .describe('How long copies of conflicts are kept in `.vibe-engine/conflicts`.'),
  max_resolutions: whole(0)
    .default(1000)
    .describe('The most resolutions of conflicts that are remembered; the newest are kept.'),
});

const recovery = z.strictObject({
  on_modified: z
    .enum(['ask', ...FILE_CHOICES.modified])
    .default('ask')
    .describe('When others changed a file.'),
  on_deleted: z
    .enum(['ask', ...FILE_CHOICES.deleted])
    .default('ask')
    .describe('When others deleted a file.'),
  on_upstream: z
    .enum(['ask', 'ignore', 'rebase', 'abort'])
    .default('ask')
    .describe('When there are new commits upstream.'),
  on_environment: z
    .enum(['ask', 'continue', 'go_back', 'abort'])
    .default('ask')
    .describe(
      'When a tool, variable or directory is missing; `go_back`: use an older checkpoint that does not need it.',
    ),
  on_definition_change: z
    .enum(['pin', 'warn', 'refuse'])
    .default('warn')
    .describe("When the task's code has changed since it started."),
  retry: z
    .strictObject({
      max_attempts: whole(1).default(3).describe('Attempts of `retryFromStep`, and workers a task may end.'),
      first_delay_seconds: atLeast(0).default(1).describe('The delay before the second attempt.'),
      factor: atLeast(1).default(2).describe('Each further delay is the one before times this.'),
      max_delay_seconds: atLeast(0).default(60).describe('The longest delay.'),
    })
    .prefault({}),
});

/** Default: larger files are not captured. */
export const MAX_FILE_MB = 64;

const workspace = z.strictObject({
  include: patterns().describe('Capture these even if git ignores them or they may hold secrets.'),
  exclude: patterns().describe('Never capture these.'),
  max_file_mb: above(0).default(MAX_FILE_MB).describe('Larger files are not captured.'),
  watch: flag(true).describe('Watch the files while tasks run, so that a snapshot costs only what changed.'),
  identity: text()
    .nullable()
    .default(null)
    .describe(
      'Workspaces with the same identity share file reservations; null: clones of one repository on a shared store, otherwise the directory.',
    ),
});

const conflicts = z.strictObject({
  reservation_minutes: above(0)
    .default(5)
    .describe('How long a file reservation lasts without being renewed.'),
  reuse_resolutions: flag(false).describe(
    'Resolve a conflict as before if the same three versions of the lines meet again.',
  ),
  merge_tool: text()
    .nullable()
    .default(null)
    .describe(
      'A merge tool for conflicts, run by the shell; `{base}`, `{ours}`, `{theirs}` and `{merged}` stand for files.',
    ),
  resolver: text()
    .nullable()
    .default(null)
    .describe(
      'A program that resolves conflicts, run by the shell: it reads the question and writes the merged file.',
    ),
});

const drift = z.strictObject({
  before_resume: flag(true).describe('Look for drift before a task resumes.'),
  before_commit: flag(true).describe('Look for drift before a commit.'),
  every_minutes: above(0)
    .nullable()
    .default(10)
    .describe('Look for drift this often in long tasks; null: never by time.'),
  auto_rebase: flag(false).describe('Rebase without asking if nothing conflicts and the tests pass.'),
  upstream: text()
    .nullable()
    .default(null)
    .describe("What to compare with, such as `origin/develop`; null: the branch's own upstream."),
  test_command: text()
    .nullable()
    .default(null)
    .describe(
      'Run by the shell on a rebased commit; it must succeed. Without it nothing is rebased automatically.',
    ),
  test_timeout_minutes: above(0).default(30).describe('How long the tests may take.'),
  prefer: z
    .enum(['auto', 'restart', 'merge_and_continue', 'continue'])
    .default('auto')
    .describe('What to recommend after drift; `auto`: by severity and progress.'),
  restart_below_progress: between(0, 100)
    .default(20)
    .describe('Below this progress (in percent), high severity recommends a restart.'),
  fetch_timeout_seconds: above(0)
    .default(30)
    .describe('How long `git fetch` may take; after it, drift is unknown.'),
});

const agents = z.strictObject({
  approve: meta(z.array(z.string().min(1)), phrase`a list of tools such as "Bash(git push *)"`)
    .default([])
    .describe(
      'Calls of agents that a person has to approve first: tools, with what they are called with in parentheses; `*` stands for any text. Claude Code waits for it (`questions`); other clients have them refused.',
    ),
});

const encryption = z.strictObject({
  enabled: flag(false).describe('Encrypt what is stored, and refuse what is not encrypted.'),
  key_from: z
    .enum(['environment', 'file', 'passphrase', 'command'])
    .default('environment')
    .describe(
      'Where the key comes from: the variable `VIBE_ENGINE_KEY`, `key_file`, the variable `VIBE_ENGINE_PASSPHRASE`, or `key_command`.',
    ),
  key_file: text()
    .nullable()
    .default(null)
    .describe('The file with the key; nobody but its owner may be able to read it.'),
  key_command: personal(text().nullable())
    .default(null)
    .describe('A command that writes the key, run by the shell: for a key service or a keychain.'),
});

function sections<P extends z.ZodType>(persistenceSchema: P) {
  return z.strictObject({
    persistence: persistenceSchema,
    checkpoints: checkpoints.prefault({}),
    cleanup: cleanup.prefault({}),
    recovery: recovery.prefault({}),
    workspace: workspace.prefault({}),
    conflicts: conflicts.prefault({}),
    drift: drift.prefault({}),
    agents: agents.prefault({}),
    encryption: encryption.prefault({}),
  });
}

/** Refuses keys it does not know. */
export const strictSchema = sections(z.strictObject(persistence).prefault({}));
/** The same, but `persistence` may also hold the settings of a storage type that is not built in. */
export const openSchema = sections(z.looseObject(persistence).prefault({}));
