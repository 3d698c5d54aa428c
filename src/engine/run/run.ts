/**
 * One run of a task, from its start to its end, pause or loss: calls the task's function; everything it does through its
 * context is recorded in the journal or replayed from memory.
 */

import type { Claim, Position } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import type { TaskDefinition } from '../api/definition.ts';
import { runnerOf } from '../api/runner.ts';
import { readContext } from '../task/conversation.ts';
import { type Memory, unanswered } from '../task/memory.ts';
import { counters, occurrencesIn } from '../task/occurrences.ts';
import { packer } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';
import { createAnswers } from './answers.ts';
import { retryDefaults } from './attempts.ts';
import { createCheckpointing } from './checkpointing.ts';
import { createEndings, type Endings } from './endings.ts';
import type { KnownCheckpoints } from './known-checkpoints.ts';
import { createLiveState } from './live-state.ts';
import type { RunContext } from './run-context.ts';
import { createRunFiles } from './run-files.ts';
import type { Run, RunOutcome, TaskServices } from './services.ts';
import { createRunState, createWaiting, type RunState } from './state.ts';
import { createStopping, type Stopping } from './stopping.ts';
import { createContext } from './task-context.ts';
import { createWriter } from './writer.ts';

export interface RunStart {
  readonly claim: Claim;
  readonly definition: TaskDefinition;
  readonly head: Head;
  readonly state: TaskState;
  readonly memory: Memory;
  readonly position: Position;
  readonly checkpoints: KnownCheckpoints;
  /** It has never run before, and is already in progress. */
  readonly first?: boolean;
  /** The code does not replay: what it does first comes after everything recorded. */
  readonly continuing?: boolean;
}

export function startRun(services: TaskServices, start: RunStart): Run {
  const { claim, memory } = start;
  memory.seq = start.position.seq;
  const stopping = createStopping(claim, services.storage);
  const parts = createParts(services, start, stopping);
  const { runState, answers } = parts;
  return {
    task: claim.task,
    state: runState.state,
    pause: (reason, instructions = null, asked_by) =>
      stopping.request({ kind: 'paused', reason, instructions, asked_by }),
    cancel: (reason, asked_by) =>
      stopping.request({ kind: 'cancelled', reason, instructions: null, asked_by }),
    becomeIdle: (reason) => stopping.request({ kind: 'idle', reason, instructions: null }),
    left: () => ({
      head: start.head,
      state: runState.state(),
      memory,
      position: parts.active.writer.position(),
      checkpoints: parts.checkpointing.known(),
    }),
    release: (reason) => stopping.request({ kind: 'released', reason, instructions: null }),
    stop: stopping.stop,
    waits: () => unanswered(memory),
    deliver: (message) => message.kind === 'answer' && answers.deliver(message),
    outcome: Promise.resolve().then(() => outcomeOf(services, start, stopping, parts)),
  };
}

type Parts = ReturnType<typeof createParts>;

/** What the run consists of, each part made of those before it. */
function createParts(services: TaskServices, start: RunStart, stopping: Stopping) {
  const { storage, config, clock, emit, workspace, hooks } = services;
  const { claim, definition, head, memory } = start;
  const { task } = claim;
  const { stopSignal, safePoint } = stopping;
  const packing = packer(storage, head, config, { ...services, redact: hooks.redact });
  const runState = createRunState(start.state, memory, clock, emit);
  const current = () => ({ state: runState.state(), ...runState.current() });
  const checkpointing = createCheckpointing(
    { services, definition, head, memory, current },
    start.checkpoints,
  );
  const answers = createAnswers(services, task, memory, packing.pack, stopSignal);
  const live = createLiveState(runState.record);
  const durability = definition.durability ?? config.checkpoints.durability;
  const { committed } = stopping;
  const written = { claim, durability, memory, checkpointing, live, answers, committed };
  const writer = createWriter(services, written, start.position);
  writer.failed.addEventListener('abort', () => stopping.stop(writer.failed.reason));
  const drift = services.drift.forRun({
    task,
    write: (record) => writer.write(null, { records: [record] }),
    flush: () => writer.flush(),
    progress: () => memory.progress.percent,
    pause: (reason, instructions) =>
      stopping.request({ kind: 'paused', reason, instructions, cause: 'drift' }),
  });
  const { end, ...files } = createRunFiles(workspace, task, writer.flush);
  const active: RunContext = {
    task,
    memory,
    writer,
    safePoint,
    clock,
    emit,
    notify: services.notify,
    ...packing,
    hooks,
    stopSignal,
    assertOwned: stopping.assertOwned,
    retry: retryDefaults(config),
    ...counters(start.continuing ? occurrencesIn(memory) : new Map(), memory),
    recorded: new Map(memory.counts),
    variables: new Map(start.continuing ? memory.variables : []),
    around: (step, run) => around(services, task, step, run),
    began: (operation) => {
      runState.began(operation);
      live.changed(() => writer.write(null));
    },
    ended: runState.ended,
    checkpointNow: (metadata) => checkpointing.now(writer, metadata),
    readContext: async (all) => {
      await writer.flush(); // It is read from the journal: the latest entries have to be there.
      return readContext(services, head, { all, upTo: writer.position() });
    },
    ...createWaiting(runState, writer, answers, memory),
    ...files,
    lastSnapshot: start.checkpoints.snapshot,
    drift,
    working_dir: head.working_dir,
  };
  const endings = createEndings(active, runState, head, async () => {
    if (!workspace) return [];
    await writer.flush(); // It is read from the journal.
    return workspace.filesModified(task);
  });
  const stop = async (): Promise<void> => {
    live.stop();
    await drift.stop();
    stopping.over();
    await end();
  };
  return { active, runState, answers, checkpointing, endings, stop };
}

/** Calls the task's function, and ends the run as that or a stop from outside says. */
async function outcomeOf(
  services: TaskServices,
  start: RunStart,
  stopping: Stopping,
  parts: Parts,
): Promise<RunOutcome> {
  const { lost } = start.claim;
  const { active, checkpointing, endings, stop } = parts;
  const stopClock = checkpointing.every(() => active.writer.write(null));
  lost.addEventListener('abort', () => stopping.stop(lost.reason), { once: true });
  try {
    const outcome = await Promise.race([
      execute(services, start, stopping, parts),
      stopping.stopped(endings.stopped),
    ]);
    if (outcome.status !== 'stopped') await checkpointing.hooksCalled();
    return outcome;
  } catch (error) {
    return { status: 'stopped', error };
  } finally {
    stopClock();
    await stop();
  }
}

async function execute(
  services: TaskServices,
  { definition, head, first }: RunStart,
  { safePoint, ending, endOnce }: Stopping,
  { active, runState, endings }: { active: RunContext; runState: RunState; endings: Endings },
): Promise<RunOutcome> {
  const { writer, task } = active;
  if (runState.state().status !== 'in_progress') {
    const isNew = runState.state().status === 'queued';
    const by = isNew ? { by: runnerOf(definition) } : {};
    await runState.move(writer, 'in_progress', runState.inProgress(), null, { event: 'start', ...by });
  } else if (first) await writer.write(null, { event: 'start' });
  const context = createContext(active, ending);
  let end: () => Promise<RunOutcome>;
  try {
    const input = await active.unpack(head.input);
    const output = await around(services, task, null, () => definition.run(context, input));
    end = () => endings.completed(output);
  } catch (error) {
    if (safePoint.closed) return new Promise(() => {}); // It was asked to stop: that request ends the run.
    end = () => endings.failed(error);
  }
  await safePoint.close();
  return endOnce(end);
}

function around<T>(services: TaskServices, task: string, step: string | null, run: () => T): T {
  return services.tracing ? services.tracing.around(task, step, run) : run();
}
