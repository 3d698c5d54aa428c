/**
 * Converts checkpoints for the store and back: large values as blobs, sealed with a checksum, and never over the size limit
 * of a record.
 */
import type { CheckpointsConfig } from '../../config/types.ts';
import type { NewBlob } from '../../storage/contract.ts';
import {
  type CheckpointBody,
  type CheckpointRecord,
  openCheckpoint,
  sealCheckpoint,
} from '../record/record.ts';
import { fitRecord, unfitRecord } from './fit.ts';
import { type LoadBlob, packValue, unpackValue } from './pack.ts';

export interface StoredCheckpoint {
  /** Sealed, with its large values packed. */
  readonly record: CheckpointRecord;
  /** What goes into the store. */
  readonly data: unknown;
  /** What must be durable there before. */
  readonly blobs: readonly NewBlob[];
}

/** `values`: whether the variables and the context of the body are as the user gave them, or packed one by one already. */
export function storeCheckpoint(
  body: CheckpointBody,
  settings: CheckpointsConfig,
  values: 'given' | 'packed' = 'given',
): StoredCheckpoint {
  const blobs: NewBlob[] = [];
  const pack = (value: unknown): unknown => {
    const { stored, blob } = packValue(value, KIND, settings);
    if (blob) blobs.push(blob);
    return stored;
  };
  const packed = { ...body };
  for (const member of FREE) packed[member] = pack(body[member]);
  const { step_variables, step_context } = body;
  if (values === 'packed') packed.step_context = step_context;
  packed.step_variables = pack(values === 'given' ? mapNamed(step_variables, pack) : step_variables);
  packed.metadata = mapNamed(body.metadata, pack);
  const record = sealCheckpoint(packed);
  const fitted = fitRecord(record, settings.max_size_mb * MB, settings);
  return { record, data: fitted.stored, blobs: [...blobs, ...fitted.blobs] };
}

/** Values by name, each packed by itself. */
export function packNamed(
  values: Readonly<Record<string, unknown>>,
  settings: CheckpointsConfig,
): { readonly stored: Record<string, unknown>; readonly blobs: readonly NewBlob[] } {
  const blobs: NewBlob[] = [];
  const stored = mapNamed({ ...values }, (value) => {
    const packed = packValue(value, KIND, settings);
    if (packed.blob) blobs.push(packed.blob);
    return packed.stored;
  });
  return { stored, blobs };
}

/** The record as it was sealed: values that were packed still are. CORRUPT if it is damaged. */
export async function readCheckpoint(data: unknown, load: LoadBlob): Promise<CheckpointRecord> {
  return openCheckpoint(await unfitRecord(data, load));
}

/** With references replaced by their values. The checksum remains that of the sealed record. */
export async function unpackCheckpoint(record: CheckpointRecord, load: LoadBlob): Promise<CheckpointRecord> {
  const unpacked = { ...record };
  for (const member of FREE) unpacked[member] = await unpackValue(record[member], load);
  const unpack = (value: unknown): Promise<unknown> => unpackValue(value, load);
  unpacked.step_variables = await allNamed(mapNamed(await unpack(record.step_variables), unpack));
  unpacked.metadata = await allNamed(mapNamed(record.metadata, unpack));
  return unpacked;
}

/** The members of a plain object; anything else is one value, and stays as it is. */
function mapNamed<T>(values: T, map: (value: unknown) => unknown): T {
  if (!isPlain(values)) return values;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)])) as T;
}

async function allNamed<T>(promised: T): Promise<T> {
  if (!isPlain(promised)) return promised;
  const members = Object.entries(promised).map(async ([name, value]) => [name, await value]);
  return Object.fromEntries(await Promise.all(members)) as T;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The members that are whatever the user puts there, each as one value. */
const FREE = ['step_state', 'step_context', 'error'] as const;
const KIND = 'steps';
const MB = 1024 * 1024;
