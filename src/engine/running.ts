/** The tasks that run in this process: taking one up, and what follows when its run ends. */
import type { Config } from '../config/types.ts';
import { EngineError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Claim, Position, Storage } from '../storage/contract.ts';
import { stateRecord } from '../storage/state-records.ts';
import { type EndSignal, endBySignal, onEndSignal } from '../system/signals.ts';
import { isExpired } from '../task/resumable.ts';
import type { TaskState } from '../task/state.ts';
import { isFinal, type TaskStatus } from '../task/status.ts';
import type { Finished } from './back-results.ts';
import { liveCheckpoints } from './checkpoints.ts';
import { claimTask } from './claim.ts';
import type { TaskDefinition } from './definition.ts';
import type { FileChoices } from './files/choices.ts';
import { finishGoingBack } from './finish-going-back.ts';
import { type Head, headRecord } from './head.ts';
import type { Run, RunOutcome } from './host.ts';
import { discard, receive } from './inbox.ts';
import { emptyMemory, type Memory, remember } from './memory.ts';
import { announce, toInProgress } from './moves.ts';
import { cancelIfAsked } from './offline.ts';
import type { Poller } from './poller.ts';
import type { Prompter } from './prompter.ts';
import { dequeue, placeOf } from './queue.ts';
import { type RecoveryHost, type RecoveryOptions, recover } from './recovery.ts';
import { type RunStart, startRun } from './run.ts';
import { type NewTask, requireTask } from './tasks.ts';

export interface Running {
  /** Claims the task, recovers it if it has run before, and runs it. */
  takeUp(id: string, options?: TakeUpOptions): Promise<Run>;
  /** For whoever has claimed a task, before anything else: see `finish-going-back.ts`. */
  finishGoingBack(claim: Claim, prompter?: Prompter, choices?: FileChoices): Promise<Finished | null>;
  get(id: string): Run | undefined;
  all(): Run[];
  /** Ends every run here at once; the tasks stay resumable. No other begins. */
  stopAll(): Promise<void>;
  /** Whether it was told to end, by a signal or by `stopAll`. */
  stopping(): boolean;
  /** RUN_STOPPED when it was. */
  assertGoing(task: string): void;
}

export interface TakeUpOptions extends RecoveryOptions {
  /** A claim that is held already. */
  readonly claim?: Claim;
  /** The task was made just now: there is nothing to recover. */
  readonly created?: Created;
  /** Code to run from where the task is, instead of its own from the start. */
  readonly instead?: TaskDefinition;
  /** An older checkpoint may be offered where the newest needs what is not there: GoBack is thrown for it. */
  readonly may_go_back?: boolean;
  /** What was done to take it up: recorded with it, so that what they name is kept. */
  readonly notes?: readonly string[];
  /** Its place in the queue, for a worker: NOT_RESUMABLE unless it is queued, or was left by whoever ran it. */
  readonly place?: string;
}

export interface Created extends NewTask {
  /** Where its journal ends. */
  readonly position: Position;
  /** What it was started with: others of that name may have been since. */
  readonly definition: TaskDefinition;
}

export interface RunningHost extends RecoveryHost {
  readonly poller: Poller;
  readonly signals: boolean;
  definitionFor(head: Head, warn: (message: string) => void): TaskDefinition;
  /** Resolves when what goes on beside the runs is done. */
  rest(): Promise<void>;
}

export function createRunning(host: RunningHost): Running {
  const { storage } = host;
  const runs = new Map<string, Run>();
  const finishing = new Set<Promise<void>>();
  let ignoreSignals: (() => void) | undefined;
  /** Set once a signal has come: resolves when all is saved, unless the process has ended with that. */
  let endedBySignal: Promise<void> | undefined;
  let stopping = false;

  const endRuns = (signal: EndSignal, times: number): void => {
    stopping = true;
    const all = [...runs.values()];
    const error = new EngineError('RUN_STOPPED', phrase`Stopped by ${signal}.`, {
      data: { signal },
      hint: phrase`Resume the task to go on.`,
    });
    for (const run of all) times > 1 ? run.stop(error) : run.pause(phrase`stopped by ${signal}`);
    // When all have come to rest the process ends as it was asked to; who asks a third time does not wait for that.
    const end = (): void => {
      ignoreSignals?.();
      endBySignal(signal);
    };
    if (times === 1) endedBySignal = allFinished().then(end, end);
    else if (times > 2) end();
  };

  const allFinished = async (): Promise<void> => {
    while (finishing.size > 0) await Promise.allSettled(finishing);
    await host.rest();
  };

  const finish = async (run: Run, claim: Claim, place: string | undefined): Promise<void> => {
    const outcome = await run.outcome;
    host.poller.remove(run);
    runs.delete(run.task);
    try {
      // What was stopped before it was done stays in the queue, for the next worker.
      if (place !== undefined && outcome.status !== 'stopped') await dequeue(storage, place);
      await dropSettled(storage, run, outcome);
      await host.drift.ended(claim, run.state());
    } finally {
      await claim.release();
      if (outcome.status === 'paused') await cancelIfAsked(host, run.task);
      const error = 'error' in outcome ? outcome.error : null;
      host.emit({ type: 'run.ended', task: run.task, outcome: outcome.status, error });
      if (runs.size === 0) {
        ignoreSignals?.();
        ignoreSignals = undefined;
      }
    }
  };

  const begin = async (claim: Claim, found: NewTask, options: TakeUpOptions): Promise<Run> => {
    const { created } = options;
    const id = claim.task;
    const definition =
      options.instead ??
      created?.definition ??
      host.definitionFor(found.head, (message) => host.notify([message]));
    const resumed = isResumed(found, options);
    const continuing = options.instead !== undefined || definition.continues === true;
    const start = async (given: RunStart): Promise<Run> => {
      const workspace = (await host.workspace.at?.(given.head)) ?? host.workspace;
      if (!given.first) await workspace.takeBackReserved?.(id);
      return startRun({ ...host, workspace }, given);
    };
    if (created) {
      await host.drift.begin(claim);
      const nothing = { memory: emptyMemory(), checkpoints: [] };
      return start({ claim, continuing, first: true, ...created, ...nothing, definition });
    }
    const { memory, head: usable } = await recover(host, claim, found.head, found.state, options);
    const taken = { head: usable, state: found.state };
    const { head, state } = await restarted(host, claim, taken, memory);
    if (resumed) await dropOldPauses(storage, id);
    return start({
      claim,
      definition,
      head,
      state,
      memory,
      position: await storage.position(id),
      checkpoints: await liveCheckpoints(storage, id),
      continuing,
    });
  };

  const running: Running = {
    async takeUp(id, options = {}) {
      if (stopping) {
        await options.claim?.release();
        throw notTakenUp(id);
      }
      const claim = options.claim ?? (await claimTask(storage, id));
      let run: Run;
      let place: string | undefined;
      let started = false;
      try {
        if (!options.created) await running.finishGoingBack(claim, options.prompter, options);
        const found = options.created ?? (await requireTask(storage, id));
        assertTakeable(found.state, host.clock.now(), host.config, options.place !== undefined);
        place = options.place ?? (found.state.status === 'queued' ? placeOf(found.state.data) : undefined);
        const { task_name } = found.head;
        host.emit({ type: 'run.started', task: id, task_name, resumed: isResumed(found, options) });
        started = true;
        run = await begin(claim, found, options);
      } catch (error) {
        await claim.release();
        if (started) host.emit({ type: 'run.ended', task: id, outcome: 'stopped', error });
        throw error;
      }
      runs.set(id, run);
      if (stopping) run.stop(notTakenUp(id)); // It was told to end meanwhile.
      if (host.signals) ignoreSignals ??= onEndSignal(endRuns);
      host.poller.add(run);
      const ended = finish(run, claim, place);
      finishing.add(ended);
      ended.finally(() => finishing.delete(ended)).catch(() => {}); // Whoever awaits the outcome hears of it.
      // What a signal stopped is no error of the program's: nobody hears of it before the process is ended.
      const outcome = ended.then(() => endedBySignal).then(() => run.outcome);
      return { ...run, outcome };
    },
    finishGoingBack: (claim, prompter = host.prompter, choices) =>
      finishGoingBack({ ...host, running, prompter }, claim, choices),
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

function isResumed({ state }: NewTask, { created }: TakeUpOptions): boolean {
  return !created && state.status !== 'queued';
}

const FOR_WORKERS: ReadonlySet<TaskStatus> = new Set(['queued', 'in_progress', 'waiting']);

export function assertTakeable(state: TaskState, now: Date, config: Config, by_worker = false): void {
  const { task_id, task_name, status } = state;
  const refuse = (why: string, hint: string): never => {
    throw new EngineError(
      'NOT_RESUMABLE',
      phrase`Task "${task_name}" (${task_id}) cannot be resumed: ${why}.`,
      {
        data: { task: task_id, status },
        hint,
      },
    );
  };
  if (by_worker && !FOR_WORKERS.has(status)) refuse(phrase`it is ${status}`, phrase`Resume it by its id.`);
  if (isFinal(status)) refuse(phrase`it is ${status}`, phrase`Fork it from one of its checkpoints.`);
  if (state.status === 'failed') {
    if (isExpired(state, now, config.cleanup.failed_days))
      refuse(phrase`it failed too long ago`, phrase`Start it again; its history is kept.`);
    if (!state.data.recoverable)
      refuse(
        phrase`its failure is marked as not recoverable`,
        phrase`Fork it from a checkpoint before the failure.`,
      );
  }
}

function notTakenUp(task: string): EngineError {
  return new EngineError(
    'RUN_STOPPED',
    phrase`Task ${task} was not taken up: this engine is ending its runs.`,
    {
      data: { task },
      hint: phrase`Resume it in another engine.`,
    },
  );
}

/** A failed task goes through `queued`; the head counts the retry. */
async function restarted(
  { storage, clock, emit }: RunningHost,
  claim: Claim,
  { head, state }: NewTask,
  memory: Memory,
): Promise<NewTask> {
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
  announce(emit, head, moved);
  return { head: next, state: moved.state };
}

/** Requests to pause a run that ended without taking them; whoever resumes the task wants it to go on. */
async function dropOldPauses(storage: Storage, task: string): Promise<void> {
  for (const message of await receive(storage, task)) {
    if (message.kind === 'pause') await discard(storage, task, message);
  }
}

/** Messages that have had their effect, and those to a task that is over. What is left counts when it is resumed. */
async function dropSettled(storage: Storage, run: Run, outcome: RunOutcome): Promise<void> {
  if (outcome.status === 'stopped') return;
  const over = isFinal(run.state().status);
  for (const message of await receive(storage, run.task)) {
    const settled = message.kind === 'pause' || (message.kind === 'answer' && run.deliver(message));
    if (over || settled) await discard(storage, run.task, message);
  }
}
