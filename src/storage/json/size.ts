/** How many bytes the files of a store have, without locks. */
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { namesIn } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { Layout } from './layout.ts';

/** A file that disappears in the meantime counts as 0. */
export async function sizeOfStore(layout: Layout): Promise<number> {
  const waiting = [layout.root];
  let bytes = 0;
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    for (const entry of namesIn(dir)) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) {
        if (path !== layout.locksDir) waiting.push(path);
      } else bytes += io.lstat(path)?.size ?? 0;
    }
    await turn(); // A large store has many directories, and other work must continue.
  }
  return bytes;
}
