/** Whether the database and its write-ahead log are still the files that were opened: what is written to others is lost. */
import { dirname } from 'node:path';
import * as io from '../../system/io.ts';
import { gone } from '../../system/locks/sqlite-faults.ts';

type Stats = NonNullable<ReturnType<typeof io.lstat>>;

/** File systems may give two changes of a directory one time, when they follow each other this closely. */
const SETTLED_MS = 50;
/** The same where times are whole seconds. */
const SETTLED_COARSELY_MS = 2000;
/** For file systems that keep no such time. */
const LONGEST_TRUSTED_MS = 1000;

/**
 * A look at the directory is enough while nothing was added to it or removed. A look at the log itself makes the next sync
 * a third slower: the kernel then gives the file a new time, which has to reach the disk, too.
 */
export function watchFiles(given: string): { assertThere(): void } {
  const path = io.realpath(given) ?? given; // SQLite writes next to the target of a link.
  const directory = dirname(path);
  const paths = [path, `${path}-wal`];
  const known = paths.map(() => 0);
  let settled: Stats | null = null;
  let looked = Number.NEGATIVE_INFINITY;

  return {
    assertThere() {
      const now = Date.now();
      const found = io.lstat(directory);
      const isRecent = Math.abs(now - looked) < LONGEST_TRUSTED_MS;
      if (isRecent && found && settled && isUnchanged(settled, found)) return;
      for (const [i, file] of paths.entries()) {
        const ino = io.lstat(file)?.ino ?? 0;
        if (ino === 0 || (known[i] !== 0 && ino !== known[i])) throw gone(file);
        known[i] = ino;
      }
      settled = found && isSettled(found, now) ? found : null;
      looked = now;
    },
  };
}

function isSettled({ ctimeMs }: Stats, now: number): boolean {
  return now - ctimeMs > (ctimeMs % 1000 === 0 ? SETTLED_COARSELY_MS : SETTLED_MS);
}

function isUnchanged(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs;
}
