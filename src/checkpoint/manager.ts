/** Creates, loads and lists checkpoints in any store, with or without a running engine. */
import { isDeepStrictEqual } from 'node:util';
import { strictSchema } from '../config/schema.ts';
import type { Config } from '../config/types.ts';
import { CorruptError } from '../errors.ts';
import { type PersistenceManager, storageOf } from '../persistence/manager.ts';
import { phrase } from '../phrase.ts';
import type { Position, Storage } from '../storage/contract.ts';
import { type Clock, isoNow, systemClock } from '../system/clock.ts';
import { checkpointKey, parseCheckpointId } from '../task/keys.ts';
import {
  assertWithin,
  type ContextMode,
  countContext,
  type JournalReader,
  readContext,
} from './context/context.ts';
import type { Summariser } from './context/summary.ts';
import { putFirstBlobs } from './creating.ts';
import { ifWhole, isCheckpointId, taskOf } from './given.ts';
import { isLoaded, noteLoaded, validateElsewhere, withProblem } from './loaded.ts';
import {
  type CheckpointSource,
  type CollectContext,
  type ListOptions,
  type LoadedWith,
  type Located,
  recordSource,
  thinnedRecords,
} from './located.ts';
import { checkNewCheckpoint, type NewCheckpoint, newCheckpointBody } from './record/new-checkpoint.ts';
import type { Checkpoint, CheckpointContext, CheckpointRecord } from './record/record.ts';
import { machineEnvironment } from './validation/machine.ts';
import {
  type CheckpointEnvironment,
  type CheckpointValidation,
  validateCheckpoint,
} from './validation/validate.ts';
import type { LoadBlob } from './values/pack.ts';
import { storeCheckpoint, unpackCheckpoint } from './values/stored.ts';

export interface CheckpointManagerOptions {
  /** Where checkpoints are found; default: their records. The engine finds those that journals mark, too. */
  readonly source?: CheckpointSource;
  /** Reads the context of a task out of its journal; the engine supplies it. Without one, contexts are empty. */
  readonly journal?: JournalReader;
  /** Where the blobs of a task are found; default: in the task itself. */
  readonly blobs?: (task: string) => LoadBlob;
  readonly config?: Pick<Config, 'checkpoints' | 'cleanup'>;
  readonly summariser?: Summariser;
  readonly clock?: Clock;
  readonly working_dir?: string;
  /** How validation queries the store and the machine; default: from the checkpoint itself. */
  readonly environment?: (
    task: string,
    checkpoint: CheckpointRecord | null,
  ) => Promise<CheckpointEnvironment>;
}

interface CheckpointSurvey {
  /** Ordered by step_index, then by number. Large values are still references; `loadCheckpoint` loads them. */
  readonly checkpoints: readonly CheckpointRecord[];
  readonly damaged: readonly DamagedCheckpoint[];
}

export interface DamagedCheckpoint {
  readonly sequence: number;
  /** The key of its record; null if only the journal has it. */
  readonly key: string | null;
  readonly problem: string;
}

export class CheckpointManager {
  readonly storage: Storage;
  readonly #options: CheckpointManagerOptions;
  readonly #config: Pick<Config, 'checkpoints' | 'cleanup'>;
  readonly #source: CheckpointSource;
  /** What is being made now, per task: numbers are given one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Default: the store that the settings name, opened at first use. */
  constructor(store?: Storage | PersistenceManager, options: CheckpointManagerOptions = {}) {
    this.storage = storageOf(store);
    this.#options = options;
    this.#config = options.config ?? strictSchema.parse({});
    this.#source = options.source ?? recordSource(this.storage, (task) => this.#load(task));
  }

  /** Appends nothing to the journal. Without a fence it claims the task for the duration: TASK_OWNED while the task runs. */
  async createCheckpoint(given: NewCheckpoint, { fence }: { fence?: number } = {}): Promise<Checkpoint> {
    const task = given.execution_id;
    const make = async () => {
      if (fence !== undefined) return this.#make(given, fence);
      const claim = await this.storage.claim(task);
      try {
        return await this.#make(given, claim.fence);
      } finally {
        await claim.release();
      }
    };
    const turn = (this.#turns.get(task) ?? Promise.resolve()).then(make, make);
    this.#turns.set(task, turn);
    try {
      return await this.#materialise(await turn, 'whole');
    } finally {
      if (this.#turns.get(task) === turn) this.#turns.delete(task);
    }
  }

  /** Null when there is none. CORRUPT when it, a blob of it, or its part of the journal is not what was stored. */
  async loadCheckpoint(
    id: string,
    { context = 'whole' }: { context?: ContextMode } = {},
  ): Promise<Checkpoint | null> {
    const found = context === 'none' ? null : await this.#loadAlong(id, context);
    if (found) return this.#unpacked(found.record, found.context);
    const place = await this.#find(id);
    return place && this.#materialise(await place.read(), context);
  }

  /** The same, but returns damage instead of throwing. */
  async tryCheckpoint(
    id: string,
    options: { context?: ContextMode } = {},
  ): Promise<{ checkpoint: Checkpoint | null } | { damaged: DamagedCheckpoint }> {
    const loaded = await ifWhole(() => this.loadCheckpoint(id, options));
    if (!(loaded instanceof CorruptError)) return { checkpoint: loaded };
    const { sequence, key } = (await this.#find(id))!;
    return { damaged: { sequence, key, problem: loaded.message } };
  }

  async listCheckpoints(execution_id: string, options?: ListOptions): Promise<CheckpointRecord[]> {
    return [...(await this.surveyCheckpoints(execution_id, options)).checkpoints];
  }

  /** The same, with those that are damaged and what is wrong with them. */
  async surveyCheckpoints(execution_id: string, options?: ListOptions): Promise<CheckpointSurvey> {
    const checkpoints: CheckpointRecord[] = [];
    const damaged: DamagedCheckpoint[] = [];
    for (const place of await this.#source.list(execution_id, options)) {
      const { sequence, key } = place;
      const found = await ifWhole(place.read);
      if (found instanceof CorruptError) damaged.push({ sequence, key, problem: found.message });
      else checkpoints.push(noteLoaded(found, this));
    }
    checkpoints.sort((a, b) => a.step_index - b.step_index || a.sequence_number - b.sequence_number);
    return { checkpoints, damaged };
  }

  /** The newest whose step succeeded and that can be read, context and all; `passed` is called with those it skipped. */
  async getLastSuccessfulCheckpoint(
    execution_id: string,
    options: { context?: ContextMode; passed?: (damaged: DamagedCheckpoint) => void } = {},
  ): Promise<Checkpoint | null> {
    const { checkpoints, damaged } = await this.surveyCheckpoints(execution_id);
    for (const one of damaged) options.passed?.(one);
    for (const record of checkpoints.toReversed()) {
      if (record.step_status !== 'success') continue;
      const loaded = await ifWhole(() => this.#materialise(record, options.context ?? 'whole'));
      if (!(loaded instanceof CorruptError)) return loaded;
      const place = await this.#find(record.id);
      options.passed?.({
        sequence: record.sequence_number,
        key: place?.key ?? null,
        problem: loaded.message,
      });
    }
    return null;
  }

  /** By its id: null when there is none. For a loaded checkpoint it also checks whether it is still as stored. */
  validateCheckpoint(id: string, environment?: CheckpointEnvironment): Promise<CheckpointValidation | null>;
  validateCheckpoint(
    checkpoint: Checkpoint | CheckpointRecord,
    environment?: CheckpointEnvironment,
  ): Promise<CheckpointValidation>;
  async validateCheckpoint(
    which: string | Checkpoint | CheckpointRecord,
    environment?: CheckpointEnvironment,
  ): Promise<CheckpointValidation | null> {
    const given = typeof which === 'string' ? null : which;
    const id = given ? given.id : (which as string);
    const place = given && !isCheckpointId(id) ? null : await this.#find(id);
    if (!place) return given && validateElsewhere(given, phrase`It is not in this store.`, environment);
    const found = await ifWhole(place.read);
    const damaged = found instanceof CorruptError;
    const about = environment ?? (await this.#environment(taskOf(id), damaged ? null : found));
    const validation = await validateCheckpoint(damaged ? await this.#raw(place) : found, about);
    if (damaged || !given || (await this.#isAsStored(given, found))) return validation;
    return withProblem(validation, phrase`It is not as it was stored: it was changed after it was loaded.`);
  }

  async #isAsStored(given: Checkpoint | CheckpointRecord, record: CheckpointRecord): Promise<boolean> {
    const { journal, summariser } = this.#options;
    const whole = await ifWhole(() => unpackCheckpoint(record, this.#load(record.task_id)));
    if (whole instanceof CorruptError) return true; // Missing blobs are reported separately.
    if (!isLoaded(given)) return isDeepStrictEqual(given, record);
    if (!isDeepStrictEqual({ ...given, context: null }, { ...whole, context: null })) return false;
    for (const mode of ['whole', 'trimmed', 'none'] as const) {
      const entries = await journal?.(record.task_id, record.journal);
      const context = await readContext(entries, mode, this.#config.checkpoints, summariser);
      if (isDeepStrictEqual(given.context, context)) return true;
    }
    return false;
  }

  async #make(given: NewCheckpoint, fence: number): Promise<CheckpointRecord> {
    const task = given.execution_id;
    const places = await this.#source.list(task);
    const before = await this.#newest(places);
    const journal = await this.storage.position(task);
    const sequence = (places.at(-1)?.sequence ?? 0) + 1;
    const body = newCheckpointBody(given, {
      sequence,
      at: isoNow(this.#options.clock ?? systemClock),
      journal,
      context: await this.#contextSize(task, journal, before),
      working_dir: this.#options.working_dir ?? process.cwd(),
      before,
    });
    checkNewCheckpoint(given, body);
    const { record, data, blobs } = storeCheckpoint(body, this.#config.checkpoints);
    const at = record.created_at;
    const known = places.length > 0 || journal.seq > 0;
    const noted = known ? [] : await putFirstBlobs(this.storage, task, blobs, { at, fence });
    if (known && blobs.length > 0) await this.storage.putBlobs(task, blobs);
    const key = checkpointKey(task, record.created_at, sequence);
    const removals = thinnedRecords([...places, { sequence, key }], this.#config.cleanup);
    await this.storage.commit({
      task,
      fence,
      records: [
        { category: 'tasks', key, data, expect: 0 },
        ...noted,
        ...removals.map((key) => ({ category: 'tasks', key, remove: true as const })),
      ],
    });
    return record;
  }

  async #newest(places: readonly Located[]): Promise<CheckpointRecord | null> {
    for (const place of places.toReversed()) {
      const found = await ifWhole(place.read);
      if (!(found instanceof CorruptError)) return found;
    }
    return null;
  }

  /** The journal is counted only when it grew since the checkpoint before. */
  async #contextSize(
    task: string,
    journal: Position,
    before: CheckpointRecord | null,
  ): Promise<CheckpointRecord['context']> {
    if (before && before.journal.seq === journal.seq) return before.context;
    return countContext(await this.#options.journal?.(task, journal));
  }

  async #materialise(record: CheckpointRecord, mode: ContextMode): Promise<Checkpoint> {
    const { journal, summariser } = this.#options;
    assertWithin(record, await this.storage.position(record.task_id));
    const entries = mode === 'none' ? undefined : await journal?.(record.task_id, record.journal);
    return this.#unpacked(record, await readContext(entries, mode, this.#config.checkpoints, summariser));
  }

  async #unpacked(record: CheckpointRecord, context: CheckpointContext): Promise<Checkpoint> {
    const unpacked = await unpackCheckpoint(record, this.#load(record.task_id));
    return noteLoaded({ ...unpacked, context }, this);
  }

  /** With its context in one pass over the journal, if the source can do that. */
  async #loadAlong(id: string, mode: ContextMode): Promise<LoadedWith | null> {
    const { summariser } = this.#options;
    const collect: CollectContext = (entries) =>
      readContext(entries, mode, this.#config.checkpoints, summariser);
    return (await this.#source.load?.(taskOf(id), parseCheckpointId(id)!.sequence, collect)) ?? null;
  }

  /** Null if there is no record of its own. */
  async #raw({ key }: Located): Promise<unknown> {
    return key === null ? null : this.storage.load('tasks', key);
  }

  async #find(id: string): Promise<Located | null> {
    return this.#source.find(taskOf(id), parseCheckpointId(id)!.sequence);
  }

  async #environment(task: string, checkpoint: CheckpointRecord | null): Promise<CheckpointEnvironment> {
    return this.#options.environment?.(task, checkpoint) ?? machineEnvironment(this.#load(task));
  }

  #load(task: string): LoadBlob {
    return this.#options.blobs?.(task) ?? ((id) => this.storage.getBlob(task, id));
  }
}
