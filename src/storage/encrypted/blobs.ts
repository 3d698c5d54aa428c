/** Blobs: callers name them by the hash of what is in them, the inner store by what only the key can tell. */
import { hash } from 'node:crypto';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { BlobInfo, NewBlob, Storage } from '../contract.ts';
import { assertBlobId, assertBlobs, assertTask } from '../keys.ts';
import type { Place } from './aead.ts';
import { BLOB_OVERHEAD, type DataKey } from './data-key.ts';
import type { Keyring } from './keyring.ts';

export type Blobs = Pick<Storage, 'putBlobs' | 'getBlob' | 'listBlobs' | 'renewBlobs' | 'deleteBlobs'>;

/** The key of a task that is held here cannot be another one. */
export function openBlobs(inner: Storage, keyring: Keyring, isHeld: (task: string) => boolean): Blobs {
  const placeOf = (task: string | null, id: string): Place => ({
    ...{ store: keyring.store, task: task ?? '', kind: 'blob', id },
  });
  const find = async (task: string | null): Promise<DataKey | null> => {
    if (task !== null) assertTask(task);
    return task === null ? keyring.outside : keyring.find(task);
  };
  const hidden = (key: DataKey, id: string): string => {
    const slash = id.indexOf('/') + 1;
    return id.slice(0, slash) + key.hiddenName(id.slice(slash));
  };
  const shown = (key: DataKey, id: string): string => {
    const slash = id.indexOf('/') + 1;
    return id.slice(0, slash) + key.digestBehind(id.slice(slash));
  };

  return {
    async putBlobs(task, blobs) {
      if (task !== null) assertTask(task);
      assertBlobs(blobs);
      // The caller may write to its bytes again before the key is at hand.
      const copies = blobs.map(({ kind, bytes }): NewBlob => ({ kind, bytes: Uint8Array.from(bytes) }));
      const ids = copies.map(({ kind, bytes }) => `${kind}/${hash('sha256', bytes)}`);
      if (task !== null && !isHeld(task)) keyring.refresh(task);
      const key = task === null ? keyring.outside : await keyring.make(task);
      await inner.putBlobs(
        task,
        copies.map((blob, i) => key.sealBlob(placeOf(task, ids[i]!), blob)),
      );
      return ids;
    },
    async getBlob(task, id) {
      assertBlobId(id);
      const key = await find(task);
      const bytes =
        key && (await inner.getBlob(task, hidden(key, id)).catch((error) => damaged(task, id, error)));
      if (!bytes) return null;
      return key.openBlob(placeOf(task, id), id.slice(id.indexOf('/') + 1), bytes) ?? damaged(task, id);
    },
    async *listBlobs(task): AsyncGenerator<BlobInfo> {
      const key = await find(task);
      if (!key) return;
      const found: BlobInfo[] = [];
      for await (const blob of inner.listBlobs(task)) {
        found.push({ ...blob, id: shown(key, blob.id), size: blob.size - BLOB_OVERHEAD });
      }
      yield* found.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async renewBlobs(task, ids) {
      ids.forEach(assertBlobId);
      const key = await find(task);
      if (!key) return [];
      const there = new Set(
        await inner.renewBlobs(
          task,
          ids.map((id) => hidden(key, id)),
        ),
      );
      return ids.filter((id) => there.has(hidden(key, id)));
    },
    async deleteBlobs(task, ids, options) {
      ids.forEach(assertBlobId);
      const key = await find(task);
      if (!key) return 0;
      const names = ids.map((id) => hidden(key, id));
      return inner.deleteBlobs(task, names, options);
    },
  };
}

/** Under the name that the caller knows. */
function damaged(task: string | null, id: string, cause?: unknown): never {
  if (cause !== undefined && !(cause instanceof CorruptError)) throw cause;
  throw new CorruptError(phrase`The blob ${id} is not what was sealed there.`, {
    data: { task, id },
    ...(cause === undefined ? {} : { cause }),
    hint: phrase`It was changed or put there past the store. Put the same bytes again, or restore it from a backup.`,
  });
}
