/** Encrypts or decrypts a project's store: moves it to a new one next to it, or finishes an interrupted move. */
import type { EncryptionConfig } from '../../config/types.ts';
import type { Storage } from '../../storage/contract.ts';
import { lockOf, unlock } from '../../storage/encrypted/lock-of.ts';
import type { Direction, Note } from '../../storage/moving/mark.ts';
import { isEncryptedStore, keyProvider, openUnsealed } from '../../storage/opening/factory.ts';
import { isThere } from '../../storage/opening/store-there.ts';
import { finishLeaving, moveBeside, refuseMoved, type StorageMoved, settingOf } from '../moving/beside.ts';
import { makeKeyFile } from './key-files.ts';
import { alreadyOn, assertSettings, type KeyInUse, type MovableProject, noStore, notOn } from './project.ts';

/** Null for both: there was nothing to do. */
interface StoreMove {
  readonly moved: StorageMoved | null;
  /** The old store of an interrupted move, which was only left to be emptied. */
  readonly finished: string | null;
}

export function encryptStore(
  project: MovableProject,
  encryption: EncryptionConfig,
): Promise<StoreMove & KeyInUse> {
  const { config, project_dir } = project;
  return ofStore(project, 'encrypt', noStore, async (store, finished) => {
    if (config.encryption.enabled) {
      if (finished === null) throw alreadyOn(project);
      const { source } = await keyProvider(config.encryption, { project_dir });
      return { source, key_file: config.encryption.key_file, moved: null, finished };
    }
    if (await lockOf(store)) throw isEncryptedStore(store);
    assertSettings(project, encryption, true);
    await makeKeyFile(encryption);
    const key = await keyProvider(encryption, { project_dir });
    await key.key({ store: '', salt: new Uint8Array(16) }); // Whether there is one.
    const moved = await moveBeside(store, {
      ...project,
      direction: 'encrypt',
      key,
      ...switching(project, encryption),
    });
    return { source: key.source, key_file: encryption.key_file, moved, finished: null };
  });
}

export function decryptStore(project: MovableProject): Promise<StoreMove> {
  const { config, project_dir } = project;
  return ofStore(project, 'decrypt', notOn, async (store, finished) => {
    // After an interruption at its very end a store looks as if it had never been encrypted.
    if (!config.encryption.enabled) {
      if (await lockOf(store)) throw isEncryptedStore(store);
      return { moved: null, finished };
    }
    const encryption = { ...config.encryption, enabled: false };
    project.assertWritable?.(encryption, true);
    const key = await keyProvider(config.encryption, { project_dir });
    const locked = await lockOf(store);
    if (!locked) throw notOn(project);
    await unlock(locked, key); // Before anything is changed.
    const moved = await moveBeside(store, {
      ...project,
      direction: 'decrypt',
      key,
      ...switching(project, encryption),
    });
    return { moved, finished: null };
  });
}

/** `finished`: the old store of a move in this direction that was only left to be emptied, and now is. */
async function ofStore<T>(
  project: MovableProject,
  direction: Direction,
  missing: (project: MovableProject) => Error,
  use: (store: Storage, finished: string | null) => Promise<T>,
): Promise<T> {
  const { config, project_dir } = project;
  settingOf(project); // Refuses what cannot be moved.
  if (!isThere(config, project_dir)) throw missing(project);
  const store = await openUnsealed(config, { project_dir });
  try {
    await refuseMoved(store);
    const note: Note | null = await finishLeaving(store, project);
    return await use(store, note?.direction === direction ? note.from.value : null);
  } finally {
    await store.close();
  }
}

function switching(project: MovableProject, encryption: EncryptionConfig) {
  return {
    switchOver: (to: Note['from']) => project.write(encryption, to),
    isSwitched: (to: Note['from']) => project.names(to),
  };
}
