/** The public names, one by one. PostgreSQL is at `vibe-engine/postgres`, or by `storage_type`. */

export { type Summariser, summarise } from './checkpoint/context/summary.ts';
export { validateLoaded as validateCheckpoint } from './checkpoint/loaded.ts';
export type { CheckpointManagerOptions } from './checkpoint/manager.ts';
export type { NewCheckpoint } from './checkpoint/record/new-checkpoint.ts';
export type { Checkpoint, CheckpointContext, Message } from './checkpoint/record/record.ts';
export type { CheckpointEnvironment, CheckpointValidation } from './checkpoint/validation/validate.ts';
export { type LoadConfigOptions, type LoadedConfig, loadConfig } from './config/load.ts';
export type { Config, ConfigInput } from './config/types.ts';
export type { RebasePreview } from './drift/rebase/preview.ts';
export { type Recommendation, restartOrContinue } from './drift/restart.ts';
export type { Severity } from './drift/severity.ts';
export type { DriftEvent, VersionTracker } from './drift/tracker.ts';
export type {
  Agent,
  AgentEvent,
  AgentStart,
  RecordedEvent,
  UnfinishedCall,
} from './engine/api/agent-events.ts';
export type { Attached, AttachOptions, FoundByAgent } from './engine/api/attaching.ts';
export type {
  AgentOptions,
  FileWritten,
  RetryOptions,
  ShellOptions,
  ShellResult,
  StepContext,
  StepOptions,
  TaskContext,
  TaskFiles,
  WaitOptions,
} from './engine/api/context.ts';
export {
  type DefinitionOptions,
  defineTask,
  type PipelineStep,
  pipeline,
  type TaskDefinition,
  type TaskFunction,
} from './engine/api/definition.ts';
export { CHANNEL_PREFIX, type EngineEvent } from './engine/api/events.ts';
export type { Hooks } from './engine/api/hooks.ts';
export type { Prompter, Question } from './engine/api/prompter.ts';
export type { Redact } from './engine/api/redact.ts';
export type { CleanOptions, CleanupReport } from './engine/cleanup/clean.ts';
export { type CommandOptions, commandTask } from './engine/command/command-task.ts';
export type { CommandInput } from './engine/command/next-command.ts';
export { examineStore, mendStore, type Patient, type StoreFinding } from './engine/doctor/doctor.ts';
export { type Engine, type EngineOptions, openEngine } from './engine/engine.ts';
export type { FilesOptions } from './engine/files/open.ts';
export type { Drifted } from './engine/git/looking.ts';
export type { RebasedTask, RebaseOptions } from './engine/git/rebasing.ts';
export type { TaskHistory } from './engine/history/history.ts';
export type { StepRecord } from './engine/history/history-steps.ts';
export { initEncryption } from './engine/keys/init.ts';
export type { KeyProject } from './engine/keys/project.ts';
export { rotateKey } from './engine/keys/rotate.ts';
export { type KeyStatus, keyStatus } from './engine/keys/status.ts';
export type { Recovery, RecoveryResult } from './engine/lifecycle/execution-recovery.ts';
export type { TaskHandle } from './engine/lifecycle/handle.ts';
export type { RestartOptions } from './engine/lifecycle/restart.ts';
export type { RetryTaskOptions } from './engine/lifecycle/retry.ts';
export type { StartOptions } from './engine/lifecycle/timeline.ts';
export type { AnswerOptions, AskedWait } from './engine/lifecycle/waits.ts';
export { type MoveStorageOptions, moveStorage } from './engine/moving/beside.ts';
export { type CopyOptions, copyStorage } from './engine/moving/copy.ts';
export { type ExportOptions, exportTask, importTask } from './engine/portable/portable.ts';
export type { Reader } from './engine/reading/reader.ts';
export type { TaskRow } from './engine/reading/row.ts';
export { type TaskBatch, type WatchOptions, watchTask } from './engine/reading/watch-task.ts';
export type { TaskChanges } from './engine/reading/watch-tasks.ts';
export type { Forked, ForkOptions } from './engine/recovery/fork.ts';
export type { RecoveryOptions } from './engine/recovery/recover.ts';
export type { Redone, RedoOptions } from './engine/recovery/redo.ts';
export type {
  PreviewOptions,
  RollbackOptions,
  RollbackPreview,
  RollbackResult,
} from './engine/recovery/rollback.ts';
export type { RedoPreview, Taken, TakePreview } from './engine/recovery/rollback-results.ts';
export { TaskCheckpoints as CheckpointManager } from './engine/recovery/stored-checkpoints.ts';
export type { TakeOptions } from './engine/recovery/take.ts';
export type { UndoPreview, UndoResult, UndoTaskOptions } from './engine/recovery/undo.ts';
export { ExecutionRecovery, type ExecutionRecoveryOptions } from './engine/recovery-over-store.ts';
export { type AgentTaskOptions, agentTask } from './engine/run/agent/agent-task.ts';
export type { RunOutcome } from './engine/run/services.ts';
export { type AgentResult, type AgentRunOptions, runWithCheckpoints } from './engine/run-with-checkpoints.ts';
export type { TaskOptions, TaskQuery } from './engine/task/tasks.ts';
export {
  type ExecutionHistory,
  ExecutionTracker,
  type TrackedStep,
  type TrackerOptions,
} from './engine/tracking/tracker.ts';
export {
  ConfigError,
  CorruptError,
  DriftError,
  EngineError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  IllegalTransitionError,
  InvalidInputError,
  InvalidStateError,
  IoError,
  NotSerialisableError,
  OwnershipError,
  StaleWriteError,
  StoreError,
  VibeError,
  WorkspaceError,
} from './errors.ts';
export type { TextConflict } from './merge/pieces.ts';
export { type Resolution, resolveConflicts, type TextMerge } from './merge/result.ts';
export { type MergeOptions, mergeText } from './merge/text.ts';
export type { CheckpointRecord } from './persistence/checkpoint-records.ts';
export { type AutoSaveOptions, ConversationPersistence } from './persistence/conversations.ts';
export { PersistenceManager } from './persistence/manager.ts';
export type {
  Backend,
  EntryText,
  Listing,
  NamedBlob,
  PreparedAppend,
  PreparedCommit,
  PreparedRecord,
  Repair,
  StoredText,
} from './storage/backend.ts';
export { next as nextPosition, START } from './storage/chain.ts';
export type {
  BackendFactory,
  BlobInfo,
  Claim,
  Commit,
  JournalEntry,
  JournalRange,
  NewBlob,
  Owner,
  Page,
  PageQuery,
  Position,
  Problem,
  Receipt,
  RecordWrite,
  Storage,
  StorageSettings,
  StoredRecord,
} from './storage/contract.ts';
export { createStorage } from './storage/create.ts';
export type { KeyProvider, KeyRequest } from './storage/encrypted/key-provider.ts';
export type { EncryptedStore } from './storage/encrypted/open.ts';
export {
  keyFromCommand,
  keyFromEnvironment,
  keyFromFile,
  keyFromPassphrase,
} from './storage/encrypted/providers.ts';
export type { JsonStorageOptions } from './storage/json/open.ts';
export { createStorageFromConfig, registerStorage, type StorageContext } from './storage/opening/factory.ts';
export { EncryptedStorage, JsonStorage, SqliteStorage } from './storage/opening/local.ts';
export { pageOf } from './storage/page.ts';
export { type Found, refusalOf, strangerRefusal } from './storage/refusals.ts';
export { type ClassCodec, decode, encode, registerClass } from './storage/serialize.ts';
export type { SqliteOptions } from './storage/sqlite/open.ts';
export { newTaskId } from './system/ids.ts';
export type { OperationProgress } from './system/progress.ts';
export type { StateData } from './task/data.ts';
export { autoSaveId } from './task/keys.ts';
export { isExpired, isResumable } from './task/resumable.ts';
export { parseState, type TaskState } from './task/state.ts';
export { canTransition, isFinal, STATE_TRANSITIONS, TaskStatus } from './task/status.ts';
export { queueTask, transition, updateData } from './task/transition.ts';
export { handleSlashCommand, type SlashAnswer, type SlashOptions } from './verbs/slash.ts';
export { type FileVersion, OptimisticLock } from './workspace/editing/optimistic-lock.ts';
export type { MergedTrees, MergeTreesOptions } from './workspace/merging/merge.ts';
export { commandResolver, promptResolver, toolResolver } from './workspace/resolve/command.ts';
export type { ConflictedFile } from './workspace/resolve/conflicted-file.ts';
export { recordedResolver } from './workspace/resolve/recorded.ts';
export type { Resolver } from './workspace/resolve/resolver.ts';
export type { RestoreChoices } from './workspace/restore/decide.ts';
export type { RestoreOptions, RestoreResult } from './workspace/restore/restore.ts';
export type { TreeChange } from './workspace/tree/diff.ts';
export type { Tree, TreeEntry } from './workspace/tree/tree.ts';
export {
  openWorkspace,
  type Snapshot,
  type Workspace,
  type WorkspaceOptions,
} from './workspace/workspace.ts';
