/** The checkpoints of a running task: decides when one is due, makes it, and limits their number. */

import { thin } from '../../checkpoint/cleanup/thin.ts';
import { type CheckpointTrigger, checkpointKey } from '../../checkpoint/record/record.ts';
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
import { checkMembers } from '../api/checks.ts';
import { ask, type CheckpointInfo, tell, warnOfHook } from '../api/hooks.ts';
import { LONGEST_TIMER } from '../api/timers.ts';
import { createFileCapture } from '../files/capture.ts';
import { type CheckpointPlace, tryCheckpoint } from '../task/records/checkpoints.ts';
import { checkpointBody, type Subject } from './checkpoint-body.ts';
import type { AskedCheckpoint, Batch, Writer } from './writing.ts';

export interface Checkpointing {
  /** The records of a checkpoint that is due with this batch: itself, and the removal of those it thins out. */
  forBatch(batch: Batch, end: () => Position): Promise<RecordWrite[]>;
  /** The last one made is on disk. */
  written(): void;
  /** Makes a checkpoint now; returns its id, or throws HOOK_VETO if a hook refused it. */
  now(writer: Writer, metadata: Readonly<Record<string, unknown>>): Promise<string>;
  /** Checks the clock from time to time; returns a function that stops it. */
  every(write: () => Promise<void>): () => void;
  /** Resolves when the hook was called for all that were made. */
  told(): Promise<void>;
}

export function createCheckpointing(subject: Subject, existing: readonly CheckpointPlace[]): Checkpointing {
  const { host, head, memory } = subject;
  const { config, clock, hooks, emit } = host;
  const task = head.task_id;
  let places = [...existing];
  const files = createFileCapture(host.workspace, memory, async () => {
    const newest = existing.at(-1);
    const found = newest && (await tryCheckpoint(host.storage, task, newest));
    return found && 'record' in found ? found.record.snapshot : undefined;
  });
  let last = { at: clock.now().getTime(), context_bytes: memory.context.bytes };
  let changed = false;
  let made: { id: string; sequence_number: number; trigger: CheckpointTrigger; began: number } | undefined;
  /** One after the other, in the background: a task does not wait for the hook. */
  let telling: Promise<void> = Promise.resolve();

  const make = async (decision: TriggerDecision, batch: Batch, end: Position): Promise<RecordWrite[]> => {
    const began = performance.now();
    const now = clock.now();
    const sequence = Math.max(places.at(-1)?.sequence ?? 0, head.last_checkpoint) + 1;
    const added = await askBefore({ task, trigger: decision.trigger, sequence_number: sequence }, batch);
    if (!added) return [];
    const metadata = Object.assign({}, ...batch.asked.map((asked) => asked.metadata), added);
    const captured = await files.now(batch.events.includes('end'));
    const body = checkpointBody(subject, {
      sequence,
      ...decision,
      now,
      journal: end,
      ...captured,
      metadata,
    });
    const key = checkpointKey(task, body.created_at, sequence);
    const { data, blobs } = storeCheckpoint(body, config.checkpoints, 'packed');
    if (blobs.length > 0) await host.storage.putBlobs(task, blobs);
    places = [...places, { sequence, key }];
    const { max_per_task, sample_every } = config.cleanup;
    const gone = new Set(
      thin(
        places.map((place) => place.sequence),
        max_per_task,
        sample_every,
      ),
    );
    const removals = places.filter((place) => gone.has(place.sequence));
    places = places.filter((place) => !gone.has(place.sequence));
    last = { at: now.getTime(), context_bytes: memory.context.bytes };
    changed = false;
    made = { id: body.id, sequence_number: sequence, trigger: decision.trigger, began };
    for (const asked of batch.asked) asked.answer(made);
    return [
      { category: 'tasks', key, data },
      ...removals.map((place) => ({ category: 'tasks', key: place.key, remove: true as const })),
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
      if (!hooks.beforeCheckpoint) return {};
      return asStored(await ask(hooks.beforeCheckpoint, 'beforeCheckpoint', info));
    } catch (refused) {
      const vetoed = refused instanceof EngineError && refused.code === 'HOOK_VETO';
      if (asked.length === 0 && !vetoed) warnOfHook('beforeCheckpoint', refused);
      for (const one of asked) one.answer({ refused });
      return null;
    }
  };

  return {
    async forBatch(batch, end) {
      if (batch.entries.length > 0) changed = true;
      files.take(batch.entries);
      const decision = decideCheckpoint(config.checkpoints.triggers, {
        events: batch.events as readonly CheckpointEvent[],
        now: clock.now().getTime(),
        context_bytes: memory.context.bytes,
        changed,
        last,
      });
      return decision ? make(decision, batch, end()) : [];
    },

    written() {
      if (!made) return;
      const { began, ...rest } = made;
      made = undefined;
      const info = { task, ...rest };
      emit({ type: 'checkpoint', ...info, duration_ms: performance.now() - began });
      if (hooks.afterCheckpoint)
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

    told: () => telling,

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
