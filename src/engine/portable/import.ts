/** Imports a task from a file into any store. The whole file is checked first; existing data is never changed. */
import { nearestFile } from '../../config/nearest-file.ts';
import type { Config } from '../../config/types.ts';
import { InvalidInputError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { lstat } from '../../system/io.ts';
import { type Doing, type Done, type OnProgress, type Tracking, tracked } from '../../system/progress.ts';
import { readParts } from '../../system/streams.ts';
import { openState } from '../../task/state.ts';
import { kindOf } from '../task/layout.ts';
import { blobLoader } from '../task/packing.ts';
import { claimTask } from '../task/records/claim.ts';
import { forkRecords } from '../task/records/forks.ts';
import { loadHead } from '../task/records/head.ts';
import { importedRecord } from '../task/records/imported.ts';
import { keyOf } from '../task/records/kind.ts';
import { enqueue } from '../task/records/queue.ts';
import { STATE } from '../task/records/state.ts';
import { blobWriter } from '../transfer/blobs.ts';
import { hashAt } from '../transfer/journal.ts';
import { movedTo, settleRecord } from '../transfer/settle.ts';
import { PORTABLE_LIMITS, type PortableLimits, unpackLines } from './format.ts';
import { importJournal, isBeginning } from './journal.ts';
import { type ReadFile, type ReadTask, readPortable } from './read.ts';

export interface ImportTarget {
  readonly storage: Storage;
  readonly config: Config;
  readonly project_dir: string;
}

export interface Imported {
  readonly task: string;
  readonly task_name: string;
  readonly status: string;
  /** It, and before it those it was forked from and that did not exist yet. */
  readonly tasks: readonly string[];
  readonly entries: number;
  readonly blobs: number;
  /** Where its code is found, as given by the process that started it. */
  readonly origin: Readonly<Record<string, unknown>> | null;
  /** Where it works; outside the project if it was outside before, which is worth checking. */
  readonly working_dir: string;
  readonly exported_at: string;
}

/** STALE_WRITE if the task exists; CORRUPT if the file is damaged. Either way nothing was changed. */
export async function importTask(
  target: ImportTarget,
  file: string,
  limits: PortableLimits = PORTABLE_LIMITS,
  onProgress?: OnProgress,
): Promise<Imported> {
  return tracked(onProgress, (progress) => importTracked(target, file, limits, progress));
}

async function importTracked(
  target: ImportTarget,
  file: string,
  limits: PortableLimits,
  progress: Tracking,
): Promise<Imported> {
  const { size } = requireExport(file);
  const parts = (doing: Doing) => unpackLines(counted(readParts(file), size, progress.of(doing)), limits);
  const read = await readPortable(parts('import_check'), limits);
  const wanted = await wantedTasks(target.storage, read);
  const claims: Claim[] = [];
  try {
    for (const { task } of wanted) claims.push(await claimTask(target.storage, task));
    for (const one of wanted) await assertFree(target.storage, one);
    const blobs = await storeBlobs(
      target.storage,
      parts('import_store'),
      new Set(wanted.map(({ task }) => task)),
    );
    for (const [index, one] of wanted.entries()) await store(target, claims[index]!, one, read);
    return answerOf(read, wanted, blobs, target.project_dir);
  } finally {
    for (const claim of claims) await claim.release();
  }
}

/** Bytes of the file. */
async function* counted(parts: AsyncIterable<Uint8Array>, of: number, at: Done): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const part of parts) {
    at(done, of);
    done += part.length;
    yield part;
  }
}

/** Existing ancestors with the same history are used as they are. */
async function wantedTasks(storage: Storage, { tasks }: ReadFile): Promise<ReadTask[]> {
  const wanted: ReadTask[] = [];
  const own = tasks.at(-1)!;
  for (const one of tasks) {
    const shared = own.head.lineage.find(({ task }) => task === one.task)?.to ?? 0;
    if (!(await isThere(storage, one.task))) wanted.push(one);
    else if (one === own || !(await isBeginning(storage, one.task, one, shared))) throw taken(one.task);
  }
  return wanted;
}

async function isThere(storage: Storage, task: string): Promise<boolean> {
  return (await loadHead(storage, task)) !== null;
}

/** A journal without its task is a leftover of an interrupted import: this one continues it. */
async function assertFree(storage: Storage, one: ReadTask): Promise<void> {
  if ((await isThere(storage, one.task)) || !(await isBeginning(storage, one.task, one)))
    throw taken(one.task);
}

async function storeBlobs(
  storage: Storage,
  parts: ReturnType<typeof unpackLines>,
  wanted: ReadonlySet<string>,
): Promise<number> {
  let count = 0;
  const writer = blobWriter(storage);
  for await (const part of parts) {
    if (!('line' in part) || part.line.t !== 'blob') continue;
    const { task, id, base64 } = part.line;
    if (task !== null && !wanted.has(task)) continue;
    await writer.add({ task, id, bytes: Buffer.from(base64, 'base64') });
    count++;
  }
  await writer.end();
  return count;
}

/** The journal in parts, then everything that makes a task of it in one commit. */
async function store(
  { storage, config, project_dir }: ImportTarget,
  claim: Claim,
  one: ReadTask,
  { header, others }: ReadFile,
): Promise<void> {
  const { task, fence } = claim;
  const { head, records } = one;
  const hashes = await importJournal(storage, claim, one);
  const settling = {
    moved: movedTo(header.project_dir, project_dir),
    hashes,
    hashOf: (of: string, seq: number) => hashAt(storage, of, seq),
    load: blobLoader(storage, head),
    config: config.checkpoints,
  };
  const settled = [];
  for (const [key, data] of records) {
    const { data: stored, blobs } = await settleRecord(key, data, settling);
    if (blobs.length > 0) await storage.putBlobs(task, blobs);
    settled.push({ category: 'tasks', key, data: stored, expect: 0 });
  }
  const outside = others.filter((one) => kindOf(one.category, one.key)?.task === task);
  const protections = forkRecords(head, head.created_at);
  if (outside.length + protections.length > 0)
    await storage.commit({ task: null, records: [...protections, ...outside] });
  const state = openState(records.get(keyOf(STATE, task)), encode);
  if (state.status === 'queued') await enqueue(storage, state.data);
  const note = importedRecord(task, new Date().toISOString(), header.exported_at);
  await storage.commit({ task, fence, records: [...settled, note] });
}

function answerOf(
  { header, tasks }: ReadFile,
  wanted: readonly ReadTask[],
  blobs: number,
  project_dir: string,
): Imported {
  const { head, records } = tasks.at(-1)!;
  return {
    task: header.task,
    task_name: head.task_name,
    status: openState(records.get(keyOf(STATE, header.task)), encode).status,
    tasks: wanted.map(({ task }) => task),
    entries: wanted.reduce((sum, { entries }) => sum + entries.size, 0),
    blobs,
    origin: head.origin ?? null,
    working_dir: movedTo(header.project_dir, project_dir)(head.working_dir),
    exported_at: header.exported_at,
  };
}

function taken(task: string): StaleWriteError {
  return new StaleWriteError(phrase`Task ${task} exists here already, or did once.`, {
    data: { task },
    hint: phrase`Nothing was changed. Use the one that is here, or import it into another project.`,
  });
}

/** Checked before a store is opened, which would create one. */
export function requireExport(file: string): { readonly size: number } {
  const there = lstat(file);
  if (!there) throw noFile(file);
  return there;
}

function noFile(file: string): InvalidInputError {
  const near = nearestFile(file);
  return new InvalidInputError('USAGE', phrase`There is no file ${file}.`, {
    data: { file },
    hint: phrase`${near === undefined ? '' : `Did you mean "${near}"? `}Name a file that "export" wrote.`,
  });
}
