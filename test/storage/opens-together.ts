/** A thread that opens new databases at the same time as others; says what it was refused with. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../src/storage/sqlite/database.ts';

export interface Together {
  readonly dir: string;
  /** How many are ready for each round. */
  readonly ready: Int32Array;
  readonly threads: number;
}

const { dir, ready, threads } = workerData as Together;
for (const [round] of ready.entries()) {
  Atomics.add(ready, round, 1);
  while (Atomics.load(ready, round) < threads);
  try {
    (await openDatabase(join(dir, `${round}.db`), 60_000, true)).close();
  } catch (error) {
    parentPort!.postMessage((error as Error).message);
  }
}
