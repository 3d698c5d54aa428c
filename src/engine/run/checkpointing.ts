/** The checkpoints of a running task: decides when one is due, makes it, and limits their number. */

import { thin } from '../../checkpoint/cleanup/thin.ts';
import { type CheckpointTrigger, NO_CHANGES } from '../../checkpoint/record/record.ts';
import {
  type CheckpointEvent,
  decideCheckpoint,
  type TriggerDecision,
  untilInterval,
} from '../../checkpoint/triggers.ts';
import { storeCheckpoint } from '../../checkpoint/values/stored.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Position, RecordWrite } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import { checkpointId, checkpointKey } from '../../task/keys.ts';
import type { TaskState } from '../../task/state.ts';
import { checkMembers } from '../api/checks.ts';
import type { TaskDefinition } from '../api/definition.ts';
import { ask, type CheckpointInfo, tell, warnOfHook } from '../api/hooks.ts';
import { LONGEST_TIMER } from '../api/timers.ts';
import { type CapturedFiles, createFileCapture } from '../files/capture.ts';
import { checkpointBody, type Moment, rememberedBy } from '../history/checkpoint-body.ts';
import { timeOf } from '../history/marks.ts';
import { newMark } from '../history/new-mark.ts';
import type { Entry } from '../task/entries.ts';
import type { Mark } from '../task/mark.ts';
import type { Memory } from '../task/memory.ts';
import { listedRecord } from '../task/records/checkpoints.ts';
import type { Head } from '../task/records/head.ts';
import { type KnownCheckpoints, type Listed, STAYS } from './known-checkpoints.ts';
import type { TaskServices } from './services.ts';
import type { AskedCheckpoint, Batch, Writer } from './writing.ts';

interface Subject {
  readonly services: TaskServices;
  readonly definition: TaskDefinition;
  readonly head: Head;
  readonly memory: Memory;
  readonly current: () => { state: TaskState; agent: string; step: string | null };
}

export interface Checkpointing {
  /** The checkpoint that is due with this batch, if one is; a promise only where something has to be waited for. */
  forBatch(batch: Batch): Promise<DueCheckpoint | null> | DueCheckpoint | null;
  /** The last one made is on disk. */
  written(): void;
  /** Makes a checkpoint now; returns its id, or throws HOOK_VETO if a hook refused it. */
  now(writer: Writer, metadata: Readonly<Record<string, unknown>>): Promise<string>;
  /** Checks the clock from time to time; returns a function that stops it. */
  every(write: () => Promise<void>): () => void;
  /** Resolves when the hook was called for all that were made. */
  hooksCalled(): Promise<void>;
  /** As of now, for the run after this one. */
  known(): KnownCheckpoints;
}

/** A mark for the last entry of a commit. */
interface DueCheckpoint {
  readonly mark: Mark;
  /** The entry that it is for: the last of the batch, or one of its own. */
  readonly entry: Entry;
  /** What is stored besides; null unless it is one that the task is left at or that someone asked for. */
  readonly records: ((end: Position) => Promise<readonly RecordWrite[]>) | null;
}

/** These are records, too, which can be read without the journal: the first, the last, and those that someone asked for. */
const COPIED: ReadonlySet<CheckpointTrigger> = new Set(['start', 'manual', 'pause', 'wait', 'end']);

/** What a checkpoint is made of besides what the journal tells. */
interface Gathered {
  readonly now: Date;
  /** `performance.now`, when it was decided. */
  readonly began: number;
  /** By the hook. */
  readonly added: Readonly<Record<string, unknown>>;
  readonly captured: CapturedFiles;
}

const NO_FILES = { file_changes: NO_CHANGES };
const NOTHING: Readonly<Record<string, unknown>> = {};
const NONE: readonly number[] = [];

export function createCheckpointing(subject: Subject, known: KnownCheckpoints): Checkpointing {
  const { services, definition, head, memory } = subject;
  const { config, clock, hooks, emit } = services;
  const task = head.task_id;
  let { outdated, newest } = known;
  let listed: Listed[] = [...known.listed];
  let lastFiles: CapturedFiles | undefined;
  const files = createFileCapture(services.workspace, memory, known.snapshot);
  let last = { at: clock.now().getTime(), context_bytes: memory.context.bytes };
  let changed = false;
  let made: { id: string; sequence_number: number; trigger: CheckpointTrigger; began: number } | undefined;
  /** One after the other, in the background: a task does not wait for the hook. */
  let telling: Promise<void> = Promise.resolve();

  const make = async (decision: TriggerDecision, batch: Batch, now: Date): Promise<DueCheckpoint | null> => {
    const began = performance.now();
    const { trigger } = decision;
    const asking = { task, trigger, sequence_number: newest + 1 };
    const added = hooks.beforeCheckpoint ? await askBefore(asking, batch) : NOTHING;
    if (!added) return null;
    const captured = services.workspace ? await files.now(batch.events.includes('end')) : NO_FILES;
    return place(decision, batch, { now, began, added, captured });
  };

  /** Lists it and makes its mark. */
  const place = (
    decision: TriggerDecision,
    batch: Batch,
    { now, began, added, captured }: Gathered,
  ): Promise<DueCheckpoint> | DueCheckpoint => {
    const { trigger } = decision;
    const sequence = newest + 1;
    const { asked } = batch;
    const metadata = asked.length > 0 ? Object.assign({}, ...asked.map((one) => one.metadata), added) : added;
    const entry = batch.entries.at(-1) ?? { t: 'checkpoint' as const, at: now.toISOString() };
    const moment = { ...decision, ...captured, ...taskNow(), sequence, metadata };
    newest = sequence;
    const made_at = 'ms' in entry ? { at: entry.at, ms: entry.ms } : { at: entry.at };
    listed.push({ sequence, made_at, key: null, stays: trigger === STAYS });
    lastFiles = captured;
    const drops = thinned();
    if (drops.length > 0) takeOff(drops);
    const { mark, blobs } = newMark(moment, entry, drops, config.checkpoints);
    last = { at: now.getTime(), context_bytes: memory.context.bytes };
    changed = false;
    made = { id: checkpointId(task, sequence), sequence_number: sequence, trigger, began };
    for (const one of asked) one.answer(made);
    const copied = (end: Position) => copyOf({ ...moment, at: timeOf(entry), journal: end });
    const due = { mark, entry, records: COPIED.has(trigger) ? copied : null };
    return blobs.length > 0 ? services.storage.putBlobs(task, blobs).then(() => due) : due;
  };

  const takeOff = (drops: readonly number[]): void => {
    const left: Listed[] = [];
    for (const one of listed) {
      if (!drops.includes(one.sequence)) left.push(one);
      else if (one.key !== null) outdated = [...outdated, one.key];
    }
    listed = left;
  };

  /** What the task is like, apart from what its journal tells. */
  const taskNow = (): Pick<Moment, 'status' | 'agent' | 'requires' | 'error'> => {
    const { state, agent } = subject.current();
    const { env_requirements: requires } = definition;
    if (state.status !== 'failed') return { status: state.status, agent, requires };
    const { error_type: name, error_message: message } = state.data;
    return { status: state.status, agent, requires, error: { name, message } };
  };

  const thinned = (): readonly number[] => {
    const { max_per_task, sample_every } = config.cleanup;
    if (listed.length <= max_per_task) return NONE;
    const others = listed.filter(({ stays }) => !stays).map(({ sequence }) => sequence);
    return thin(others, max_per_task, sample_every);
  };

  /** The record of a checkpoint, the list of all, and the removal of records that are no longer listed. */
  const copyOf = async (moment: Moment): Promise<RecordWrite[]> => {
    const body = checkpointBody(head, rememberedBy(memory, moment.trigger), moment);
    const key = checkpointKey(task, body.created_at, body.sequence_number);
    const { data, blobs } = storeCheckpoint(body, config.checkpoints, 'packed');
    if (blobs.length > 0) await services.storage.putBlobs(task, blobs);
    const gone = outdated;
    outdated = [];
    listed = listed.map((one) => (one.sequence === moment.sequence ? { ...one, key } : one));
    return [
      { category: 'tasks', key, data },
      listedRecord(
        task,
        listed.map(({ sequence, made_at }) => ({ sequence, created_at: timeOf(made_at) })),
      ),
      ...gone.map((old) => ({ category: 'tasks', key: old, remove: true as const })),
    ];
  };

  /**
   * What the hook adds; null when the checkpoint is not made, since the hook refused, failed, or added what cannot be
   * stored. The entries of the batch are written anyway, and the caller that requested the checkpoint gets the error.
   */
  const askBefore = async (
    info: CheckpointInfo,
    { asked }: Batch,
  ): Promise<Readonly<Record<string, unknown>> | null> => {
    try {
      return asStored(await ask(hooks.beforeCheckpoint, 'beforeCheckpoint', info));
    } catch (refused) {
      const vetoed = refused instanceof EngineError && refused.code === 'HOOK_VETO';
      if (asked.length === 0 && !vetoed) warnOfHook('beforeCheckpoint', refused);
      for (const one of asked) one.answer({ refused });
      return null;
    }
  };

  return {
    forBatch(batch) {
      if (batch.entries.length > 0) changed = true;
      if (services.workspace) files.take(batch.entries);
      const now = clock.now();
      const decision = decideCheckpoint(config.checkpoints.triggers, {
        events: batch.events as readonly CheckpointEvent[],
        now: now.getTime(),
        context_bytes: memory.context.bytes,
        changed,
        last,
      });
      if (!decision) return null;
      if (hooks.beforeCheckpoint || services.workspace) return make(decision, batch, now);
      const began = performance.now();
      return place(decision, batch, { now, began, added: NOTHING, captured: NO_FILES });
    },

    written() {
      if (!made) return;
      const { id, sequence_number, trigger, began } = made;
      made = undefined;
      const duration_ms = performance.now() - began;
      const context_bytes = memory.context.bytes;
      emit({ type: 'checkpoint', task, id, sequence_number, trigger, context_bytes, duration_ms });
      if (!hooks.afterCheckpoint) return;
      const info = { task, id, sequence_number, trigger };
      telling = telling.then(() => tell(hooks.afterCheckpoint, 'afterCheckpoint', info));
    },

    async now(writer, given) {
      checkMembers(phrase`The metadata of a checkpoint`, given);
      const metadata = asStored(given); // Refused to the caller, before anything is changed.
      const { promise, resolve } = Promise.withResolvers<Parameters<AskedCheckpoint['answer']>[0]>();
      await writer.write(null, { event: 'manual', asked: { metadata, answer: resolve } });
      await writer.flush();
      const made = await promise;
      if ('refused' in made) throw made.refused;
      return made.id;
    },

    hooksCalled: () => telling,

    known: () => {
      const at = lastFiles;
      return { listed, outdated, newest, snapshot: at ? async () => at.snapshot : known.snapshot };
    },

    every(write) {
      let timer: NodeJS.Timeout | undefined;
      const wait = (): void => {
        const left = untilInterval(config.checkpoints.triggers, last.at, clock.now().getTime());
        if (left === null) return;
        const ms = Math.min(Math.max(left, 1000), LONGEST_TIMER);
        timer = setTimeout(() => void write().then(wait, () => {}), ms).unref();
      };
      wait();
      return () => clearTimeout(timer);
    },
  };
}

/** A copy as it would be read again, independent of later changes by its owner; refused if it cannot be stored. */
function asStored(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return decode(encode(metadata)) as Readonly<Record<string, unknown>>;
}
