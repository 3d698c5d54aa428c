/** Whether a copy is complete and equal. */
import type { CheckpointsConfig } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { keysIn } from '../../storage/walk.ts';
import type { Done } from '../../system/progress.ts';
import { hashAt, hashesIn } from '../transfer/journal.ts';
import { settleRecord } from '../transfer/settle.ts';
import { blobsOf } from './blobs.ts';
import { categoriesOf, settlingIn } from './records.ts';

/** Throws CORRUPT at the first difference, and at anything that the copy itself finds wrong. */
export async function assertSame(
  from: Storage,
  to: Storage,
  tasks: readonly string[],
  config: CheckpointsConfig,
  at: Done = () => {},
): Promise<void> {
  at(0, tasks.length);
  await assertBlobs(from, to, null);
  for (const [done, task] of tasks.entries()) {
    at(done, tasks.length);
    await assertBlobs(from, to, task);
    await assertEntries(from, to, task);
    await assertRecords(from, to, task, config);
  }
  const copied = await categoriesOf(to);
  for (const category of await categoriesOf(from)) {
    if (!copied.includes(category)) throw differs(phrase`the category ${category}`);
    for (const key of await sameKeys(from, to, category)) {
      const [one, other] = [await from.load(category, key), await to.load(category, key)];
      if (encode(one) !== encode(other)) throw differs(phrase`the record ${category}/${key}`);
    }
  }
  for await (const { message, where } of to.verify(at)) throw differs(`${where}: ${message}`);
}

async function assertEntries(from: Storage, to: Storage, task: string): Promise<void> {
  const what = phrase`the journal of task ${task}`;
  if ((await from.position(task)).seq !== (await to.position(task)).seq) throw differs(what);
  const copied = to.read(task)[Symbol.asyncIterator]();
  for await (const { seq, data } of from.read(task)) {
    const { value: other } = await copied.next();
    if (other?.seq !== seq || encode(other.data) !== encode(data))
      throw differs(phrase`entry ${seq} of task ${task}`);
  }
  if (!(await copied.next()).done) throw differs(what);
}

/** Equal except for the hashes in them, which must be those of the copied journal. */
async function assertRecords(
  from: Storage,
  to: Storage,
  task: string,
  config: CheckpointsConfig,
): Promise<void> {
  const none = { hashes: { get: () => NO_HASH }, hashOf: async () => NO_HASH, config };
  const [before, after] = [await settlingIn(from, task, none), await settlingIn(to, task, none)];
  const hashes = await hashesIn(to, task);
  const now = await settlingIn(to, task, { hashes, hashOf: (of, seq) => hashAt(to, of, seq), config });
  for (const key of await sameKeys(from, to, 'tasks', `${task}/`)) {
    const what = phrase`the record tasks/${key}`;
    const [one, other] = [await from.load('tasks', key), await to.load('tasks', key)];
    const [neutral, copied] = [await settleRecord(key, one, before), await settleRecord(key, other, after)];
    if (encode(neutral.data) !== encode(copied.data)) throw differs(what);
    if (encode((await settleRecord(key, other, now)).data) !== encode(other)) throw differs(what);
  }
}

const NO_HASH = '0'.repeat(64);

async function sameKeys(from: Storage, to: Storage, category: string, prefix?: string): Promise<string[]> {
  const keys = await keysIn(from, category, prefix);
  const copied = await keysIn(to, category, prefix);
  if (keys.length !== copied.length || keys.some((key, index) => key !== copied[index]))
    throw differs(phrase`the record at ${category}/${prefix ?? ''}`);
  return keys;
}

/**
 * The copy may have more: records of other hashes can need blobs of their own. Its bytes are verified with everything else.
 */
async function assertBlobs(from: Storage, to: Storage, task: string | null): Promise<void> {
  const copied = new Set(await blobsOf(to, task));
  for (const id of await blobsOf(from, task)) if (!copied.has(id)) throw differs(phrase`the blob ${id}`);
}

function differs(what: string): CorruptError {
  return new CorruptError(phrase`The copy differs from what is stored: ${what}.`, {
    data: { what },
    hint: phrase`The original is unchanged. Run vibe-engine doctor, then try again.`,
  });
}
