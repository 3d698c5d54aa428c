/** One task out of a store, into one file: its records, its journal, its blobs and the files its snapshots hold. */

import { isFitted, unfitRecord } from '../../checkpoint/fit.ts';
import { EngineError, InvalidInputError, IoError, OwnershipError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import { errnoOf, lstat } from '../../system/io.ts';
import { writeParts } from '../../system/streams.ts';
import { type Head, loadHead } from '../head.ts';
import { blobLoader } from '../packing.ts';
import { partsOfSnapshots } from '../snapshot-parts.ts';
import { requireTask } from '../tasks.ts';
import { type PortableContent, type PortableHeader, packLines } from './format.ts';

export interface ExportSource {
  readonly storage: Storage;
  readonly project_dir: string;
}

export interface ExportOptions {
  /** Replace a file that is there. */
  readonly replace?: boolean;
}

export interface Exported {
  readonly task: string;
  readonly file: string;
  readonly bytes: number;
  /** It, and before it those it was forked from. */
  readonly tasks: readonly string[];
  readonly entries: number;
  readonly records: number;
  readonly blobs: number;
  /** What snapshots refer to and nobody has any more: those snapshots cannot be put back from the file either. */
  readonly missing: readonly string[];
}

/** The file is in the open, also where the store is encrypted. TASK_OWNED while somebody runs it; CORRUPT where something of it cannot be read. */
export async function exportTask(
  { storage, project_dir }: ExportSource,
  task: string,
  file: string,
  { replace = false }: ExportOptions = {},
): Promise<Exported> {
  if (!replace && lstat(file)) throw there(file);
  const { head } = await requireTask(storage, task);
  const heads = await family(storage, head);
  for (const { task_id } of heads) await assertAtRest(storage, task_id);
  const ends = await Promise.all(heads.map(({ task_id }) => storage.position(task_id)));
  const first: PortableHeader = {
    format: 'vibe-engine-task',
    version: 1,
    task,
    tasks: heads.map(({ task_id }, index) => ({ task: task_id, end: ends[index]!.seq })),
    project_dir,
    exported_at: new Date().toISOString(),
  };
  const counts = { entries: 0, records: 0, blobs: 0 };
  const missing: string[] = [];
  const content = async function* (): AsyncGenerator<PortableContent> {
    for await (const line of contentOf(storage, heads, project_dir, missing)) {
      counts[COUNTED[line.t]]++;
      yield line;
    }
    for (const [index, { task_id }] of heads.entries()) {
      await assertAtRest(storage, task_id);
      if ((await storage.position(task_id)).seq !== ends[index]!.seq) throw moved(task_id);
    }
  };
  try {
    const bytes = await writeParts(file, packLines(first, content()), { replace });
    return { task, file, bytes, tasks: heads.map(({ task_id }) => task_id), ...counts, missing };
  } catch (error) {
    if (error instanceof IoError && errnoOf(error) === 'EEXIST') throw there(file, error);
    throw error;
  }
}

const COUNTED = { entry: 'entries', record: 'records', blob: 'blobs' } as const;

/** The task, and before it those whose journals it continues. */
async function family(storage: Storage, head: Head): Promise<Head[]> {
  const heads: Head[] = [];
  for (const { task } of head.lineage) {
    const ancestor = await loadHead(storage, task);
    if (ancestor) heads.push(ancestor);
  }
  return [...heads, head];
}

/** Snapshots as journals, records and checkpoints name them. */
const SNAPSHOT = /\b(?:snapshot|file)\/[0-9a-f]{64}\b/g;

/** Blobs first, as in a store: whatever names them comes after them. */
async function* contentOf(
  storage: Storage,
  heads: readonly Head[],
  project_dir: string,
  missing: string[],
): AsyncGenerator<PortableContent> {
  for (const { task_id: task } of heads)
    for await (const { id } of storage.listBlobs(task)) {
      const bytes = await storage.getBlob(task, id);
      if (bytes) yield blobLine(task, id, bytes);
    }
  const named = await snapshotsNamed(storage, heads);
  const roots = [...new Set([...heads.map(({ working_dir }) => working_dir), project_dir])];
  for await (const [id, bytes] of partsOfSnapshots(storage, named, roots)) {
    if (bytes) yield blobLine(null, id, bytes);
    else missing.push(id);
  }
  for (const { task_id } of heads) yield* storedOf(storage, task_id);
}

/** Read once to see what is named, and once to be written: journals need not fit into memory. */
async function snapshotsNamed(storage: Storage, heads: readonly Head[]): Promise<Set<string>> {
  const named = new Set<string>();
  const look = (text: string): void => {
    for (const [id] of text.matchAll(SNAPSHOT)) named.add(id);
  };
  for (const head of heads) {
    const load = blobLoader(storage, head);
    for await (const { data } of storedOf(storage, head.task_id)) {
      look(data);
      const stored = decode(data);
      if (isFitted(stored)) look(encode(await unfitRecord(stored, load)));
    }
  }
  return named;
}

type Stored = Extract<PortableContent, { data: string }>;

async function* storedOf(storage: Storage, task: string): AsyncGenerator<Stored> {
  for await (const { seq, data } of storage.read(task)) yield { t: 'entry', task, seq, data: encode(data) };
  yield* recordsOf(storage, task);
}

function blobLine(task: string | null, id: string, bytes: Uint8Array): PortableContent {
  return { t: 'blob', task, id, base64: Buffer.from(bytes).toString('base64') };
}

/** What lies at `tasks/{task}/`, and what others were told of it. Notes on work that is under way mean nothing elsewhere. */
async function* recordsOf(storage: Storage, task: string): AsyncGenerator<Stored> {
  for (const [category, prefix] of [
    ['tasks', `${task}/`],
    ['inbox', `${task}/`],
    ['history', task],
    ['conversation', `conv-auto-save-${task}`],
  ] as const) {
    let after: string | null = null;
    do {
      const page = await storage.page(category, { prefix, limit: 500, ...(after === null ? {} : { after }) });
      for (const key of page.keys) {
        if (!prefix.endsWith('/') && key !== prefix) continue;
        const data = LOCAL.has(key.slice(task.length + 1)) ? null : await storage.load(category, key);
        if (data !== null) yield { t: 'record', category, key, data: encode(data) };
      }
      after = page.next;
    } while (after !== null);
  }
}

const LOCAL: ReadonlySet<string> = new Set(['creating']);
const UNDER_WAY = ['going-back', 'rebasing'];

async function assertAtRest(storage: Storage, task: string): Promise<void> {
  const owner = await storage.owner(task);
  if (owner)
    throw new OwnershipError('TASK_OWNED', `Task ${task} is run by ${owner.holder}.`, {
      data: { task, holder: owner.holder },
      hint: 'Pause it first.',
    });
  for (const key of UNDER_WAY) {
    if ((await storage.get('tasks', `${task}/${key}`)) === null) continue;
    throw new EngineError(
      'NOT_RESUMABLE',
      `Files of task ${task} are being put back, or its branch is moved.`,
      {
        data: { task, under_way: key },
        hint: 'Resume it, or repeat what was cut off; then export it.',
      },
    );
  }
}

function moved(task: string): OwnershipError {
  return new OwnershipError('TASK_OWNED', `Task ${task} went on while it was read.`, {
    data: { task },
    hint: 'Pause it, then export it again.',
  });
}

function there(file: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError('USAGE', `There is a file ${file} already.`, {
    data: { file },
    hint: 'Name another, or say that it may be replaced.',
    ...(cause === undefined ? {} : { cause }),
  });
}
