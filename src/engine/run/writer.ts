/**
 * The only writer of a running task. Entries that arrive while a commit is in progress go together into the next one, with
 * any checkpoint that is due. So a step costs one sync.
 */
import { next } from '../../storage/chain.ts';
import type { Claim, Position, RecordWrite } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import type { Services } from '../api/services.ts';
import { assertEntry, type Entry } from '../task/entries.ts';
import { type Memory, rememberDone } from '../task/memory.ts';
import { keyOf } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';
import type { Answers } from './answers.ts';
import type { Checkpointing } from './checkpointing.ts';
import type { LiveState } from './live-state.ts';
import type { Batch, WriteOptions, Writer } from './writing.ts';

/** What a commit takes in, and who is told once it is made. */
export interface Written {
  readonly claim: Claim;
  readonly durability: 'sync' | 'async' | 'exit';
  readonly memory: Memory;
  readonly checkpointing: Checkpointing;
  readonly live: LiveState;
  readonly answers: Answers;
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

export function createWriter({ storage }: Services, written: Written, start: Position): Writer {
  const { claim, durability, memory, checkpointing, live, answers } = written;
  const { task, fence } = claim;
  const failed = new AbortController();
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
        failed.abort(error);
        for (const { reject } of [...taken, ...queue]) reject(error);
        queue = [];
      }
    }
    pumping = null;
  };

  const commit = async (taken: readonly Waiting[]): Promise<void> => {
    const blobs = taken.flatMap(({ options }) => options.blobs ?? []);
    if (blobs.length > 0) await storage.putBlobs(task, blobs);
    const batch: Batch = {
      entries: taken.flatMap(({ entry }) => entry ?? []),
      events: taken.flatMap(({ options }) => options.event ?? []),
      asked: taken.flatMap(({ options }) => options.asked ?? []),
      records: newest(taken.flatMap(({ options }) => options.records ?? [])),
    };
    const end = (): Position =>
      taken.reduce((at, { entry, text }) => (entry === null ? at : next(at, text)), position);
    const texts = taken.flatMap(({ entry, text }) => (entry === null ? [] : text));
    for (const entry of batch.entries) rememberDone(memory, entry);
    memory.seq += batch.entries.length;
    const due = await checkpointing.forBatch(batch, end);
    const records = newest([...batch.records, ...due, ...stateWith(batch)]);
    if (batch.entries.length === 0 && records.length === 0) return;
    const receipt = await storage.commit({
      task,
      fence,
      records,
      ...(batch.entries.length > 0 ? { append: { after: position, texts } } : {}),
    });
    position = receipt.position ?? position;
    answers.settled(batch.entries.flatMap((one) => (one.t === 'answer' ? (one.message ?? []) : [])));
    checkpointing.written();
  };

  const isState = ({ key }: RecordWrite): boolean => key === keyOf(STATE, task);
  /** The state, where it is to be shown and does not change with the batch. */
  const stateWith = (batch: Batch): RecordWrite[] => {
    if (batch.records.some(isState)) {
      live.shown();
      return [];
    }
    // A later transition is not shown before its entry is in the journal.
    const moves = queue.some(({ options }) => options.records?.some(isState));
    return moves ? [] : live.withCommit(() => write(null));
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

  const write: Writer['write'] = (entry, options = {}) => {
    const before = queue.length;
    const done = enqueue(entry, options);
    const refused = queue.length === before;
    if (durability !== 'exit') void run();
    if (refused || durability === 'sync') return done;
    done.catch(() => {}); // The failure reaches the task through `failed`, and the next write or flush.
    return Promise.resolve();
  };

  return {
    write,
    failed: failed.signal,
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
