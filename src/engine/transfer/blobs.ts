/** Writes blobs to another store, many at once: they are named by their content, in every store. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';

const MOST_AT_ONCE = 8 * 1024 * 1024;

interface NamedBlob {
  readonly task: string | null;
  readonly id: string;
  readonly bytes: Uint8Array;
}

interface BlobWriter {
  add(blob: NamedBlob): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
}

/** CORRUPT for one that is not what its name says. */
export function blobWriter(to: Storage): BlobWriter {
  let waiting: NamedBlob[] = [];
  let bytes = 0;
  const end = async (): Promise<void> => {
    for (const [task, blobs] of Map.groupBy(waiting, (one) => one.task)) {
      const ids = await to.putBlobs(
        task,
        blobs.map(({ id, bytes }) => ({ kind: id.slice(0, id.indexOf('/')), bytes })),
      );
      for (const [index, { id }] of blobs.entries()) if (ids[index] !== id) throw misnamed(task, id);
    }
    waiting = [];
    bytes = 0;
  };
  return {
    end,
    async add(blob) {
      waiting.push(blob);
      bytes += blob.bytes.length;
      if (bytes > MOST_AT_ONCE) await end();
    },
  };
}

function misnamed(task: string | null, id: string): CorruptError {
  return new CorruptError(phrase`The blob ${id} does not match its name.`, {
    data: { task, id },
    hint: phrase`Something other than the store put it there. Run vibe-engine doctor.`,
  });
}
