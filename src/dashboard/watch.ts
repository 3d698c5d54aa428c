/** What changes in the store, as it changes, by any process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { VibeError } from '../errors.ts';
import { createShortIds } from '../verbs/kit/short.ts';
import type { Store } from '../verbs/kit/verb.ts';
import type { Calls } from './calls.ts';
import type { Served } from './served.ts';

/** As `tasks` has it. */
export interface Row {
  readonly id: string;
  readonly short: string;
  readonly status: string;
  readonly questions: number;
}

export interface Changes {
  readonly rows: readonly Row[];
  /** Tasks that were removed. */
  readonly gone: readonly string[];
}

type Watched = Pick<Served, 'findStore' | 'engine'>;

/** Until the signal; the first changes are how everything is. Reading that gives way to what pages ask for. */
export async function watchTasks(
  served: Watched & Pick<Calls, 'quiet'>,
  { onChanges, onAll }: { onChanges(changes: Changes, initial: boolean): void; onAll(): void },
  signal: AbortSignal,
): Promise<void> {
  const ids = createShortIds();
  await always(served, signal, async (store) => {
    const { reader } = await served.engine(store, false);
    await served.quiet(signal);
    for await (const { rows, gone, initial } of reader.watchTasks({ signal, onWhole: onAll })) {
      for (const { id } of rows) ids.add(id);
      for (const id of gone) ids.remove(id);
      onChanges({ rows: rows.map((row) => ({ ...row, short: ids.short(row.id) })), gone }, initial);
      if (initial) await served.quiet(signal);
    }
  });
}

interface TaskChange {
  readonly task: string;
  /** The end of its journal. */
  readonly position: number;
  /** How many are new. */
  readonly entries: number;
}

/** Of one task, until the signal. A task that is not there has none. */
export async function watchTask(
  served: Watched,
  task: string,
  onChange: (change: TaskChange) => void,
  signal: AbortSignal,
): Promise<void> {
  await always(served, signal, async (store) => {
    const after = (await store.storage.position(task)).seq;
    const { reader } = await served.engine(store, false);
    for await (const { position, entries } of reader.watchTask(task, { after, signal }))
      onChange({ task, position, entries: entries.length });
  });
}

const AGAIN_MS = 1_000;

/** The store may not be there yet, or not be readable for a while: the page learns of that from its own calls. */
async function always(
  { findStore }: Watched,
  signal: AbortSignal,
  watch: (store: Store) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const store = await findStore();
      if (store) await watch(store);
    } catch (error) {
      if (!(error instanceof VibeError)) throw error;
    }
    // It only ends early when it is aborted.
    await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
