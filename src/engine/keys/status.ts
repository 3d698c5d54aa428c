/** Whether a store is encrypted, whether its key opens it, and whether it is being moved. */
import type { Config } from '../../config/types.ts';
import { StoreError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { lockOf, unlock } from '../../storage/encrypted/lock-of.ts';
import { type Direction, MOVER, readMark, readNote, refusal } from '../../storage/moving/mark.ts';
import { keyProvider, openUnsealed } from '../../storage/opening/factory.ts';
import { isThere } from '../../storage/opening/store-there.ts';

export interface KeyStatus {
  /** What the settings say. */
  readonly enabled: boolean;
  /** What the store is; null where there is none. */
  readonly encrypted: boolean | null;
  /** Where the key comes from, for people. */
  readonly source: string;
  /** Whether it opens the store; null where that is not encrypted. */
  readonly key: 'right' | 'wrong' | 'missing' | null;
  /** Why it does not. */
  readonly problem: StoreError | null;
  /** The key that it was encrypted with, and when. */
  readonly locked_with: string | null;
  readonly locked_at: string | null;
  readonly move: MoveInProgress | null;
}

/** An unfinished move out of this store (`to`), or into it (`from`). */
export interface MoveInProgress {
  readonly direction: Direction;
  readonly to: string | null;
  readonly from: string | null;
  /** The process that does it; null if it was interrupted. */
  readonly holder: string | null;
}

export async function keyStatus({ config, project_dir }: StatusOptions): Promise<KeyStatus> {
  const { enabled } = config.encryption;
  const provider = await keyProvider(config.encryption, { project_dir });
  const { source } = provider;
  const nothing = { enabled, source, key: null, problem: null, locked_with: null, locked_at: null };
  if (!isThere(config, project_dir)) return { ...nothing, encrypted: null, move: null };
  const store = await openUnsealed(config, { project_dir });
  try {
    const locked = await lockOf(store);
    const move = await moveInProgress(store);
    if (!locked) return { ...nothing, encrypted: false, move };
    const { locked_with, at: locked_at } = locked;
    const problem = await unlock(locked, provider).then(
      () => null,
      (error: unknown) => {
        if (error instanceof StoreError) return error;
        throw error;
      },
    );
    const key = problem === null ? 'right' : problem.code === 'WRONG_KEY' ? 'wrong' : 'missing';
    return { enabled, encrypted: true, source, key, problem, locked_with, locked_at, move };
  } finally {
    await store.close();
  }
}

interface StatusOptions {
  readonly config: Config;
  readonly project_dir: string;
}

async function moveInProgress(store: Storage): Promise<MoveInProgress | null> {
  const mark = await readMark(store);
  const note = await readNote(store);
  if (mark?.state === 'moved') throw refusal(mark);
  const direction = mark?.direction ?? note?.direction;
  if (direction === undefined) return null;
  const holder = (await store.owner(MOVER))?.holder ?? null;
  return { direction, to: mark?.to ?? null, from: mark ? null : note!.from.value, holder };
}
