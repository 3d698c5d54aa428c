/** Packs and unpacks values of the journal: large ones as blobs, also found in the tasks a fork comes from. */

import { type LoadBlob, packValue, unpackValue } from '../../checkpoint/values/pack.ts';
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import type { Config } from '../../config/types.ts';
import type { NewBlob, Storage } from '../../storage/contract.ts';
import { type Redact, redacted } from '../api/redact.ts';
import type { LookAt } from '../secrets/watch.ts';
import type { Head } from './records/head.ts';

export interface Packer {
  /** A value as it is stored, with the blobs to put first. */
  pack(value: unknown, kind: string): Packed;
  unpack(stored: unknown): Promise<unknown>;
  /** A small value as it may be stored where it is not packed. */
  redact<T>(value: T): T;
}

export interface Packed {
  readonly stored: unknown;
  readonly blobs: readonly NewBlob[];
  /** How long the value is when encoded. */
  readonly bytes: number;
}

export function packer(
  storage: Storage,
  head: Pick<Head, 'task_id' | 'lineage'>,
  config: Config,
  { redact, lookAt }: { readonly redact?: Redact | undefined; readonly lookAt?: LookAt | undefined } = {},
): Packer {
  const load = blobLoader(storage, head);
  const clean = <T>(value: T): T => (redact ? (redacted(value, redact) as T) : value);
  return {
    pack: (given, kind) => {
      const value = clean(given);
      lookAt?.(value);
      const { stored, blob } = packValue(value, kind, config.checkpoints);
      return { stored, blobs: blob ? [blob] : [], bytes: roughSize(value) };
    },
    unpack: (stored) => unpackValue(stored, load),
    redact: clean,
  };
}

/** What a message says of its size: nothing where it is a text. */
export function sizeBeside(stored: unknown, bytes: number): { readonly bytes?: number } {
  return typeof stored === 'string' ? {} : { bytes };
}

/** Looks in the task's own blobs first, then in those of the tasks it was forked from, newest first. */
export function blobLoader(storage: Storage, head: Pick<Head, 'task_id' | 'lineage'>): LoadBlob {
  const owners = [head.task_id, ...head.lineage.map(({ task }) => task).toReversed()];
  return async (id) => {
    for (const task of owners) {
      const bytes = await storage.getBlob(task, id);
      if (bytes) return bytes;
    }
    return null;
  };
}
