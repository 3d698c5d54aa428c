/** Tasks whose code runs elsewhere: an agent in its own program tells what it says and does, as it happens. */

import { isDeepStrictEqual } from 'node:util';
import { EngineError, type VibeError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import { phrase } from '../../phrase.ts';
import { newTaskId } from '../../system/ids.ts';
import { oneByOne } from '../../system/in-turn.ts';
import { shortened } from '../../system/shortened.ts';
import { isFinal } from '../../task/status.ts';
import type { RecordedEvent } from '../api/agent-events.ts';
import type { Attached, AttachOptions, FoundByAgent } from '../api/attaching.ts';
import { checkName } from '../api/checks.ts';
import type { AnyDefinition } from '../lifecycle/registry.ts';
import type { RunServices } from '../lifecycle/runs.ts';
import type { Starter } from '../lifecycle/start.ts';
import type { LeftTask, Run, RunOutcome } from '../run/services.ts';
import { noteSession, tasksOfSession } from '../task/records/sessions.ts';
import { type AttachedRun, attachedRun, type Waiting } from './attached-run.ts';

/** Nobody is asked: the agent finds its files as they are. */
const AS_IT_IS = {
  on_modified: 'use_current',
  on_deleted: 'skip',
  on_upstream: 'ignore',
  on_environment: 'continue',
} as const;

/** Thousands of files are looked at in less. Until the look is over, what others change counts as the command's. */
const PATIENCE_MS = 100;

interface Live {
  readonly run: Run;
  readonly attached: AttachedRun;
  /** Resolves when the run was ended from outside. */
  readonly over: Promise<Stopped>;
}
interface Stopped {
  readonly outcome: RunOutcome;
}

export function attachTo(services: RunServices, start: Starter['start'], options: AttachOptions): Attached {
  checkName(phrase`The client of a session`, options.client);
  checkName(phrase`The id of a session`, options.session);
  const { storage, running, clock } = services;
  const { client, session, details = {}, danger = () => 'external_api' } = options;
  const patience = { ms: options.patience_ms ?? PATIENCE_MS, last: 0 };
  let task: string | null = null;
  let live: Live | null = null;
  let kept: LeftTask | undefined;
  let stopped: Stopped | null = null;
  let closed = false;
  let found: FoundByAgent = NOTHING;

  const find = async (): Promise<string | null> => {
    const known = [task, options.task ?? null, ...(await tasksOfSession(storage, { client, session }))];
    for (const one of known) {
      const state = one === null ? null : await loadState(storage, one);
      if (state && !isFinal(state.status)) return one;
    }
    return null;
  };

  const resume = (found: string, { definition }: Waiting): Promise<{ outcome: Run['outcome'] }> =>
    running.takeUp(found, { ...AS_IT_IS, instead: definition, ...(kept ? { kept } : {}) });

  const begin = (id: string, { definition }: Waiting, event: RecordedEvent | null) => {
    const { task_name = nameFrom(event) ?? client, working_dir } = options;
    return start(definition as AnyDefinition, null, {
      task_id: id,
      task_name,
      origin: { kind: 'agent', client, session },
      ...(working_dir === undefined ? {} : { working_dir }),
    });
  };

  const wake = async (event: RecordedEvent | null): Promise<Live> => {
    const note = { client, session, ...details };
    const waiting = attachedRun(`agent:${client}`, note, danger, patience);
    const known = await find();
    task = known ?? newTaskId(clock.now());
    if (!kept || !known) await noteSession(storage, task, { client, session, at: clock.now().toISOString() });
    const { outcome } = await (known ? resume(known, waiting) : begin(task, waiting, event));
    const run = running.get(task)!;
    const over = outcome.then((outcome) => ({ outcome })); // The task is free by then.
    const attached = await Promise.race([waiting.begun, over]);
    if ('outcome' in attached) throw endedEarly(task, attached.outcome);
    found = both(found, attached.found);
    const awake = { run, attached, over };
    over.then((ended) => {
      if (live !== awake) return;
      live = null;
      stopped = ended;
    });
    return awake;
  };

  const take = async (event: RecordedEvent): Promise<VibeError | null> => {
    if (closed) throw alreadyClosed(session);
    if (!live && stopped && event.type !== 'turn') return notNow(task!, stopped.outcome);
    stopped = null;
    live ??= await wake(event);
    const meant = named(event, found);
    if (meant.type === 'tool_result' || meant.type === 'tool_dropped') found = without(found, meant.id);
    const { attached, over } = live;
    const taken = await Promise.race([attached.take(meant), over]);
    return taken && 'outcome' in taken ? notNow(task!, taken.outcome) : taken;
  };

  const endTurn = async (): Promise<void> => {
    if (!live) return;
    const { run, attached, over } = live;
    await Promise.race([attached.endOpen(), over]);
    run.becomeIdle(phrase`the turn has ended`);
    const { outcome } = await over;
    kept = outcome.status === 'idle' ? run.left() : undefined;
    live = null;
    stopped = outcome.status === 'idle' ? null : { outcome };
  };

  /** Nobody would end the turn of a process that was killed until the next prompt. */
  const leave = async (): Promise<void> => {
    const known = live ? null : await find();
    const state = known === null ? null : await loadState(storage, known);
    const isLeft = state?.status === 'in_progress' && state.data.idle_since === undefined;
    if (isLeft && (await storage.owner(known!)) === null) live = await wake(null);
    await endTurn();
  };

  /** Events come as they happen, and are recorded in that order. */
  const inTurn = oneByOne();

  return {
    get task() {
      return task;
    },
    record: (event) => inTurn(() => take(event)),
    approval: (call, prompt) =>
      inTurn(async () => {
        if (closed) throw alreadyClosed(session);
        stopped = null;
        live ??= await wake({ type: 'tool_call', id: call, name: client });
        const { run, attached, over } = live;
        const look = () => services.poller.look(run);
        const found = await Promise.race([attached.approval(call, prompt, look), over]);
        return found && 'outcome' in found ? { allowed: false, by: null } : found;
      }),
    found: () =>
      inTurn(async () => {
        const told = found;
        found = NOTHING;
        return told;
      }),
    endTurn: () => inTurn(endTurn),
    leave: () => inTurn(leave),
    close: () =>
      inTurn(async () => {
        closed = true;
        await endTurn();
      }),
  };
}

const NOTHING: FoundByAgent = { unfinished: [], changed: [] };

function both(a: FoundByAgent, b: FoundByAgent): FoundByAgent {
  return {
    unfinished: [...a.unfinished, ...b.unfinished],
    changed: [...new Set([...a.changed, ...b.changed])],
  };
}

/** With the id of the call that was cut off, where the agent has none for it. */
function named(event: RecordedEvent, { unfinished }: FoundByAgent): RecordedEvent {
  if (event.type !== 'tool_result' || !event.unnamed) return event;
  const same = unfinished.find(
    ({ name, input }) => name === event.name && isDeepStrictEqual(input, event.input),
  );
  return same ? { ...event, id: same.id } : event;
}

/** The process that recorded was cut off, and not the call: its end has come after all. */
function without({ unfinished, changed }: FoundByAgent, call: string): FoundByAgent {
  return { unfinished: unfinished.filter(({ id }) => id !== call), changed };
}

const LONGEST_NAME = 60;

/** A session is known by what was asked for first. */
function nameFrom(event: RecordedEvent | null): string | undefined {
  if (event?.type !== 'turn' || typeof event.content !== 'string') return undefined;
  const line = event.content.trim().replace(/\s+/g, ' ');
  if (line === '') return undefined;
  return shortened(line, LONGEST_NAME);
}

/** For a tool call; other events of a turn that was stopped say nothing. */
function notNow(task: string, outcome: RunOutcome): EngineError {
  const why = 'reason' in outcome ? outcome.reason : 'error' in outcome ? String(outcome.error) : '';
  return new EngineError('RUN_STOPPED', phrase`Task ${task} was stopped: ${why}`, {
    data: { task, status: outcome.status },
    hint: phrase`Prompt the agent again to continue.`,
  });
}

function endedEarly(task: string, outcome: RunOutcome): EngineError {
  return new EngineError('RUN_STOPPED', phrase`Task ${task} was stopped before it began.`, {
    data: { task, status: outcome.status },
    cause: 'error' in outcome ? outcome.error : undefined,
    hint: phrase`Prompt the agent again to continue.`,
  });
}

function alreadyClosed(session: string): EngineError {
  return new EngineError('RUN_STOPPED', phrase`Session ${session} was closed.`, {
    data: { session },
    hint: phrase`Attach it again.`,
  });
}
