/** Verifies and measures a store by reading all of it, for back ends without a better way. */
import { CorruptError } from '../errors.ts';
import type { Done } from '../system/progress.ts';
import type { Problem, Storage } from './contract.ts';
import { encode } from './serialize.ts';
import { everyTask, keysIn } from './walk.ts';

/** What of a task or of the records outside tasks (null) cannot be read, or is not what was stored. */
export async function* verifyByReading(
  storage: Storage,
  at: Done | undefined,
  { isChecked = () => false, alsoCheck = async () => {}, journal = 'journal' }: Checks = {},
): AsyncGenerator<Problem> {
  if (!isChecked(null)) {
    for (const category of await storage.categories()) yield* recordsIn(storage, null, category, '');
    yield* blobsOf(storage, null);
  }
  const tasks = await Array.fromAsync(everyTask(storage));
  for (const [done, task] of tasks.entries()) {
    at?.(done, tasks.length);
    if (isChecked(task)) continue;
    yield* recordsIn(storage, task, 'tasks', `${task}/`);
    yield* problemsOf(task, journal, async () => {
      for await (const _ of storage.read(task));
      await alsoCheck(task);
    });
    yield* blobsOf(storage, task);
  }
}

interface Checks {
  /** What need not be read. */
  readonly isChecked?: (task: string | null) => boolean;
  /** With a task's journal. */
  readonly alsoCheck?: (task: string) => Promise<unknown>;
  /** What a journal is called where it is found damaged. */
  readonly journal?: string;
}

async function* recordsIn(storage: Storage, task: string | null, category: string, prefix: string) {
  for (const key of await keysIn(storage, category, prefix))
    yield* problemsOf(task, `${category}/${key}`, () => storage.get(category, key));
}

async function* blobsOf(storage: Storage, task: string | null): AsyncGenerator<Problem> {
  for await (const { id } of storage.listBlobs(task))
    yield* problemsOf(task, id, () => storage.getBlob(task, id));
}

async function* problemsOf(
  task: string | null,
  where: string,
  read: () => Promise<unknown>,
): AsyncGenerator<Problem> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
    yield { code: error.code, message: error.message, task, where };
  }
}

/** About: what was cut is not seen. */
export async function sizeByReading(storage: Storage): Promise<number> {
  let bytes = 0;
  const weigh = (data: unknown): void => {
    bytes += Buffer.byteLength(encode(data));
  };
  const weighRecords = async (category: string, prefix = ''): Promise<void> => {
    for (const key of await keysIn(storage, category, prefix)) weigh(await storage.load(category, key));
  };
  const weighBlobs = async (task: string | null): Promise<void> => {
    for await (const { size } of storage.listBlobs(task)) bytes += size;
  };
  for (const category of await storage.categories()) await weighRecords(category);
  await weighBlobs(null);
  for await (const task of everyTask(storage)) {
    await weighRecords('tasks', `${task}/`);
    for await (const { data } of storage.read(task)) weigh(data);
    await weighBlobs(task);
  }
  return bytes;
}
