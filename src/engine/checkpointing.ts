/** The checkpoints of a running task: deciding when one is due, making it, and keeping their number in bounds. */
import { type CheckpointTrigger, checkpointId, checkpointKey } from '../checkpoint/record.ts';
import { storeCheckpoint } from '../checkpoint/stored.ts';
import { thin } from '../checkpoint/thin.ts';
import {
  type CheckpointEvent,
  decideCheckpoint,
  type TriggerDecision,
  untilInterval,
} from '../checkpoint/triggers.ts';
import { EngineError } from '../errors.ts';
import type { Position, RecordWrite } from '../storage/contract.ts';
import { encode } from '../storage/serialize.ts';
import { checkpointBody, type Subject } from './capture.ts';
import type { CheckpointPlace } from './checkpoints.ts';
import { ask } from './hooks.ts';
import type { Batch, Writer } from './writer.ts';

export interface Checkpointing {
  /** The records of a checkpoint that is due with this batch: itself, and the removal of those it thins out. */
  forBatch(batch: Batch, end: () => Position): Promise<RecordWrite[]>;
  /** What was made last is on the disk. */
  written(): Promise<void>;
  /** A checkpoint now; answers its id, HOOK_VETO when a hook refused it. */
  now(writer: Writer, metadata: Readonly<Record<string, unknown>>): Promise<string>;
  /** Looks at the clock from time to time; answers how to stop that. */
  every(write: () => Promise<void>): () => void;
}

export function createCheckpointing(subject: Subject, existing: readonly CheckpointPlace[]): Checkpointing {
  const { host, head, memory } = subject;
  const { config, clock, hooks, emit } = host;
  const task = head.task_id;
  let places = [...existing];
  let last = { at: clock.now().getTime(), context_bytes: memory.context.bytes };
  let changed = false;
  let made: { id: string; sequence_number: number; trigger: CheckpointTrigger; began: number } | undefined;
  let vetoed: EngineError | undefined;
  let metadataForNext: Readonly<Record<string, unknown>> = {};

  const make = async (decision: TriggerDecision, end: Position): Promise<RecordWrite[]> => {
    const began = performance.now();
    const now = clock.now();
    const sequence = Math.max(places.at(-1)?.sequence ?? 0, head.last_checkpoint) + 1;
    const info = { task, trigger: decision.trigger, sequence_number: sequence };
    const added = await unlessVetoed(ask(hooks.beforeCheckpoint, 'beforeCheckpoint', info));
    const metadata = { ...metadataForNext, ...added };
    metadataForNext = {};
    if (!added) return [];
    const file_changes = await host.workspace.capture(task);
    const body = checkpointBody(subject, {
      sequence,
      ...decision,
      now,
      journal: end,
      file_changes,
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
    made = { id: checkpointId(task, sequence), sequence_number: sequence, trigger: decision.trigger, began };
    return [
      { category: 'tasks', key, data },
      ...removals.map((place) => ({ category: 'tasks', key: place.key, remove: true as const })),
    ];
  };

  /** What is vetoed is the checkpoint, not what it was to come with. */
  const unlessVetoed = async <T>(asking: Promise<T>): Promise<T | null> => {
    vetoed = undefined;
    try {
      return await asking;
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'HOOK_VETO') throw error;
      vetoed = error;
      return null;
    }
  };

  return {
    async forBatch(batch, end) {
      if (batch.entries.length > 0) changed = true;
      const decision = decideCheckpoint(config.checkpoints.triggers, {
        events: batch.events as readonly CheckpointEvent[],
        now: clock.now().getTime(),
        context_bytes: memory.context.bytes,
        changed,
        last,
      });
      return decision ? make(decision, end()) : [];
    },

    async written() {
      if (!made) return;
      const { began, ...rest } = made;
      made = undefined;
      const info = { task, ...rest };
      emit({ type: 'checkpoint', ...info, duration_ms: performance.now() - began });
      await hooks.afterCheckpoint?.(info);
    },

    async now(writer, metadata) {
      encode(metadata); // Refused to whoever asked, before anything is touched.
      metadataForNext = { ...metadataForNext, ...metadata };
      await writer.write(null, { event: 'manual' });
      await writer.flush();
      if (vetoed) throw vetoed;
      return checkpointId(task, places.at(-1)!.sequence);
    },

    every(write) {
      let timer: NodeJS.Timeout | undefined;
      const wait = (): void => {
        const left = untilInterval(config.checkpoints.triggers, last.at, clock.now().getTime());
        if (left === null) return;
        timer = setTimeout(() => void write().then(wait, () => {}), Math.max(left, 1000)).unref();
      };
      wait();
      return () => clearTimeout(timer);
    },
  };
}
