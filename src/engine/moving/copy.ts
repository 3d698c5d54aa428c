/** Copies a store to another: every task with its journal, records and blobs, and everything outside tasks. */
import { parseConfig } from '../../config/load.ts';
import type { CheckpointsConfig, ConfigInput } from '../../config/types.ts';
import { InvalidInputError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { KEYS, MOVED_FROM, MOVING } from '../../storage/encrypted/names.ts';
import { everyTask, keysIn } from '../../storage/walk.ts';
import { type OnProgress, type Tracking, trackProgress } from '../../system/progress.ts';
import { copyBlobs } from './blobs.ts';
import { assertSame } from './compare.ts';
import { copyCuts, copyJournal } from './journal.ts';
import { copyOutside, copyTaskRecords, parentsFirst } from './records.ts';

export interface Copied {
  readonly tasks: number;
  readonly entries: number;
  readonly records: number;
  readonly blobs: number;
}

export interface CopyOptions {
  /** The limits of checkpoints are taken from it. */
  readonly config?: ConfigInput;
  /** Called with the number of copied tasks, `of` the total. */
  readonly onTask?: (done: number, of: number) => void;
  /** Called with its progress, comparing included. */
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/**
 * Copies everything from one open store to another that is not in use yet, and compares the two. Tasks keep their ids and
 * entries their numbers; hashes, fences and revisions are new. TASK_OWNED while a task runs. After an interruption, calling
 * it again continues, if nothing was written to the first store in the meantime.
 */
export async function copyStorage(from: Storage, to: Storage, options: CopyOptions = {}): Promise<Copied> {
  const { checkpoints } = parseConfig(options.config ?? {});
  await refuseOwnKeys(from);
  const claims = await holdAll(from);
  try {
    return await copyHeld(from, to, claims, checkpoints, options);
  } finally {
    for (const claim of claims) await claim.release();
  }
}

/** The same for a caller that has claimed every task. */
export async function copyHeld(
  from: Storage,
  to: Storage,
  claims: readonly Claim[],
  config: CheckpointsConfig,
  { onTask, onProgress, signal }: Pick<CopyOptions, 'onTask' | 'onProgress' | 'signal'>,
): Promise<Copied> {
  const progress = trackProgress(onProgress);
  try {
    return await copyTracked(from, to, claims, config, { onTask, signal, progress });
  } finally {
    progress.end();
  }
}

interface Copying {
  readonly onTask: CopyOptions['onTask'] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly progress: Tracking;
}

async function copyTracked(
  from: Storage,
  to: Storage,
  claims: readonly Claim[],
  config: CheckpointsConfig,
  { onTask, signal, progress }: Copying,
): Promise<Copied> {
  const assertGoing = (): void => {
    signal?.throwIfAborted();
    for (const { lost } of claims) lost.throwIfAborted();
  };
  const tasks = await parentsFirst(
    from,
    claims.map(({ task }) => task),
  );
  progress.at('copy', 0, tasks.length);
  let [entries, records, blobs] = [0, 0, await copyBlobs(from, to, null)];
  for (const [index, task] of tasks.entries()) {
    assertGoing();
    progress.at('copy', index, tasks.length);
    const claim = await to.claim(task);
    try {
      blobs += await copyBlobs(from, to, task);
      await copyJournal(from, to, claim);
      records += await copyTaskRecords(from, to, claim, config);
    } finally {
      await claim.release();
    }
    entries += (await from.position(task)).seq;
    onTask?.(index + 1, tasks.length);
  }
  records += await copyOutside(from, to);
  // Only now: until then records of other tasks may need the hash of an entry that is cut.
  for (const task of tasks) await copyCuts(from, to, task);
  assertGoing();
  await assertSame(from, to, tasks, config, progress.of('compare'));
  assertGoing();
  return { tasks: tasks.length, entries, records, blobs };
}

/** Throws TASK_OWNED with all running tasks. */
export async function refuseRunning(store: Storage): Promise<void> {
  const running: Running[] = [];
  for await (const task of everyTask(store)) {
    const owner = await store.owner(task);
    if (owner) running.push({ task, holder: owner.holder });
  }
  if (running.length > 0) throw stillRunning(running);
}

interface Running {
  readonly task: string;
  readonly holder: string;
}

/** Claims every task; throws TASK_OWNED with those that cannot be claimed, and then claims none. */
export async function holdAll(store: Storage): Promise<Claim[]> {
  const claims = new Map<string, Claim>();
  const running: Running[] = [];
  try {
    for (let more = true; more && running.length === 0; ) {
      more = false;
      for await (const task of everyTask(store)) {
        if (claims.has(task)) continue;
        more = true;
        try {
          claims.set(task, await store.claim(task));
        } catch (error) {
          if (!(error instanceof OwnershipError)) throw error;
          running.push({ task, holder: (await store.owner(task))?.holder ?? String(error.data.holder) });
        }
      }
    }
    if (running.length > 0) throw stillRunning(running);
    return [...claims.values()];
  } catch (error) {
    for (const claim of claims.values()) await claim.release();
    throw error;
  }
}

/** Records of an unencrypted store in the category that an encrypted one uses for its keys could not be copied. */
export async function refuseOwnKeys(from: Storage): Promise<void> {
  if (from.encrypted || !(await from.categories()).includes(KEYS)) return;
  const others = (await keysIn(from, KEYS)).filter((key) => key !== MOVING && key !== MOVED_FROM);
  if (others.length === 0) return;
  throw new InvalidInputError(
    'INVALID_KEY',
    phrase`The record ${KEYS}/${others[0]} cannot be in an encrypted store.`,
    {
      data: { category: KEYS, keys: others },
      hint: phrase`Save it under another category than "${KEYS}". Nothing was changed.`,
    },
  );
}

function stillRunning(running: readonly Running[]): OwnershipError {
  const names = running.map(({ task, holder }) => `${task} (${holder})`).join(', ');
  return new OwnershipError('TASK_OWNED', phrase`Tasks are running: ${names}.`, {
    data: { tasks: running.map(({ task }) => task), task: running[0]!.task, holder: running[0]!.holder },
    hint: phrase`Pause them, or wait until they are done; then try again. Nothing was changed.`,
  });
}
