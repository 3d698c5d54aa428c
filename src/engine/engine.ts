/** The engine: starts, resumes, stops and answers tasks, from any process that has the store open. */
import type { Summariser } from '../checkpoint/context/summary.ts';
import type { CheckpointManager } from '../checkpoint/manager.ts';
import type { CheckpointContext } from '../checkpoint/record/record.ts';
import { awaitsTrust, loadConfig, trustNotice } from '../config/load.ts';
import type { Config, ConfigInput } from '../config/types.ts';
import type { RebasePreview } from '../drift/rebase/preview.ts';
import type { VersionTracker } from '../drift/tracker.ts';
import { loadState } from '../persistence/state-records.ts';
import { phrase } from '../phrase.ts';
import type { Storage } from '../storage/contract.ts';
import { createStorageFromConfig } from '../storage/opening/factory.ts';
import { type Clock, systemClock } from '../system/clock.ts';
import type { OnProgress } from '../system/progress.ts';
import { parseCheckpointId } from '../task/keys.ts';
import type { TaskState } from '../task/state.ts';
import type { Attached, AttachOptions } from './api/attaching.ts';
import type { TaskDefinition } from './api/definition.ts';
import { createEvents, type Events } from './api/events.ts';
import type { Hooks } from './api/hooks.ts';
import type { Prompter } from './api/prompter.ts';
import type { Services } from './api/services.ts';
import { telling } from './api/warn.ts';
import { attachTo } from './attach/attach.ts';
import type { CleanOptions, CleanupReport } from './cleanup/clean.ts';
import { diskProbe } from './cleanup/disk.ts';
import { createCleaner } from './cleanup/schedule.ts';
import { type FilesOptions, openFiles } from './files/open.ts';
import type { Drifted } from './git/looking.ts';
import type { RebasedTask, RebaseOptions } from './git/rebasing.ts';
import { openWorkingDirectories } from './git/working-directories.ts';
import { readHistory, type TaskHistory } from './history/history.ts';
import { handleOf, type TaskHandle } from './lifecycle/handle.ts';
import { resumePastDamage } from './lifecycle/past-damage.ts';
import { createPoller } from './lifecycle/poller.ts';
import { createReadableCopies } from './lifecycle/readable-copies.ts';
import { type AnyDefinition, createRegistry } from './lifecycle/registry.ts';
import { type RestartOptions, restarting } from './lifecycle/restart.ts';
import { resumeTask } from './lifecycle/retry.ts';
import { createRuns, type RunServices } from './lifecycle/runs.ts';
import { createStarter } from './lifecycle/start.ts';
import { cancelTask, isTaskResumable, pauseTask } from './lifecycle/stop.ts';
import { createTimeline, type Timeline } from './lifecycle/timeline.ts';
import { type AnswerOptions, type AskedWait, answerTask, openWaits } from './lifecycle/waits.ts';
import { workQueue } from './lifecycle/workers.ts';
import { answerAsked } from './questions/answering.ts';
import { askingAnywhere } from './questions/anywhere.ts';
import { openReader, type Reader } from './reading/reader.ts';
import { asOnlyWriter } from './recovery/commit-rollback.ts';
import { mendAndNotify } from './recovery/mend.ts';
import type { RecoveryOptions } from './recovery/recover.ts';
import { checkpointsOf } from './recovery/stored-checkpoints.ts';
import { recoveryNotice } from './recovery-notice.ts';
import { sayIfExposed } from './secrets/exposure.ts';
import { watchSecrets } from './secrets/watch.ts';
import { loadContext } from './task/context-reference.ts';
import { readOutput } from './task/output.ts';
import { listTasks, requireTask, type TaskOptions, type TaskQuery } from './task/tasks.ts';
import { openTracing } from './telemetry.ts';

export type { TaskHandle } from './lifecycle/handle.ts';

export interface EngineOptions {
  /** The project directory, which contains `.vibe-engine/`. Default: the working directory. */
  readonly project_dir?: string;
  readonly config?: ConfigInput;
  /** An open store; the engine does not close it. */
  readonly storage?: Storage;
  /** The tasks it can resume. */
  readonly tasks?: readonly AnyDefinition[];
  readonly hooks?: Hooks;
  readonly prompter?: Prompter;
  /**
   * `anywhere`: questions are recorded, too, and the first answer counts, from the prompter or from any process with the
   * store; without a prompter they wait for one. Default: `here`, the prompter alone.
   */
  readonly questions?: 'here' | 'anywhere';
  /** Called with notices for people, such as that a task is being resumed. */
  readonly notify?: (lines: readonly string[]) => void;
  /** Called with the progress of long operations: a first snapshot, a fetch. */
  readonly onProgress?: OnProgress;
  /** How a command line is written in notices; default: `vibe-engine …`. */
  readonly command?: (words: string) => string;
  readonly summariser?: Summariser;
  readonly clock?: Clock;
  /**
   * The files that tasks work on: captured at checkpoints and before dangerous operations, restored by a rollback, reserved
   * by agents. `true` for the project; default: none.
   */
  readonly workspace?: boolean | FilesOptions;
  /** Keep `conversation/conv-auto-save-{task_id}` up to date: at pauses, waits, the end, and every 5 seconds at most. */
  readonly auto_save?: boolean | { readonly every_ms: number };
  /** OpenTelemetry spans where `@opentelemetry/api` is installed; default: on. */
  readonly telemetry?: boolean;
  /** On Ctrl-C and SIGTERM, pause tasks that run here, and leave those of `work` to the next worker; default: on. */
  readonly signals?: boolean;
  /** Clean up automatically when the settings say so; default: on. */
  readonly automatic_cleanup?: boolean;
  /** How full the disk is, in per cent; default: from the system. */
  readonly disk?: () => number | null;
}

export interface Engine extends Timeline {
  readonly storage: Storage;
  readonly config: Config;
  readonly project_dir: string;
  /** Registers a task, so that it can be resumed by its id. */
  register(definition: AnyDefinition): void;

  /** Queues a task and returns its id; `work` runs it, here or in another process. */
  enqueue<I, O>(definition: TaskDefinition<I, O>, input: I, options?: TaskOptions): Promise<string>;
  /** Starts a task now. */
  start<I, O>(definition: TaskDefinition<I, O>, input: I, options?: TaskOptions): Promise<TaskHandle<O>>;
  /** Starts a task and waits for its output. */
  run<I, O>(definition: TaskDefinition<I, O>, input: I, options?: TaskOptions): Promise<O>;
  /** Resumes a task where it was. TASK_OWNED if another process runs it. */
  resume(id: string, options?: RecoveryOptions): Promise<TaskHandle>;
  /** Starts it again as a new task, with the same code and input; its changes to files are undone, and it is cancelled. */
  restart(id: string, options?: RestartOptions): Promise<TaskHandle>;
  /** Records a session of an agent that runs elsewhere, in its own program, as a task. */
  attach(options: AttachOptions): Attached;
  /** Runs queued tasks until there are none, the most urgent first, and those that workers left when they died or ended. */
  work(options?: { concurrency?: number }): Promise<void>;

  /** `instructions` are shown when it is resumed. */
  pause(id: string, reason?: string, instructions?: string, by?: string): Promise<void>;
  cancel(id: string, reason?: string, by?: string): Promise<void>;
  answer(id: string, value: unknown, options?: AnswerOptions): Promise<void>;
  /** What the task waits for, oldest first. */
  waits(id: string): Promise<AskedWait[]>;
  /**
   * Answers a question that another process asks about a task, as `reader.questions` lists it: one of its options, or the
   * whole file without conflicts. QUESTION_ANSWERED if somebody was faster.
   */
  answerQuestion(
    id: string,
    question: string,
    answer: string | Uint8Array,
    options?: Pick<AnswerOptions, 'by'>,
  ): Promise<void>;

  /** Its state. Large values in it are still references; `output` loads the output. */
  state(id: string): Promise<TaskState | null>;
  /** What it was started with as `origin`; null when nothing. */
  origin(id: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** The output of a completed task. */
  output<O = unknown>(id: string): Promise<O>;
  tasks(query?: TaskQuery): Promise<TaskState[]>;
  /** What the task did so far, read from its journal. */
  history(id: string): Promise<TaskHistory>;
  /** The task's place in git and the detected drift; null where it is in no repository. */
  versions(id: string): Promise<VersionTracker | null>;
  /** Checks now whether the repository has changed since the task's last check; stores nothing. */
  drift(id: string): Promise<Drifted | null>;
  /** The whole context a task had, by the reference in `accumulated_context` of its state. */
  loadContext(reference: unknown): Promise<CheckpointContext>;
  /**
   * Moves the branch of a task that is not running onto upstream, including uncommitted changes. REBASE_REFUSED, and nothing
   * changed, where commits or uncommitted work would conflict or the tests fail.
   */
  rebase(id: string, options?: RebaseOptions): Promise<RebasedTask>;
  /** What a rebase would do; throws REBASE_REFUSED if it would be refused. */
  previewRebase(id: string, options?: RebaseOptions): Promise<RebasePreview>;
  /** Rows, views and files of tasks, read without running any. */
  readonly reader: Reader;
  /** Lists and loads checkpoints, with their contexts. */
  readonly checkpoints: CheckpointManager;
  /** Removes what the policies select, now; or reports what would be removed. */
  clean(options?: CleanOptions): Promise<CleanupReport>;
  readonly on: Events['on'];
  /** Ends the runs here, leaving their tasks resumable, and closes the store it opened. */
  close(): Promise<void>;
}

export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const loaded = loadConfig({ project_dir: options.project_dir, options: options.config });
  const { config, project_dir } = loaded;
  const notify = telling('notify', options.notify);
  const command = options.command ?? ((words: string) => `vibe-engine ${words}`);
  const waits = trustNotice(loaded, command);
  if (waits !== null) notify([waits]);
  const opening = options.storage ?? createStorageFromConfig(config, { project_dir });
  const storage = await Promise.resolve(opening).catch((error) => {
    throw awaitsTrust(error, loaded, command);
  });
  const clock = options.clock ?? systemClock;
  const { emit, on } = createEvents();
  const registry = createRegistry(config.recovery.on_definition_change);
  for (const definition of options.tasks ?? []) registry.add(definition);
  const poller = createPoller(storage);
  const tracing = (options.telemetry ?? true) ? openTracing(on) : undefined;
  const onProgress = options.onProgress && telling('onProgress', options.onProgress);
  const asking =
    options.questions === 'anywhere'
      ? askingAnywhere({ storage, clock, notify, command }, options.prompter)
      : null;
  const prompter = asking ?? options.prompter;
  const told = { emit, on, notify, prompter, onProgress, command };
  const services: Services = { storage, config, clock, project_dir, ...told };
  const { workspace = false } = options;
  const files = await (workspace ? openFiles(services, workspace === true ? {} : workspace) : null)?.catch(
    async (error) => {
      if (!options.storage) await storage.close();
      throw error;
    },
  );
  await sayIfExposed(services, notify);
  const workingDirectories = openWorkingDirectories(services, files ?? null);
  const { drift } = await workingDirectories.of({ working_dir: project_dir });
  await drift.settleLeftover();
  const secrets = watchSecrets(storage, notify);
  const taking: Omit<RunServices, 'running'> = {
    ...services,
    workingDirectories,
    poller,
    hooks: options.hooks ?? {},
    lookAt: secrets.lookAt,
    summariser: options.summariser,
    tracing,
    signals: options.signals ?? true,
    registry,
    declares: registry.declares,
    flush: () => copies.flush(),
  };
  const copies = createReadableCopies(services, autoSaveEvery(options));
  const running = resumePastDamage(taking, createRuns(taking));
  const engineServices: RunServices = { ...taking, running };
  const cleaner = createCleaner(engineServices, {
    disk: options.disk ?? diskProbe(storage, config, project_dir),
    busy: () => running.all().length > 0,
  });
  on('recovery', (event) => notify(recoveryNotice(event)));
  on('task.status', ({ to }) => (to === 'completed' ? cleaner.completed() : cleaner.runEnded()));
  if (options.automatic_cleanup ?? true) cleaner.watch();
  const reading = () => ({ now: clock.now(), failed_days: config.cleanup.failed_days });
  const workingDirectoryOf = async (id: string) =>
    workingDirectories.of((await requireTask(storage, id)).head);
  const filesNow = async (id: string) => (await (await workingDirectoryOf(id)).workspace?.snapshot()) ?? null;
  const mended = mendAndNotify(engineServices);
  const beginning = createStarter(engineServices);

  const timeline = createTimeline(engineServices);
  const { restart, orRestart } = restarting(engineServices, { ...timeline, start: beginning.start });

  return {
    storage,
    config,
    project_dir,
    on,
    register: registry.add,
    enqueue: (definition, input, given = {}) => beginning.enqueue(definition as AnyDefinition, input, given),
    start: (definition, input, given = {}) => beginning.start(definition as AnyDefinition, input, given),
    run: async (definition, input, given = {}) =>
      (await beginning.start(definition as AnyDefinition, input, given)).result,
    resume: (id, given = {}) =>
      orRestart(id, given, async () => handleOf(await resumeTask(engineServices, id, given))),
    restart: (id, given) => mended(id, () => restart(id, given)),
    attach: (given) => attachTo(engineServices, beginning.start, given),
    work: ({ concurrency = 1 } = {}) => workQueue(engineServices, concurrency),
    pause: (id, reason = phrase`asked to pause`, instructions, by) =>
      mended(id, () => pauseTask(engineServices, id, reason, instructions ?? null, by)),
    cancel: (id, why = phrase`cancelled`, by) => mended(id, () => cancelTask(engineServices, id, why, by)),
    answer: (id, value, given = {}) => mended(id, () => answerTask(engineServices, id, value, given)),
    waits: (id) => openWaits(engineServices, id),
    answerQuestion: (id, question, answer, given = {}) =>
      answerAsked(engineServices, id, question, answer, given.by ?? null),
    state: (id) => loadState(storage, id),
    origin: async (id) => (await requireTask(storage, id)).head.origin ?? null,
    output: <O>(id: string) => readOutput(storage, config, id) as Promise<O>,
    tasks: (query = {}) => listTasks(storage, query, (state) => isTaskResumable(engineServices, state)),
    history: async (id) => readHistory(storage, (await requireTask(storage, id)).head, reading()),
    versions: (id) => drift.versions(id),
    drift: async (id) => (await workingDirectoryOf(id)).drift.look(id),
    loadContext: (reference) => loadContext(engineServices, reference),
    rebase: async (id, given) => {
      const { drift } = await workingDirectoryOf(id);
      return asOnlyWriter(engineServices, id, (claim) => drift.rebase(claim, given));
    },
    previewRebase: async (id, given) => (await workingDirectoryOf(id)).drift.previewRebase(id, given),
    ...timeline,
    retry: (id, given) => orRestart(id, given, () => timeline.retry(id, given)),
    resumeFrom: (checkpoint, given) =>
      orRestart(parseCheckpointId(checkpoint)?.task, given, () => timeline.resumeFrom(checkpoint, given)),
    reader: openReader({ storage, config, project_dir, now: () => clock.now(), filesNow }),
    checkpoints: checkpointsOf(engineServices, project_dir),
    clean: (given = {}) => cleaner.clean({ ...(onProgress && { onProgress }), ...given }),
    close: async () => {
      await asking?.close();
      await running.stopAll();
      await cleaner.stop();
      await secrets.settled();
      await files?.close();
      if (!options.storage) await storage.close();
    },
  };
}

function autoSaveEvery({ auto_save = true }: EngineOptions): number | null {
  return typeof auto_save === 'object' ? auto_save.every_ms : auto_save ? 5000 : null;
}
