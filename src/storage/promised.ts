/**
 * Store-wide blobs that the next commit brings along: one sync for them and for what names them. Until then they are in
 * memory only, where nothing else can name them.
 */
import type { NamedBlob } from './backend.ts';
import { copyBlobs } from './blob-names.ts';

interface Promised {
  /** False if that would be too much for a commit: they have to be stored now. */
  add(blobs: readonly NamedBlob[]): boolean;
  get(id: string): Uint8Array | undefined;
  all(): readonly NamedBlob[];
  /** These are stored. */
  kept(blobs: readonly NamedBlob[]): void;
}

const MOST_BYTES = 256 * 1024;

export function createPromised(): Promised {
  const waiting = new Map<string, NamedBlob>();
  let bytes = 0;
  return {
    add(blobs) {
      const fresh = blobs.filter(({ id }) => !waiting.has(id));
      const more = fresh.reduce((sum, blob) => sum + blob.bytes.length, bytes);
      if (more > MOST_BYTES) return false;
      bytes = more;
      for (const blob of copyBlobs(fresh)) waiting.set(blob.id, blob);
      return true;
    },
    get: (id) => waiting.get(id)?.bytes,
    all: () => (waiting.size === 0 ? NONE : [...waiting.values()]),
    kept(blobs) {
      for (const blob of blobs) {
        if (waiting.get(blob.id) !== blob) continue;
        waiting.delete(blob.id);
        bytes -= blob.bytes.length;
      }
    },
  };
}

const NONE: readonly NamedBlob[] = [];
