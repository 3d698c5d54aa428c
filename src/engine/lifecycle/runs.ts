/** The tasks that run in this process: starts a run, and handles its end. */
import { EngineError } from '../../errors.ts';
import { stateRecord } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Position } from '../../storage/contract.ts';
import { type EndSignal, endBySignal, handleSignals } from '../../system/process/signals.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskDefinition } from '../api/definition.ts';
import type { Prompter } from '../api/prompter.ts';
import { runnerOf } from '../api/runner.ts';
import type { FileChoices } from '../files/choices.ts';
import type { WorkingDirectory } from '../git/working-directories.ts';
import { finishRollback } from '../recovery/finish-rollback.ts';
import { type RecoveryOptions, recover, type TakenBack } from '../recovery/recover.ts';
import type { Finished } from '../recovery/rollback-results.ts';
import { knownCheckpoints } from '../run/known-checkpoints.ts';
import { type RunStart, startRun } from '../run/run.ts';
import type { EngineServices, LeftTask, Run } from '../run/services.ts';
import { emptyMemory, type Memory, remember } from '../task/memory.ts';
import { claimTask } from '../task/records/claim.ts';
import { headRecord } from '../task/records/head.ts';
import { dequeue, queueKey } from '../task/records/queue.ts';
import { requireTask, type StoredTask } from '../task/tasks.ts';
import { announce, toInProgress } from '../task/transitions.ts';
import { noteReleased } from './admission.ts';
import { endedUnchanged, isUnchangedSince } from './left.ts';
import { dropOldPauses, dropSettled, type Poller } from './poller.ts';
import type { Registry } from './registry.ts';
import { assertRequirements } from './requirements.ts';
import { cancelIfAsked } from './stop-idle.ts';
import { assertTakeable, notTakenUp } from './takeable.ts';

export interface Runs {
  /** Claims the task, recovers it if it has run before, and runs it. */
  takeUp(id: string, options?: TakeUpOptions): Promise<Run>;
  /** For the owner of a claim, before anything else: see `finish-rollback.ts`. */
  finishRollback(claim: Claim, prompter?: Prompter, choices?: FileChoices): Promise<Finished | null>;
  get(id: string): Run | undefined;
  all(): Run[];
  /** Ends every run here at once; the tasks stay resumable. No other run starts. */
  stopAll(): Promise<void>;
  /** Handles end signals during `work`, even while nothing runs. */
  handlingSignals<T>(work: () => Promise<T>): Promise<T>;
  /** Whether it was asked to end, by a signal or by `stopAll`. */
  stopping(): boolean;
  /** RUN_STOPPED when it was. */
  assertGoing(task: string): void;
}

export interface TakeUpOptions extends RecoveryOptions, Partial<TakenBack> {
  /** An existing claim. */
  readonly claim?: Claim;
  /** The task was just created: there is nothing to recover. */
  readonly created?: Created;
  /** Code to run from where the task is, instead of its own from the start. */
  readonly instead?: TaskDefinition;
  /** As this process left it: there is nothing to recover unless somebody wrote since. */
  readonly kept?: LeftTask;
  /** An older checkpoint may be offered if the requirements of the newest are not met: GoBack is thrown for it. */
  readonly may_go_back?: boolean;
  /** Its key in the queue, for a worker: NOT_RESUMABLE unless it is queued, or was left by its last worker. */
  readonly queue_key?: string;
  /** For a worker: called once the task is claimed, before anything else; returns how to revert it if no run starts. */
  readonly admit?: (state: TaskState) => Promise<() => Promise<void>>;
}

export interface Created extends StoredTask {
  /** Where its journal ends. */
  readonly position: Position;
  /** What it was started with: another definition of that name may have been registered since. */
  readonly definition: TaskDefinition;
}

/** What starting, resuming and stopping tasks needs. */
export interface RunServices extends EngineServices {
  readonly poller: Poller;
  readonly signals: boolean;
  readonly registry: Registry;
  /** Resolves when background work is done. */
  flush(): Promise<void>;
  /** The tasks that run here. */
  readonly running: Runs;
}

export function createRuns(services: Omit<RunServices, 'running'>): Runs {
  const { storage } = services;
  const runs = new Map<string, Run>();
  /** Of the runs that workers took up: their keys in the queue. */
  const queueKeys = new Map<string, string>();
  const finishing = new Set<Promise<unknown>>();
  /** Set once a signal has arrived: resolves when everything is saved, unless the process ends first. */
  let endedBySignal: Promise<void> | undefined;
  let stopping = false;

  const endRuns = (signal: EndSignal, times: number): void => {
    stopping = true;
    const all = [...runs.values()];
    const error = new EngineError('RUN_STOPPED', phrase`Stopped by ${signal}.`, {
      data: { signal },
      hint: phrase`Resume the task to continue.`,
    });
    // A worker's tasks go to the next worker: a deploy must not stop them. A person's own tasks are paused.
    const reason = phrase`stopped by ${signal}`;
    for (const run of all) {
      if (times > 1) run.stop(error);
      else if (queueKeys.has(run.task)) run.release(reason);
      else run.pause(reason);
    }
    if (times === 1) for (const queue_key of queueKeys.values()) during(noteReleased(storage, queue_key));
    // When all runs have stopped, the process ends as requested; a third signal ends it at once.
    const end = (): void => {
      signals.stop();
      endBySignal(signal);
    };
    if (times === 1) endedBySignal = allFinished().then(end, end);
    else if (times > 2) end();
  };

  const signals = handleSignals(services.signals, endRuns, () => runs.size > 0);

  /** Work that is awaited before the process ends. */
  const during = <T>(work: Promise<T>): Promise<T> => {
    finishing.add(work);
    work.finally(() => finishing.delete(work)).catch(() => {}); // Its awaiter gets the error.
    return work;
  };

  const allFinished = async (): Promise<void> => {
    while (finishing.size > 0) await Promise.allSettled(finishing);
    await services.flush();
  };

  const finish = async (
    run: Run,
    claim: Claim,
    queue_key: string | undefined,
    { drift }: WorkingDirectory,
  ): Promise<void> => {
    const outcome = await run.outcome;
    services.poller.remove(run);
    runs.delete(run.task);
    const by_worker = queueKeys.delete(run.task);
    try {
      // A task that was stopped or released before its end stays in the queue, for the next worker.
      if (queue_key !== undefined && !endedUnchanged(outcome)) await dequeue(storage, queue_key);
      else if (by_worker && stopping && claim.live()) await noteReleased(storage, queue_key!);
      if (!endedUnchanged(outcome)) await dropSettled(storage, run);
      await drift.ended(claim, run.state());
    } finally {
      await claim.release();
      if (outcome.status === 'paused') await cancelIfAsked(services, run.task);
      const error = 'error' in outcome ? outcome.error : null;
      services.emit({ type: 'run.ended', task: run.task, outcome: outcome.status, error });
      signals.stopUnlessNeeded();
    }
  };

  const begin = async (
    claim: Claim,
    found: StoredTask,
    options: TakeUpOptions,
    directory: WorkingDirectory,
  ) => {
    const { created } = options;
    const id = claim.task;
    const definition =
      options.instead ??
      created?.definition ??
      services.registry.definitionFor(found.head, (message) => services.notify([message]));
    const resumed = isResumed(found, options);
    const continuing = options.instead !== undefined || definition.continues === true;
    const start = async (given: RunStart): Promise<Run> => {
      // A missing directory may have been made by the user who was asked about it.
      const here = directory.refused ? await services.workingDirectories.of(given.head) : directory;
      if (!given.first) await here.workspace?.takeBackReserved(id);
      running.assertGoing(id);
      return startRun({ ...services, ...here }, given);
    };
    if (created) {
      await directory.drift.begin(claim);
      const nothing = { memory: emptyMemory(), checkpoints: knownCheckpoints([], created.head) };
      return start({ claim, continuing, first: true, ...created, ...nothing, definition });
    }
    if (options.kept && (await isUnchangedSince(storage, options.kept, found)))
      return start({ claim, continuing, definition, ...options.kept });
    if (found.state.status === 'queued') await assertRequirements(definition, options);
    const here = { ...services, ...directory };
    const by = runnerOf(definition);
    const recovered = await recover(here, claim, found.head, found.state, { ...options, by });
    const { memory, head: usable, checkpoints } = recovered;
    const { head, state } = await restarted(services, claim, { head: usable, state: found.state }, memory);
    if (resumed) await dropOldPauses(storage, id);
    return start({
      claim,
      definition,
      head,
      state,
      memory,
      position: await storage.position(id),
      checkpoints: knownCheckpoints(checkpoints, head),
      continuing,
    });
  };

  const takeUp = async (id: string, options: TakeUpOptions): Promise<Run> => {
    if (stopping) {
      await options.claim?.release();
      throw notTakenUp(id);
    }
    const claim = options.claim ?? (await claimTask(storage, id));
    let run: Run;
    let queue_key: string | undefined;
    let directory: WorkingDirectory;
    let started = false;
    let notAdmitted: (() => Promise<void>) | undefined;
    try {
      notAdmitted = options.admit && (await options.admit((await requireTask(storage, id)).state));
      if (!options.created) {
        const { prompter = services.prompter } = options;
        await finishRollback({ ...services, running, prompter }, claim, options, true);
      }
      const found = options.created ?? (await requireTask(storage, id));
      assertTakeable(found.state, services.clock.now(), services.config, options.queue_key !== undefined);
      queue_key =
        options.queue_key ?? (found.state.status === 'queued' ? queueKey(found.state.data) : undefined);
      const { task_name } = found.head;
      await services.tracing?.ready();
      services.emit({ type: 'run.started', task: id, task_name, resumed: isResumed(found, options) });
      started = true;
      directory = await services.workingDirectories.of(found.head);
      run = await begin(claim, found, options, directory);
    } catch (error) {
      try {
        await notAdmitted?.();
      } finally {
        await claim.release();
      }
      if (started) services.emit({ type: 'run.ended', task: id, outcome: 'stopped', error });
      throw error;
    }
    runs.set(id, run);
    if (options.queue_key !== undefined) queueKeys.set(id, options.queue_key);
    if (stopping) run.stop(notTakenUp(id));
    signals.start();
    services.poller.add(run);
    const ended = during(finish(run, claim, queue_key, directory));
    // A stop by a signal is not an error of the program: the promise stays pending until the process ends.
    return { ...run, outcome: ended.then(() => endedBySignal).then(() => run.outcome) };
  };

  const running: Runs = {
    takeUp: (id, options = {}) =>
      options.queue_key === undefined ? takeUp(id, options) : during(takeUp(id, options)),
    handlingSignals: signals.during,
    finishRollback: (claim, prompter = services.prompter, choices) =>
      finishRollback({ ...services, running, prompter }, claim, choices),
    get: (id) => runs.get(id),
    all: () => [...runs.values()],
    stopping: () => stopping,
    assertGoing: (task) => {
      if (stopping) throw notTakenUp(task);
    },
    async stopAll() {
      stopping = true;
      const error = new EngineError('RUN_STOPPED', phrase`The engine was closed.`, {
        hint: phrase`Open it again and resume the task.`,
      });
      for (const run of runs.values()) run.stop(error);
      await allFinished();
    },
  };
  return running;
}

function isResumed({ state }: StoredTask, { created }: TakeUpOptions): boolean {
  return !created && state.status !== 'queued';
}

/** A failed task goes through `queued`; the head counts the retry. */
async function restarted(
  { storage, clock, emit }: EngineServices,
  claim: Claim,
  { head, state }: StoredTask,
  memory: Memory,
): Promise<StoredTask> {
  if (state.status !== 'failed') return { head, state };
  const now = clock.now();
  const retry = { t: 'retry', at: now.toISOString() } as const;
  const moved = toInProgress(state, memory, head.input, 'retry', now);
  const next = { ...head, retries: head.retries + 1 };
  await storage.commit({
    task: head.task_id,
    fence: claim.fence,
    records: [headRecord(next), stateRecord(moved.state)],
    append: { after: await storage.position(head.task_id), entries: [retry, ...moved.entries] },
  });
  remember(memory, retry);
  announce(emit, head, moved.entries);
  return { head: next, state: moved.state };
}
