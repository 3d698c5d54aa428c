/** Adapts records of a task to their new place: their directory, and the hashes of a rewritten journal. */
import { isAbsolute, join, relative } from 'node:path';
import { type CheckpointRecord, openCheckpoint, sealCheckpoint } from '../../checkpoint/record/record.ts';
import { fitRecord, unfitRecord } from '../../checkpoint/values/fit.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import type { CheckpointsConfig } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import type { NewBlob } from '../../storage/contract.ts';
import { changeParts, kindOf } from '../task/layout.ts';
import type { Relocation } from '../task/records/kind.ts';

/** Of a journal, by the numbers of its entries. */
export type Hashes = ReadonlyMap<number, string>;

export interface Settling extends Relocation {
  /** Of the task's own journal. */
  readonly hashes: Pick<Hashes, 'get'>;
  readonly load: LoadBlob;
  readonly config: CheckpointsConfig;
}

interface Settled {
  readonly data: unknown;
  readonly blobs: readonly NewBlob[];
}

export async function settleRecord(key: string, data: unknown, settling: Settling): Promise<Settled> {
  const kind = kindOf('tasks', key)?.kind ?? null;
  const blobs: NewBlob[] = [];
  const checkpoint = async (one: unknown): Promise<unknown> => {
    const settled = await settleCheckpoint(one, settling);
    blobs.push(...settled.blobs);
    return settled.data;
  };
  const changed = await changeParts(kind, data, { checkpoint });
  return { data: kind?.settle ? await kind.settle(changed, settling) : changed, blobs };
}

const MB = 1024 * 1024;

/** A damaged one stays as it is: recovery skips it in both places. */
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

/** Paths in the old project become paths in the new one; others stay. */
export function movedTo(from: string, to: string): (path: string) => string {
  return (path) => {
    const inside = relative(from, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : join(to, inside);
  };
}
