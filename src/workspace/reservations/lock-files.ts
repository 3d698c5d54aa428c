/**
 * `{sha256 of the path}.lock` in the locks directory: for people and other programs a note of who has reserved the path, for
 * this machine's writers the fence below which writes to the file are refused.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { placeFileUnsynced, readIfExists, removeIfExists } from '../../system/files.ts';
import { jsonIn } from '../../system/json.ts';
import { type Reservation, reservationSchema } from './board.ts';

const lockFileSchema = reservationSchema.omit({ paths: true }).extend({ path: z.string() });

type LockFile = Readonly<z.infer<typeof lockFileSchema>>;

export interface LockFiles {
  write(reservation: Reservation): void;
  /** Removes those that are of this reservation. */
  remove(reservation: Reservation): void;
  /** Null if there is none that can be read: it is only a note, the board decides. */
  read(path: string): LockFile | null;
}

export function openLockFiles(dir: string): LockFiles {
  const fileOf = (path: string) => join(dir, `${hash('sha256', path)}.lock`);
  const read = (path: string): LockFile | null => {
    const bytes = readIfExists(fileOf(path));
    return bytes && parseLockFile(bytes);
  };
  return {
    read,
    write({ paths, ...reservation }) {
      for (const path of paths) {
        const there = read(path);
        if (there && there.fence > reservation.fence) continue; // several may read; the file names the newest
        placeFileUnsynced(
          fileOf(path),
          Buffer.from(`${JSON.stringify({ path, ...reservation }, null, 2)}\n`),
        );
      }
    },
    remove({ paths, id }) {
      for (const path of paths) if (read(path)?.id === id) removeIfExists(fileOf(path));
    },
  };
}

export function parseLockFile(bytes: Buffer): LockFile | null {
  return lockFileSchema.safeParse(jsonIn(bytes.toString('utf8'))).data ?? null;
}
