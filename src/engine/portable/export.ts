/** Exports one task to one file: its records, its journal, its blobs and the files its snapshots hold. */
import { hash } from 'node:crypto';
import { EngineError, InvalidInputError, IoError, OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { decode, encode } from '../../storage/serialize.ts';
import { errnoOf, lstat } from '../../system/io.ts';
import { type OnProgress, type Tracking, trackProgress } from '../../system/progress.ts';
import { writeParts } from '../../system/streams.ts';
import { partsOfSnapshots } from '../files/snapshot-parts.ts';
import { hasSecret, maskSecrets } from '../secrets/detect.ts';
import { kindOf, recordsOf, snapshotsInRecord, snapshotsInText } from '../task/layout.ts';
import { blobLoader } from '../task/packing.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { type Withheld, withheldFrom, withheldKey, withheldRecord } from '../task/records/withheld.ts';
import { requireTask } from '../task/tasks.ts';
import { type PortableContent, type PortableHeader, packLines } from './format.ts';
import { type Masking, openMasking } from './masking.ts';
import { type Stored, storedOf } from './stored.ts';

export interface ExportSource {
  readonly storage: Storage;
  readonly project_dir: string;
}

export interface ExportOptions {
  /** Replace an existing file. */
  readonly replace?: boolean;
  /**
   * Mask likely secrets in texts, and leave files out that seem to contain one: a masked file would destroy the original
   * when restored. Default: false.
   */
  readonly mask?: boolean;
  /** Called with its progress. */
  readonly onProgress?: OnProgress;
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
  /** Contents that snapshots refer to and that are lost: those snapshots cannot be restored from the file either. */
  readonly missing: readonly string[];
  /** How many different secrets were masked. */
  readonly masked: number;
  /** Files left out because they seem to contain a secret, now or in an earlier export. */
  readonly withheld: readonly Withheld[];
}

/**
 * The file is not encrypted, even if the store is. TASK_OWNED while the task runs; CORRUPT where something of it cannot be
 * read.
 */
export async function exportTask(
  { storage, project_dir }: ExportSource,
  task: string,
  file: string,
  { replace = false, mask = false, onProgress }: ExportOptions = {},
): Promise<Exported> {
  const existing = lstat(file);
  if (existing && !replace) throw there(file);
  if (existing && !existing.isFile()) throw noPlainFile(file);
  const { head } = await requireTask(storage, task);
  const heads = await family(storage, head);
  for (const { task_id } of heads) {
    await assertAtRest(storage, task_id);
    if (mask && hasSecret(task_id)) throw cannotMask(task_id);
  }
  const ends = await Promise.all(heads.map(({ task_id }) => storage.position(task_id)));
  const first: PortableHeader = {
    format: 'vibe-engine-task',
    version: 1,
    task,
    tasks: heads.map(({ task_id }, index) => ({ task: task_id, end: ends[index]!.seq })),
    project_dir: mask ? maskSecrets(project_dir) : project_dir,
    exported_at: new Date().toISOString(),
  };
  const masking = mask ? openMasking() : null;
  const counts = { entries: 0, records: 0, blobs: 0 };
  const progress = trackProgress(onProgress);
  let written = 0;
  const left: LeftOut = { missing: [], withheld: [] };
  const content = async function* (): AsyncGenerator<PortableContent> {
    for await (const line of contentOf({ storage, heads, project_dir, masking, left, progress })) {
      progress.at('export_write', written++);
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
    return {
      task,
      file,
      bytes,
      tasks: heads.map(({ task_id }) => task_id),
      ...counts,
      ...left,
      masked: masking?.count() ?? 0,
    };
  } catch (error) {
    if (error instanceof IoError && errnoOf(error) === 'EEXIST') throw there(file, error);
    throw error;
  } finally {
    progress.end();
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

interface Source {
  readonly storage: Storage;
  readonly heads: readonly Head[];
  readonly project_dir: string;
  /** Null if everything is exported as it is. */
  readonly masking: Masking | null;
  readonly left: LeftOut;
  readonly progress: Tracking;
}

interface LeftOut {
  readonly missing: string[];
  readonly withheld: Withheld[];
}

/** Blobs first, as in a store: references come after them. */
async function* contentOf(source: Source): AsyncGenerator<PortableContent> {
  const { storage, heads, project_dir, masking, left } = source;
  const named = await snapshotsNamed(source);
  for (const head of heads) {
    const { task_id: task } = head;
    const load = blobLoader(storage, head);
    for await (const { id } of storage.listBlobs(task)) {
      const bytes = await storage.getBlob(task, id);
      const masked = bytes && masking ? await masking.blob(id, bytes, load) : null;
      if (masked) yield blobLine(task, `${masked.kind}/${hash('sha256', masked.bytes)}`, masked.bytes);
      else if (bytes && !masking) yield blobLine(task, id, bytes);
    }
  }
  const roots = [...new Set([project_dir, ...heads.map(({ working_dir }) => working_dir)])];
  const before = new Set<string>();
  for (const { task_id } of heads) for (const id of await withheldFrom(storage, task_id)) before.add(id);
  for await (const { id, path, bytes } of partsOfSnapshots(
    storage,
    named,
    roots,
    masking ? SECRET : undefined,
  )) {
    if (bytes === 'withheld' || (bytes === null && before.has(id))) left.withheld.push({ id, path });
    else if (bytes === null) left.missing.push(id);
    else yield blobLine(null, id, bytes);
  }
  for (const head of heads) yield* maskedOf(source, head);
  if (left.withheld.length === 0) return;
  const data = encode(withheldRecord(left.withheld.map(({ id }) => id)));
  for (const { task_id } of heads) yield { t: 'record', category: 'tasks', key: withheldKey(task_id), data };
}

/** Texts of two bytes a character count as well. */
const SECRET = {
  name: hasSecret,
  content: (bytes: Uint8Array) => hasSecret(Buffer.from(bytes).toString('latin1').replaceAll('\0', '')),
};

/** Read once to see what is named and masked, and once to be written: journals need not fit into memory. */
async function snapshotsNamed(source: Source): Promise<Set<string>> {
  const { storage, heads } = source;
  const named = new Set<string>();
  let done = 0;
  for (const head of heads) {
    const load = blobLoader(storage, head);
    for await (const line of storedOf(storage, head.task_id)) {
      source.progress.at('export_read', done++);
      const names =
        line.t === 'record'
          ? await snapshotsInRecord(kindOf(line.category, line.key)!.kind, decode(line.data), load)
          : snapshotsInText(line.data);
      for (const name of names) named.add(name);
    }
    if (source.masking) for await (const _ of maskedOf(source, head));
  }
  return named;
}

async function* maskedOf({ storage, masking }: Source, head: Head): AsyncGenerator<Stored> {
  const load = blobLoader(storage, head);
  for await (const line of storedOf(storage, head.task_id)) {
    if (!masking) yield line;
    else if (line.t === 'record')
      yield {
        ...line,
        data: await masking.record(kindOf(line.category, line.key)!.kind, decode(line.data), load),
      };
    else yield { ...line, data: await masking.text(line.data, load) };
  }
}

function blobLine(task: string | null, id: string, bytes: Uint8Array): PortableContent {
  return { t: 'blob', task, id, base64: Buffer.from(bytes).toString('base64') };
}

async function assertAtRest(storage: Storage, task: string): Promise<void> {
  const owner = await storage.owner(task);
  if (owner)
    throw new OwnershipError('TASK_OWNED', phrase`Task ${task} is being run by ${owner.holder}.`, {
      data: { task, holder: owner.holder },
      hint: phrase`Pause it first.`,
    });
  for await (const { kind, key } of recordsOf(storage, task)) {
    if (kind?.travels !== 'unfinished') continue;
    throw new EngineError(
      'NOT_RESUMABLE',
      phrase`Files of task ${task} are being restored, or its branch is being moved.`,
      {
        data: { task, under_way: key.slice(task.length + 1) },
        hint: phrase`Resume it, or repeat the interrupted command; then export it.`,
      },
    );
  }
}

/** Everything of a task is found by its id. */
function cannotMask(task: string): InvalidInputError {
  return new InvalidInputError(
    'USAGE',
    phrase`The id of task ${task} looks like a secret, and cannot be masked.`,
    {
      data: { task },
      hint: phrase`If it is not a secret, export it with --reveal.`,
    },
  );
}

function moved(task: string): OwnershipError {
  return new OwnershipError('TASK_OWNED', phrase`Task ${task} changed while it was being read.`, {
    data: { task },
    hint: phrase`Pause it, then export it again.`,
  });
}

/** Links and pipes are refused: their targets were not asked about. */
function noPlainFile(file: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`${file} is not a plain file, and is not replaced.`, {
    data: { file },
    hint: phrase`Name another file. Nothing was changed.`,
  });
}

function there(file: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`The file ${file} already exists.`, {
    data: { file },
    hint: phrase`Name another, or replace it with --replace.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
