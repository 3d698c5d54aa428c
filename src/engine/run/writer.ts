/**
 * The only writer of a running task. Entries that arrive while a commit is in progress go together into the next one, with
 * any checkpoint that is due. So a step costs one sync.
 */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import { next } from '../../storage/chain.ts';
import type { Claim, NewBlob, Position, RecordWrite } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import type { Services } from '../api/services.ts';
import { assertEntry, type Entry } from '../task/entries.ts';
import type { Mark } from '../task/mark.ts';
import { type Memory, rememberDone } from '../task/memory.ts';
import { keyOf } from '../task/records/kind.ts';
import { STATE } from '../task/records/state.ts';
import type { Answers } from './answers.ts';
import type { Checkpointing } from './checkpointing.ts';
import type { LiveState } from './live-state.ts';
import type { AskedCheckpoint, Batch, WriteOptions, Writer } from './writing.ts';

/** What a commit takes in, and who is told once it is made. */
interface Written {
  readonly claim: Claim;
  readonly durability: 'sync' | 'async' | 'exit';
  readonly memory: Memory;
  readonly checkpointing: Checkpointing;
  readonly live: LiveState;
  readonly answers: Answers;
  /** Called when a commit was acknowledged. */
  committed(): void;
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
  const { claim, durability, memory, checkpointing, live, answers, committed } = written;
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
    const { batch, texts, blobs } = gather(taken);
    if (blobs.length > 0) await storage.putBlobs(task, blobs);
    for (const entry of batch.entries) rememberDone(memory, entry);
    const found = checkpointing.forBatch(batch);
    const due = found instanceof Promise ? await found : found;
    if (due) texts.splice(-1, 1, withMark(texts.at(-1) ?? encode(due.entry), due.mark));
    memory.seq += texts.length;
    const copy = due?.records ? await due.records(texts.reduce(next, position)) : [];
    const state = stateWith(batch);
    const more = copy.length + state.length > 0;
    const records = more ? newest([...batch.records, ...copy, ...state]) : batch.records;
    if (texts.length === 0 && records.length === 0) return;
    const what = { task, fence, records };
    const append = { after: position, texts };
    const receipt = await storage.commit(texts.length > 0 ? { ...what, append } : what);
    position = receipt.position ?? position;
    committed();
    for (const one of batch.entries) if (one.t === 'answer' && one.message) answers.settled(one.message);
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

/** What was taken together, in order. */
function gather(taken: readonly Waiting[]): { batch: Batch; texts: string[]; blobs: NewBlob[] } {
  const texts: string[] = [];
  const blobs: NewBlob[] = [];
  const entries: Entry[] = [];
  const events: CheckpointTrigger[] = [];
  const asked: AskedCheckpoint[] = [];
  const records: RecordWrite[] = [];
  for (const { entry, text, options } of taken) {
    if (entry !== null) {
      entries.push(entry);
      texts.push(text);
    }
    if (options.blobs) blobs.push(...options.blobs);
    if (typeof options.event === 'string') events.push(options.event);
    else if (options.event) events.push(...options.event);
    if (options.asked) asked.push(options.asked);
    if (options.records) records.push(...options.records);
  }
  return { batch: { entries, events, asked, records: newest(records) }, texts, blobs };
}

/** Of several writes of one record in one commit, the last one counts. */
function newest(records: readonly RecordWrite[]): readonly RecordWrite[] {
  if (records.length < 2) return records;
  return [...new Map(records.map((record) => [`${record.category}/${record.key}`, record])).values()];
}

/** An encoded entry with its mark: encoded once, before it was known that a checkpoint is due. */
function withMark(text: string, mark: Mark): string {
  return `${text.slice(0, -1)},"mark":${encode(mark)}}`;
}
