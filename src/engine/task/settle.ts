/** Records of a task as they are to be in their new place: their directory, and hashes of a journal that was written anew. */
import { isAbsolute, join, relative } from 'node:path';
import { type CheckpointRecord, openCheckpoint, sealCheckpoint } from '../../checkpoint/record/record.ts';
import { fitRecord, unfitRecord } from '../../checkpoint/values/fit.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import type { CheckpointsConfig } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import type { NewBlob } from '../../storage/contract.ts';
import type { Head } from './records/head.ts';

/** Of a journal, by the numbers of its entries. */
export type Hashes = ReadonlyMap<number, string>;

export interface Settling {
  /** Where a directory of the old project is now. */
  readonly moved: (path: string) => string;
  /** Of the task's own journal. */
  readonly hashes: Pick<Hashes, 'get'>;
  /** Of those it was forked from; undefined where there is no such entry. */
  readonly hashOf: (task: string, seq: number) => Promise<string | undefined>;
  readonly load: LoadBlob;
  readonly config: CheckpointsConfig;
}

export interface Settled {
  readonly data: unknown;
  readonly blobs: readonly NewBlob[];
}

export async function settleRecord(key: string, data: unknown, settling: Settling): Promise<Settled> {
  const [, kind] = key.split('/');
  if (kind === 'head') return { data: await settleHead(data as Head, settling), blobs: [] };
  if (kind === 'checkpoints') return settleCheckpoint(data, settling);
  if (kind !== 'undone') return { data, blobs: [] };
  const undone = data as { readonly checkpoints: readonly { key: string; data: unknown }[] };
  const settled = await Promise.all(undone.checkpoints.map((one) => settleCheckpoint(one.data, settling)));
  const checkpoints = undone.checkpoints.map((one, index) => ({ ...one, data: settled[index]!.data }));
  return { data: { ...undone, checkpoints }, blobs: settled.flatMap(({ blobs }) => blobs) };
}

async function settleHead(head: Head, { moved, hashOf }: Settling): Promise<Head> {
  const path = head.origin?.path;
  const lineage: Head['lineage'] = [];
  for (const share of head.lineage)
    lineage.push({ ...share, hash: (await hashOf(share.task, share.to)) ?? share.hash });
  return {
    ...head,
    working_dir: moved(head.working_dir),
    ...(typeof path === 'string' ? { origin: { ...head.origin, path: moved(path) } } : {}),
    lineage,
  };
}

const MB = 1024 * 1024;

/** One that is not whole stays as it is: recovery passes it over, here as there. */
async function settleCheckpoint(data: unknown, settling: Settling): Promise<Settled> {
  let record: CheckpointRecord;
  try {
    record = openCheckpoint(await unfitRecord(data, settling.load));
  } catch (error) {
    if (error instanceof CorruptError) return { data, blobs: [] };
    throw error;
  }
  const { checksum: _, ...body } = record;
  const { seq } = body.journal;
  const journal = { seq, hash: settling.hashes.get(seq) ?? body.journal.hash };
  const working_dir = settling.moved(body.recovery_info.working_dir);
  if (journal.hash === body.journal.hash && working_dir === body.recovery_info.working_dir)
    return { data, blobs: [] };
  const sealed = sealCheckpoint({ ...body, journal, recovery_info: { ...body.recovery_info, working_dir } });
  const { stored, blobs } = fitRecord(sealed, settling.config.max_size_mb * MB, settling.config);
  return { data: stored, blobs };
}

/** What lay in the old project lies in the new one; what did not stays where it was. */
export function movedTo(from: string, to: string): (path: string) => string {
  return (path) => {
    const inside = relative(from, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : join(to, inside);
  };
}
