/** What only the key can tell: whether everything opens, in its place. After what the inner store finds without it. */
import { CorruptError } from '../../errors.ts';
import type { Done } from '../../system/progress.ts';
import type { Problem, Storage } from '../contract.ts';
import { everyTask, keysIn } from '../walk.ts';
import type { Blobs } from './blobs.ts';
import type { Journal } from './journal.ts';
import { KEYS } from './names.ts';
import { isOwnRecord } from './own-records.ts';
import type { Records } from './records.ts';

interface Parts {
  readonly inner: Storage;
  readonly records: Records;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly assertFresh: (task: string) => Promise<unknown>;
  readonly at: Done | undefined;
}

export async function* verifySealed(parts: Parts): AsyncGenerator<Problem> {
  const { inner, at } = parts;
  const damaged = new Set<string | null>();
  for await (const problem of inner.verify(at)) {
    if (problem.code !== 'STORE_MOVING') damaged.add(problem.task);
    yield problem;
  }
  if (!damaged.has(null)) {
    yield* verifyOutside(parts);
    yield* verifyBlobs(parts, null);
  }
  const tasks = await Array.fromAsync(everyTask(inner));
  for (const [done, task] of tasks.entries()) {
    at?.(done, tasks.length);
    if (!damaged.has(task)) yield* verifyTask(parts, task);
  }
}

async function* verifyOutside({ inner, records }: Parts): AsyncGenerator<Problem> {
  for (const category of await inner.categories())
    for (const key of category === KEYS ? [] : await keysIn(inner, category))
      yield* problemsOf(null, `${category}/${key}`, () => records.get(category, key));
}

async function* verifyTask(parts: Parts, task: string): AsyncGenerator<Problem> {
  const { inner, records, journal, assertFresh } = parts;
  for (const key of await keysIn(inner, 'tasks', `${task}/`)) {
    if (!isOwnRecord('tasks', key)) yield* problemsOf(task, `tasks/${key}`, () => records.get('tasks', key));
  }
  // Not what the inner store could repair: it has found nothing wrong.
  yield* problemsOf(task, 'sealed entries', async () => {
    for await (const _ of journal.read(task));
    await assertFresh(task);
  });
  yield* verifyBlobs(parts, task);
}

async function* verifyBlobs({ blobs }: Parts, task: string | null): AsyncGenerator<Problem> {
  for await (const { id } of blobs.listBlobs(task))
    yield* problemsOf(task, id, () => blobs.getBlob(task, id));
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
