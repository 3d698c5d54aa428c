/** Moves a store to a new one next to it, to encrypt or decrypt it: what `keys encrypt` and `keys decrypt` do. */
import { homedir } from 'node:os';
import type { Config } from '../../config/types.ts';
import { InvalidInputError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { KeyProvider } from '../../storage/encrypted/key-provider.ts';
import { openEncryptedStorage } from '../../storage/encrypted/open.ts';
import {
  type Direction,
  type Mark,
  NOTE,
  type Note,
  readMark,
  readNote,
  refusal,
} from '../../storage/moving/mark.ts';
import { type StoreSetting, settingBeside, settingOfStore } from '../../storage/moving/store-setting.ts';
import { openUnsealed } from '../../storage/opening/factory.ts';
import { isThere } from '../../storage/opening/store-there.ts';
import { newId } from '../../system/ids.ts';
import type { OnProgress } from '../../system/progress.ts';
import { refuseRunning } from './copy.ts';
import { emptyStore } from './empty.ts';
import {
  abandonMove,
  isFreeFor,
  leaveEmpty,
  type Moved,
  markOf,
  moveStore,
  takeMoversTurn,
  writeMark,
  writeNote,
} from './move.ts';

export interface MoveStorageOptions extends Project {
  readonly direction: Direction;
  /** The key of the encrypted side. */
  readonly key: KeyProvider;
  /** Writes the settings, at once or not at all: once it returns, the store at `to` is the current one. */
  readonly switchOver: (to: StoreSetting) => void;
  /** Whether the settings name that path; called after a failure. */
  readonly isSwitched: (to: StoreSetting) => boolean;
}

/** A project and its settings, as `loadConfig` gives them. */
interface Project {
  readonly config: Config;
  readonly project_dir: string;
  readonly onProgress?: OnProgress | undefined;
}

export interface StorageMoved extends Moved {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves everything in a project's store to a new one next to it. Killed at any moment it loses nothing, and is finished by
 * calling it again. Null if only finishing was left to do.
 */
export async function moveStorage(options: MoveStorageOptions): Promise<StorageMoved | null> {
  const store = await openUnsealed(options.config, { project_dir: options.project_dir });
  try {
    await refuseMoved(store);
    const finished = await finishLeaving(store, options);
    return finished?.direction === options.direction ? null : await moveBeside(store, options);
  } finally {
    await store.close();
  }
}

/** Everything that can be refused is refused before the first change. */
export async function moveBeside(store: Storage, options: MoveStorageOptions): Promise<StorageMoved> {
  const { config, direction, key, onProgress } = options;
  const from = settingOf(options);
  const turn = await takeMoversTurn(store);
  try {
    const begun = await markOf(store, direction);
    await refuseRunning(store);
    const since = new Date().toISOString();
    const id = begun?.id ?? newId('m');
    const { to, bare } = await openFree(options, id);
    const mark: Mark = { since, ...begun, id, direction, state: 'moving', to: to.value };
    try {
      await writeMark(store, mark);
      await writeNote(bare, { id: mark.id, direction, from });
      const copied = await moveStore({
        from: { bare: store, open: direction === 'encrypt' ? store : await openEncryptedStorage(store, key) },
        to: { bare, open: direction === 'encrypt' ? await openSealed(bare, key) : bare },
        mark,
        config: config.checkpoints,
        switchOver: () => options.switchOver(to),
        ...(onProgress && { onProgress }),
      });
      const freed = await leaveEmpty(store, bare, mark, onProgress);
      return { ...copied, freed, from: from.value, to: to.value };
    } catch (error) {
      // Why the move failed matters more; what is left of it is found by the next one.
      if (!options.isSwitched(to)) await abandonMove(store, bare, mark).catch(() => {});
      throw error;
    } finally {
      await bare.close();
    }
  } finally {
    await turn.release();
  }
}

/** After a move that was interrupted after its switch: empties the old store. Null if there is none. */
export async function finishLeaving(
  store: Storage,
  { config, project_dir, onProgress }: Project,
): Promise<Note | null> {
  const note = await readNote(store);
  if (!note) return null;
  const before = { ...config, persistence: { ...config.persistence, [note.from.name]: note.from.value } };
  const old = isThere(before, project_dir) ? await openUnsealed(before, { project_dir }) : null;
  try {
    const mark = old && (await readMark(old));
    if (old && mark?.id === note.id) {
      const turn = await takeMoversTurn(old);
      try {
        await leaveEmpty(old, store, mark, onProgress);
      } finally {
        await turn.release();
      }
    } else await store.delete(NOTE.category, NOTE.key);
  } finally {
    await old?.close();
  }
  return note;
}

/** A store that is being moved must not get another key, nor be created again. */
export async function refuseMoved(store: Storage): Promise<void> {
  const mark = await readMark(store);
  if (mark?.state === 'moved') throw refusal(mark);
}

/** The first free path, or the one this move has started with. */
async function openFree(
  { config, project_dir, direction }: MoveStorageOptions,
  id: string,
): Promise<{ to: StoreSetting; bare: Storage }> {
  const place = { project_dir, home: homedir() };
  for (let n = 1; ; n++) {
    const to = settingBeside(config.persistence, place, direction, n);
    const bare = await openUnsealed(at(config, to), { project_dir });
    if (await isFreeFor(bare, id)) return { to, bare };
    await bare.close();
  }
}

/** One that was started with another key, or was being reverted, is started again. */
async function openSealed(bare: Storage, key: KeyProvider): Promise<Storage> {
  try {
    return await openEncryptedStorage(bare, key);
  } catch (error) {
    if (!(error instanceof StoreError) || !BEGUN_OTHERWISE.has(error.code)) throw error;
    await emptyStore(bare, [NOTE]);
    return openEncryptedStorage(bare, key);
  }
}

const BEGUN_OTHERWISE = new Set(['WRONG_KEY', 'STORE_NOT_ENCRYPTED']);

function at(config: Config, { name, value }: StoreSetting): Config {
  return { ...config, persistence: { ...config.persistence, [name]: value } };
}

/** We do not know how to create a second store of a user's own back end. */
export function settingOf({ config: { persistence }, project_dir }: Project): StoreSetting {
  const place = settingOfStore(persistence, { project_dir, home: homedir() });
  if (place) return place;
  const { storage_type } = persistence;
  throw new InvalidInputError(
    'USAGE',
    phrase`A second store of the type ${storage_type} cannot be made from here.`,
    {
      data: { storage_type },
      hint: phrase`Open two of them and use copyStorage() of the library: docs/guides/encrypt.md. Nothing was changed.`,
    },
  );
}
