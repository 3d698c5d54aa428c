/** A process that cleans up a store, and kills itself on the way when it is told where. */

import type { ConfigInput } from '../../src/config/types.ts';
import { openEngine } from '../../src/engine/engine.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { setIoHook } from '../../src/system/io.ts';
import { DISK_CHANGES } from '../support/disk-changes.ts';
import { manualClock } from '../support/manual-clock.ts';

export interface CleanupJob {
  readonly dir: string;
  readonly config: ConfigInput;
  /** What time it is. */
  readonly now: string;
  /** The how manyth call that changes something it dies before or after; or the how manyth change of a file. */
  readonly kill:
    | { readonly call: number; readonly when: 'before' | 'after' }
    | { readonly io: number }
    | null;
}

const CHANGING = ['commit', 'save', 'delete', 'deleteBlobs', 'compact', 'removeTask', 'claim'] as const;
const die = () => process.kill(process.pid, 'SIGKILL');

function dyingAt(storage: Storage, call: number, when: 'before' | 'after'): Storage {
  let calls = 0;
  const wrapped = { ...storage } as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of CHANGING) {
    const run = storage[name] as (...args: unknown[]) => Promise<unknown>;
    wrapped[name] = async (...args) => {
      const last = ++calls === call;
      if (last && when === 'before') die();
      const result = await run(...args);
      if (last) die();
      return result;
    };
  }
  return wrapped as unknown as Storage;
}

const { dir, config, now, kill } = JSON.parse(process.argv[2]!) as CleanupJob;
const opened = await createStorageFromConfig(config, { project_dir: dir });
const storage = kill && 'call' in kill ? dyingAt(opened, kill.call, kill.when) : opened;
const clock = manualClock(new Date(now));
const engine = await openEngine({ project_dir: dir, config, storage, clock, automatic_cleanup: false });
if (kill && 'io' in kill) {
  let changes = 0;
  setIoHook(({ op }) => {
    if (DISK_CHANGES.has(op) && ++changes === kill.io) die();
    return undefined;
  });
}
for (;;) {
  try {
    await engine.clean();
    break;
  } catch (error) {
    // On a server, the claim of one that was killed lasts until its lease runs out.
    if ((error as { code?: string }).code !== 'STORE_BUSY') throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
await engine.close();
await opened.close();
