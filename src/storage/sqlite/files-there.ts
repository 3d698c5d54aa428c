/** Whether the database and its write-ahead log are still the files that were opened: what is written to others is lost. */
import * as io from '../../system/io.ts';
import { gone } from '../../system/locks/sqlite-faults.ts';

export function watchFiles(given: string): { assertThere(): void } {
  const path = io.realpath(given) ?? given; // SQLite writes next to the target of a link.
  const paths = [path, `${path}-wal`];
  const known = paths.map(() => 0);
  return {
    assertThere() {
      for (const [i, file] of paths.entries()) {
        const ino = io.lstat(file)?.ino ?? 0;
        if (ino === 0 || (known[i] !== 0 && ino !== known[i])) throw gone(file);
        known[i] = ino;
      }
    },
  };
}
