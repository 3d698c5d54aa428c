/** Blobs: callers name them by the hash of their content, the inner store by a name that only the key can derive. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, BlobInfo, NamedBlob } from '../backend.ts';
import { copyBlobs } from '../blob-names.ts';
import type { Storage } from '../contract.ts';
import type { SealedItem } from './aead.ts';
import { BLOB_OVERHEAD, type DataKey } from './data-key.ts';
import type { Keyring } from './keyring.ts';

type Blobs = Pick<Backend, 'putBlobs' | 'getBlob' | 'listBlobs' | 'deleteBlobs'> &
  Pick<Storage, 'renewBlobs'>;

/** Store-wide ones. */
export function sealOutside({ store, outside }: Keyring, blobs: readonly NamedBlob[]): NamedBlob[] {
  return blobs.map((blob) => outside.sealBlob({ store, task: '', kind: 'blob', id: blob.id }, blob));
}

/** The key of a task that this process has claimed cannot change. */
export function openBlobs(
  inner: Backend,
  plain: Storage,
  keyring: Keyring,
  isHeld: (task: string) => boolean,
): Blobs {
  const itemOf = (task: string | null, id: string): SealedItem => ({
    store: keyring.store,
    task: task ?? '',
    kind: 'blob',
    id,
  });
  const find = async (task: string | null): Promise<DataKey | null> =>
    task === null ? keyring.outside : keyring.find(task);
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
      const copies = copyBlobs(blobs); // Its bytes may be written to again before the key is available.
      if (task !== null && !isHeld(task)) keyring.refresh(task);
      const key = task === null ? keyring.outside : await keyring.make(task);
      await inner.putBlobs(
        task,
        copies.map((blob) => key.sealBlob(itemOf(task, blob.id), blob)),
      );
    },
    async getBlob(task, id) {
      const key = await find(task);
      const bytes =
        key && (await inner.getBlob(task, hidden(key, id)).catch((error) => damaged(task, id, error)));
      if (!bytes) return null;
      return key.openBlob(itemOf(task, id), id.slice(id.indexOf('/') + 1), bytes) ?? damaged(task, id);
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
      const key = await find(task);
      if (!key) return [];
      const there = new Set(
        await plain.renewBlobs(
          task,
          ids.map((id) => hidden(key, id)),
        ),
      );
      return ids.filter((id) => there.has(hidden(key, id)));
    },
    async deleteBlobs(task, ids, options) {
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
  throw new CorruptError(phrase`The blob ${id} does not decrypt to what was stored there.`, {
    data: { task, id },
    ...(cause === undefined ? {} : { cause }),
    hint: phrase`Something other than the store changed it or put it there. Put the same bytes again, or restore it from a backup.`,
  });
}
