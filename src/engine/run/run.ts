/**
 * One run of a task, from its start to its end, pause or loss: calls the task's function; everything it does through its
 * context is recorded in the journal or replayed from memory.
 */

import { EngineError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Position, RecordWrite } from '../../storage/contract.ts';
import type { WaitingData } from '../../task/data.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskDefinition } from '../api/definition.ts';
import { readContext } from '../task/conversation.ts';
import type { EntryOf } from '../task/entries.ts';
import { type Memory, rememberDone, unanswered } from '../task/memory.ts';
import { counters, occurrencesIn } from '../task/occurrences.ts';
import { packer } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { receive } from '../task/records/inbox.ts';
import { keyOf } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';
import { createAnswers } from './answers.ts';
import { retryDefaults } from './attempts.ts';
import { createCheckpointing } from './checkpointing.ts';
import { createEndings, type Stop } from './endings.ts';
import { createLiveState } from './live-state.ts';
import type { RunContext } from './run-context.ts';
import { createSafePoint } from './safe-point.ts';
import type { Run, RunOutcome, TaskServices } from './services.ts';
import { createRunState } from './state.ts';
import { createContext } from './task-context.ts';
import { createWriter } from './writer.ts';

export interface RunStart {
  readonly claim: Claim;
  readonly definition: TaskDefinition;
  readonly head: Head;
  readonly state: TaskState;
  readonly memory: Memory;
  readonly position: Position;
  readonly checkpoints: readonly { readonly sequence: number; readonly key: string }[];
  /** It has never run before, and is already in progress. */
  readonly first?: boolean;
  /** The code does not replay: what it does first comes after everything recorded. */
  readonly continuing?: boolean;
}

export function startRun(host: TaskServices, start: RunStart): Run {
  const { storage, config, clock, emit, workspace, around = plainly } = host;
  const { claim, head, memory, definition } = start;
  const task = claim.task;
  memory.seq = start.position.seq;
  const stopper = new AbortController();
  const ending = new AbortController();
  const owned = (): boolean => {
    if (claim.live()) return true;
    run.stop(claim.lost.reason);
    return false;
  };
  const safePoint = createSafePoint(owned);
  const { pack, unpack, redact } = packer(storage, head, config, { ...host, redact: host.hooks.redact });
  const standing = createRunState(start.state, memory, clock, emit);
  const current = () => ({ state: standing.state(), ...standing.current() });
  const checkpointing = createCheckpointing({ host, definition, head, memory, current }, start.checkpoints);
  const answers = createAnswers({
    memory,
    clock,
    stopSignal: stopper.signal,
    pack: (value) => pack(value, 'answers'),
    look: async () => {
      for (const message of await receive(storage, task))
        if (message.kind === 'answer') answers.deliver(message);
    },
  });
  /** Releases the files of agents that have not ended: those that a pause interrupts never do. */
  const reserved = new Set<() => Promise<void>>();

  const writer = createWriter(
    {
      storage,
      task,
      fence: claim.fence,
      durability: definition.durability ?? config.checkpoints.durability,
      async complete(batch, end, queued) {
        for (const entry of batch.entries) rememberDone(memory, entry);
        memory.seq += batch.entries.length;
        const due = await checkpointing.forBatch(batch, end);
        const isState = ({ key }: RecordWrite): boolean => key === keyOf(STATE, task);
        if (batch.records.some(isState)) showing.shown();
        // A later transition is not shown before its entry is in the journal.
        else if (!queued().some(isState)) return [...due, ...showing.withCommit()];
        return due;
      },
      written: (batch) => {
        answers.settled(
          batch.entries.flatMap((entry) => (entry.t === 'answer' ? (entry.message ?? []) : [])),
        );
        checkpointing.written();
      },
      failed: (error) => run.stop(error),
    },
    start.position,
  );

  const showing = createLiveState(standing.record, () => writer.write(null));

  const drift = host.drift.forRun({
    task,
    write: (record) => writer.write(null, { records: [record] }),
    flush: () => writer.flush(),
    progress: () => memory.progress.percent,
    pause: (reason, instructions) =>
      stopAtSafePoint({ kind: 'paused', reason, instructions, cause: 'drift' }),
  });

  const core: RunContext = {
    task,
    memory,
    writer,
    safePoint,
    clock,
    emit,
    notify: host.notify ?? (() => {}),
    pack,
    unpack,
    redact,
    hooks: host.hooks,
    stopSignal: stopper.signal,
    assertOwned: () => {
      if (!owned()) throw claim.lost.reason;
    },
    retry: retryDefaults(config),
    ...counters(start.continuing ? occurrencesIn(memory) : new Map(), memory),
    recorded: new Map(memory.counts),
    variables: new Map(start.continuing ? memory.variables : []),
    around: (step, run) => around(task, step, run),
    show: standing.show,
    checkpointNow: (metadata) => checkpointing.now(writer, metadata),
    readContext: async (all) => {
      await writer.flush(); // It is read from the journal: the latest entries have to be there.
      return readContext(host, head, { all, upTo: writer.position() });
    },
    ...waiting(),
    reserve: async (agent, files) => {
      const release = await workspace?.reserve(task, agent, files);
      if (!release) return async () => {};
      reserved.add(release);
      return async () => {
        reserved.delete(release);
        await release();
      };
    },
    snapshot: async (options) => workspace?.snapshot(options),
    place: workspace?.place,
    ownPart: async (from, to, wrote) => (await workspace?.ownPart(from, to, wrote)) ?? null,
    desk: workspace?.desk,
    drift,
    working_dir: head.working_dir,
    settle: async (begin, now) => {
      const { at, attempt, danger, snapshot, paths } = begin;
      const files = workspace && snapshot && now ? await workspace.settle(task, snapshot, now, paths) : null;
      return { began_at: at, attempt, danger, files, snapshot: snapshot ?? null };
    },
  };

  function waiting(): Pick<RunContext, 'beginWaiting' | 'endWaiting' | 'answerTo'> {
    return {
      beginWaiting: async (wait) => {
        const shown = standing.state();
        if (shown.status !== 'waiting') {
          await standing.move(writer, 'waiting', waitingData(wait), wait.prompt, { event: 'wait' });
        } else await standing.update(writer, { timeout_at: earlier(shown.data.timeout_at, wait.timeout_at) });
        await writer.flush(); // The answering process reads the wait from the store.
      },
      endWaiting: async () => {
        if (standing.state().status !== 'waiting') return;
        const [next, ...others] = answers.open();
        if (next) await standing.update(writer, waitingData(next, others));
        else await standing.move(writer, 'in_progress', standing.inProgress(), 'answered');
      },
      answerTo: answers.to,
    };
  }

  const endings = createEndings(core, standing, head, async () => {
    if (!workspace) return [];
    await writer.flush(); // It is read from the journal.
    return workspace.filesModified(task);
  });
  const atSafePoint = Promise.withResolvers<RunOutcome>();
  const atOnce = Promise.withResolvers<RunOutcome>();
  let over = false;
  /** Of several reasons to end, the first one counts; the others stay pending and are forgotten. */
  const endOnce = (end: () => Promise<RunOutcome>): Promise<RunOutcome> => {
    if (over) return new Promise(() => {});
    over = true;
    return end();
  };

  const execute = async (): Promise<RunOutcome> => {
    if (standing.state().status !== 'in_progress') {
      await standing.move(writer, 'in_progress', standing.inProgress(), null, { event: 'start' });
    } else if (start.first) await writer.write(null, { event: 'start' });
    const context = createContext(core, ending.signal);
    let end: () => Promise<RunOutcome>;
    try {
      const input = await unpack(head.input);
      const output = await around(task, null, () => definition.run(context, input));
      end = () => endings.completed(output);
    } catch (error) {
      if (safePoint.closed) return new Promise(() => {}); // It was asked to stop: that request ends the run.
      end = () => endings.failed(error);
    }
    await safePoint.close();
    return endOnce(end);
  };

  /** Of requests that have not been met yet, one to cancel outranks one to pause, and that one to release. */
  let stopping: Stop | undefined;
  const stopAtSafePoint = (stop: Stop): void => {
    if (stopping && RANKS[stop.kind] > RANKS[stopping.kind]) stopping = stop;
    if (safePoint.closed) return;
    stopping = stop;
    const why =
      stop.kind === 'released'
        ? phrase`The task is being left to another worker: ${stop.reason}`
        : phrase`The task is being ${stop.kind === 'paused' ? 'paused' : 'cancelled'}: ${stop.reason}`;
    ending.abort(stopped(task, why));
    const quiet = safePoint.close();
    atSafePoint.resolve(quiet.then(() => endOnce(() => endings.stopped(stopping!))));
  };

  const watch = async (): Promise<RunOutcome> => {
    const stopClock = checkpointing.every(() => writer.write(null));
    claim.lost.addEventListener('abort', () => run.stop(claim.lost.reason), { once: true });
    try {
      const outcome = await Promise.race([execute(), atSafePoint.promise, atOnce.promise]);
      if (outcome.status !== 'stopped') await checkpointing.told();
      return outcome;
    } catch (error) {
      return { status: 'stopped', error };
    } finally {
      stopClock();
      showing.stop();
      await drift.stop();
      stopper.abort(stopped(task, phrase`The run has ended.`));
      await Promise.allSettled([...reserved].map((release) => release()));
    }
  };

  const run: Run = {
    task,
    state: standing.state,
    pause: (reason, instructions = null) => stopAtSafePoint({ kind: 'paused', reason, instructions }),
    cancel: (reason) => stopAtSafePoint({ kind: 'cancelled', reason, instructions: null }),
    release: (reason) => stopAtSafePoint({ kind: 'released', reason, instructions: null }),
    stop: (error) => {
      over = true;
      stopper.abort(error);
      ending.abort(error);
      if (error instanceof OwnershipError) safePoint.lose();
      void safePoint.close();
      atOnce.resolve({ status: 'stopped', error });
    },
    waits: () => unanswered(memory),
    deliver: (message) => message.kind === 'answer' && answers.deliver(message),
    outcome: Promise.resolve().then(watch),
  };
  return run;
}

const RANKS: Readonly<Record<Stop['kind'], number>> = { released: 0, paused: 1, cancelled: 2 };

/** The question is the oldest one; the time limit is the one that passes first. */
function waitingData(oldest: EntryOf<'wait'>, others: readonly EntryOf<'wait'>[] = []): WaitingData {
  const timeout_at = others.reduce((first, other) => earlier(first, other.timeout_at), oldest.timeout_at);
  return { waiting_for: oldest.kind, prompt_shown_to_user: oldest.prompt, timeout_at };
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function plainly<T>(_task: string, _step: string | null, run: () => T): T {
  return run();
}

function stopped(task: string, message: string): EngineError {
  return new EngineError('RUN_STOPPED', message, {
    data: { task },
    hint: phrase`Resume the task to continue.`,
  });
}
