/** A checkpoint on its way to and from the store: large values as blobs, sealed, and never over the limit of a record. */
import type { CheckpointsConfig } from '../config/types.ts';
import type { NewBlob } from '../storage/contract.ts';
import { fitRecord, unfitRecord } from './fit.ts';
import { type LoadBlob, packValue, unpackValue } from './pack.ts';
import { type CheckpointBody, type CheckpointRecord, openCheckpoint, sealCheckpoint } from './record.ts';

export interface StoredCheckpoint {
  /** Sealed, with its large values packed. */
  readonly record: CheckpointRecord;
  /** What goes into the store. */
  readonly data: unknown;
  /** What must be durable there before. */
  readonly blobs: readonly NewBlob[];
}

export function storeCheckpoint(body: CheckpointBody, settings: CheckpointsConfig): StoredCheckpoint {
  const blobs: NewBlob[] = [];
  const pack = (value: unknown): unknown => {
    const { stored, blob } = packValue(value, KIND, settings);
    if (blob) blobs.push(blob);
    return stored;
  };
  const packed = { ...body };
  for (const member of FREE) packed[member] = pack(body[member]);
  packed.metadata = Object.fromEntries(
    Object.entries(body.metadata).map(([name, value]) => [name, pack(value)]),
  );
  const record = sealCheckpoint(packed);
  const fitted = fitRecord(record, settings.max_size_mb * MB, settings);
  return { record, data: fitted.stored, blobs: [...blobs, ...fitted.blobs] };
}

/** The record as it was sealed: values that were packed still are. CORRUPT when it is not whole. */
export async function readCheckpoint(data: unknown, load: LoadBlob): Promise<CheckpointRecord> {
  return openCheckpoint(await unfitRecord(data, load));
}

/** With the values in place of what stands for them. The checksum remains that of the sealed record. */
export async function unpackCheckpoint(record: CheckpointRecord, load: LoadBlob): Promise<CheckpointRecord> {
  const unpacked = { ...record };
  for (const member of FREE) unpacked[member] = await unpackValue(record[member], load);
  const metadata: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record.metadata)) {
    metadata.push([name, await unpackValue(value, load)]);
  }
  unpacked.metadata = Object.fromEntries(metadata);
  return unpacked;
}

/** The members that are whatever the user puts there. */
const FREE = ['step_state', 'step_context', 'step_variables', 'error'] as const;
const KIND = 'steps';
const MB = 1024 * 1024;
