/**
 * What blobs are called. Plain ones by the hash of their bytes. Encrypted ones have a name that only the key can derive, and
 * carry a digest over that name and their bytes, so that a store can check them without the key.
 */
import { hash } from 'node:crypto';
import type { NamedBlob } from './backend.ts';
import type { NewBlob } from './contract.ts';

const MAGIC = Buffer.from('ve-seal1');
const DIGEST = 32;
export const SEALED_OVERHEAD: number = MAGIC.length + DIGEST;

export function blobId({ kind, bytes }: NewBlob): string {
  return `${kind}/${hash('sha256', bytes)}`;
}

/** With copies of the bytes, for a back end that waits before it reads them. */
export function copyBlobs(blobs: readonly NamedBlob[]): NamedBlob[] {
  return blobs.map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) }));
}

/** Whether these are the bytes that were stored under this id, plain or sealed. */
export function isWholeBlob(id: string, bytes: Uint8Array): boolean {
  const name = id.slice(id.indexOf('/') + 1);
  return hash('sha256', bytes) === name || isWholeSealed(name, bytes);
}

export function packSealed(name: string, sealed: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, digestOf(name, sealed), sealed]);
}

/** For bytes that passed the check. Null if they are not encrypted. */
export function unpackSealed(name: string, bytes: Uint8Array): Uint8Array | null {
  return isWholeSealed(name, bytes) ? bytes.subarray(SEALED_OVERHEAD) : null;
}

function isWholeSealed(name: string, bytes: Uint8Array): boolean {
  if (bytes.length < SEALED_OVERHEAD || MAGIC.compare(bytes, 0, MAGIC.length) !== 0) return false;
  return digestOf(name, bytes.subarray(SEALED_OVERHEAD)).compare(bytes, MAGIC.length, SEALED_OVERHEAD) === 0;
}

function digestOf(name: string, sealed: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(name, 'hex'), sealed]), 'buffer');
}
