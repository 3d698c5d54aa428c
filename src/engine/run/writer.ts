/**
 * The only writer of a running task. Entries that arrive while a commit is in progress go together into the next one, with
 * any checkpoint that is due. So a step costs one sync.
 */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import { next } from '../../storage/chain.ts';
import type { NewBlob, Position, RecordWrite, Storage } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import { assertEntry, type Entry } from '../task/entries.ts';

export interface WriteOptions {
  readonly blobs?: readonly NewBlob[];
  /** What may make a checkpoint due; of several, the first counts where they are as important. */
  readonly event?: CheckpointTrigger | readonly CheckpointTrigger[];
  /** The caller that requested the checkpoint. */
  readonly asked?: AskedCheckpoint;
  /** Records that change together with the entry: the state, the head. */
  readonly records?: readonly RecordWrite[];
}

export interface AskedCheckpoint {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Its id; or why it is not made. */
  answer(made: { readonly id: string } | { readonly refused: unknown }): void;
}

/** One commit's worth, before it is made. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly events: readonly CheckpointTrigger[];
  readonly asked: readonly AskedCheckpoint[];
  readonly records: readonly RecordWrite[];
}

export interface WriterHost {
  readonly storage: Storage;
  readonly task: string;
  readonly fence: number;
  readonly durability: 'sync' | 'async' | 'exit';
  /**
   * What else goes into the commit: a due checkpoint, the state. `end` is where the journal ends with it, `queued` the
   * records that go out after it.
   */
  complete(
    batch: Batch,
    end: () => Position,
    queued: () => readonly RecordWrite[],
  ): Promise<readonly RecordWrite[]>;
  /** It is on disk. */
  written(batch: Batch, position: Position): void;
  /** Nothing more can be written: the claim is lost or the store failed. */
  failed(error: unknown): void;
}

export interface Writer {
  /** Resolves when it is as durable as the task asks for: on the disk (`sync`), or taken (`async`, `exit`). */
  write(entry: Entry | null, options?: WriteOptions): Promise<void>;
  /** Resolves when everything taken so far is on the disk. */
  flush(): Promise<void>;
  position(): Position;
}

interface Waiting {
  readonly entry: Entry | null;
  /** The entry, encoded. */
  readonly text: string;
  readonly options: WriteOptions;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The run keeps the values of these, which must not change with their owner's object. */
const HELD: ReadonlySet<Entry['t']> = new Set(['set', 'verified', 'wait', 'answer']);

/** Entries in one commit at most: what is read is verified a commit at a time. */
const LARGEST_BATCH = 500;

export function createWriter(host: WriterHost, start: Position): Writer {
  let position = start;
  let queue: Waiting[] = [];
  let pumping: Promise<void> | null = null;
  let broken: { error: unknown } | undefined;

  const pump = async (): Promise<void> => {
    while (queue.length > 0 && !broken) {
      const taken = queue.slice(0, LARGEST_BATCH);
      queue = queue.slice(LARGEST_BATCH);
      try {
        await commit(taken);
        for (const { resolve } of taken) resolve();
      } catch (error) {
        broken = { error };
        host.failed(error);
        for (const { reject } of [...taken, ...queue]) reject(error);
        queue = [];
      }
    }
    pumping = null;
  };

  const commit = async (taken: readonly Waiting[]): Promise<void> => {
    const blobs = taken.flatMap(({ options }) => options.blobs ?? []);
    if (blobs.length > 0) await host.storage.putBlobs(host.task, blobs);
    const batch: Batch = {
      entries: taken.flatMap(({ entry }) => entry ?? []),
      events: taken.flatMap(({ options }) => options.event ?? []),
      asked: taken.flatMap(({ options }) => options.asked ?? []),
      records: newest(taken.flatMap(({ options }) => options.records ?? [])),
    };
    const end = (): Position =>
      taken.reduce((at, { entry, text }) => (entry === null ? at : next(at, text)), position);
    const texts = taken.flatMap(({ entry, text }) => (entry === null ? [] : text));
    const queued = () => queue.flatMap(({ options }) => options.records ?? []);
    const more = await host.complete(batch, end, queued);
    const records = newest([...batch.records, ...more]);
    if (batch.entries.length === 0 && records.length === 0) return;
    const receipt = await host.storage.commit({
      task: host.task,
      fence: host.fence,
      records,
      ...(batch.entries.length > 0 ? { append: { after: position, texts } } : {}),
    });
    position = receipt.position ?? position;
    host.written(batch, position);
  };

  const run = (): Promise<void> => {
    pumping ??= Promise.resolve().then(pump);
    return pumping;
  };

  /**
   * Encoded before it is queued: a value that cannot be stored is refused to its caller and affects nothing else, and later
   * changes by its owner are not stored.
   */
  const enqueue = (entry: Entry | null, options: WriteOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      if (entry) assertEntry(entry);
      const text = entry === null ? '' : encode(entry);
      const taken = entry && HELD.has(entry.t) ? (decode(text) as Entry) : entry;
      if (broken) reject(broken.error);
      else queue.push({ entry: taken, text, options, resolve, reject });
    });

  return {
    write(entry, options = {}) {
      const before = queue.length;
      const done = enqueue(entry, options);
      const refused = queue.length === before;
      if (host.durability !== 'exit') void run();
      if (refused || host.durability === 'sync') return done;
      done.catch(() => {}); // The failure reaches the task through `failed`, and the next write or flush.
      return Promise.resolve();
    },
    async flush() {
      while (queue.length > 0 || pumping) await run();
      if (broken) throw broken.error;
    },
    position: () => position,
  };
}

/** Of several writes of one record in one commit, the last one counts. */
function newest(records: readonly RecordWrite[]): RecordWrite[] {
  return [...new Map(records.map((record) => [`${record.category}/${record.key}`, record])).values()];
}
