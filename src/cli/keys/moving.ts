/** What `keys encrypt` and `keys decrypt` share: the place beside the store, the move there, and what they say of it. */
import { homedir } from 'node:os';
import { loadConfig } from '../../config/load.ts';
import type { Config, EncryptionConfig } from '../../config/types.ts';
import { refuseRunning } from '../../engine/moving/copy.ts';
import { emptyStore } from '../../engine/moving/empty.ts';
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
} from '../../engine/moving/move.ts';
import { InvalidInputError, StoreError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import type { KeyProvider } from '../../storage/encrypted/key-provider.ts';
import { openEncryptedStorage } from '../../storage/encrypted/open.ts';
import { openUnsealed } from '../../storage/factory.ts';
import {
  type Direction,
  type Mark,
  NOTE,
  type Note,
  readMark,
  readNote,
  refusal,
} from '../../storage/moving-mark.ts';
import { type PlaceSetting, placeBeside, placeOfStore } from '../../storage/moving-places.ts';
import { isThere } from '../../storage/store-there.ts';
import { newId } from '../../system/ids.ts';
import type { Call } from '../../verbs/kit/verb.ts';
import { noteKey } from './settings.ts';

type Speaker = Pick<Call, 'project_dir' | 'say' | 'onProgress' | 'invoke' | 'now'>;

export interface Wanted {
  readonly direction: Direction;
  readonly config: Config;
  /** As the settings are to be. */
  readonly encryption: EncryptionConfig;
  /** Of the side that is sealed. */
  readonly key: KeyProvider;
}

/** What there is to say of one that is done. */
export interface Answered extends Moved {
  readonly from: string;
  readonly to: string;
}

/** The store that the settings name, moved to a place beside it. Nothing is changed before all that can be refused is. */
export async function moveBeside(call: Speaker, store: Storage, wanted: Wanted): Promise<Answered> {
  const { config, direction, key } = wanted;
  const place = { project_dir: call.project_dir, home: homedir() };
  const from = placeOfStore(config.persistence, place)!;
  const turn = await takeMoversTurn(store);
  try {
    const begun = await markOf(store, direction);
    await refuseRunning(store);
    const since = call.now().toISOString();
    const id = begun?.id ?? newId('m');
    const { to, bare } = await openFree(call, wanted, id);
    const mark: Mark = { since, ...begun, id, direction, state: 'moving', to: to.value };
    try {
      await writeMark(store, mark);
      await writeNote(bare, { id: mark.id, direction, from });
      const sides = {
        from: { bare: store, open: direction === 'encrypt' ? store : await openEncryptedStorage(store, key) },
        to: { bare, open: direction === 'encrypt' ? await openSealed(bare, key) : bare },
      };
      const copied = await moveStore({
        ...sides,
        mark,
        config: config.checkpoints,
        switchOver: () => switchTo(call, wanted, to),
        onProgress: call.onProgress,
      });
      const freed = await leaveEmpty(store, bare, mark, call.onProgress);
      return { ...copied, freed, from: from.value, to: to.value };
    } catch (error) {
      if (!isSwitched(call, to)) await abandonMove(store, bare, mark).catch(() => {});
      throw error;
    } finally {
      await bare.close();
    }
  } finally {
    await turn.release();
  }
}

/** After a move that was cut off behind its switch: the store that was left is emptied. Null where there is none. */
export async function finishLeaving(call: Speaker, store: Storage, config: Config): Promise<Note | null> {
  const note = await readNote(store);
  if (!note) return null;
  const before = { ...config, persistence: { ...config.persistence, [note.from.name]: note.from.value } };
  const { project_dir } = call;
  const old = isThere(before, project_dir) ? await openUnsealed(before, { project_dir }) : null;
  try {
    const mark = old && (await readMark(old));
    if (old && mark?.id === note.id) {
      const turn = await takeMoversTurn(old);
      try {
        await leaveEmpty(old, store, mark, call.onProgress);
      } finally {
        await turn.release();
      }
    } else await store.delete(NOTE.category, NOTE.key);
  } finally {
    await old?.close();
  }
  return note;
}

/** One that everything is moved out of is not to be given another key meanwhile, nor made anew. */
export async function refuseMoved(store: Storage): Promise<void> {
  const mark = await readMark(store);
  if (mark?.state === 'moved') throw refusal(mark);
}

/** The settings that a move writes. */
export const WRITTEN: readonly string[] = [
  ...['storage_type', 'base_dir', 'path', 'schema'].map((name) => `persistence.${name}`),
  ...['enabled', 'key_from', 'key_file', 'key_command'].map((name) => `encryption.${name}`),
];

/** The first place in which nothing is, or what this move has begun. */
async function openFree(
  { project_dir }: Speaker,
  { config, direction }: Wanted,
  id: string,
): Promise<{ to: PlaceSetting; bare: Storage }> {
  const place = { project_dir, home: homedir() };
  for (let n = 1; ; n++) {
    const to = placeBeside(config.persistence, place, direction, n);
    const bare = await openUnsealed(at(config, to), { project_dir });
    if (await isFreeFor(bare, id)) return { to, bare };
    await bare.close();
  }
}

/** One that was begun with another key, or was being taken back, is begun again. */
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

function at(config: Config, { name, value }: PlaceSetting): Config {
  return { ...config, persistence: { ...config.persistence, [name]: value } };
}

/** One write: until it is there the settings name the one store, from then on the other. */
function switchTo(call: Speaker, { config, encryption }: Wanted, { name, value }: PlaceSetting): void {
  const { storage_type } = config.persistence;
  const others = [
    ['persistence.storage_type', storage_type],
    [`persistence.${name}`, value],
  ] as const;
  noteKey(call, encryption, config, others);
}

function isSwitched({ project_dir }: Speaker, { name, value }: PlaceSetting): boolean {
  return loadConfig({ project_dir }).config.persistence[name] === value;
}

/** Nobody here knows how to make a second store of somebody else's. */
export function refuseOthers({ say, project_dir }: Speaker, { persistence }: Config): void {
  if (placeOfStore(persistence, { project_dir, home: homedir() })) return;
  const { storage_type } = persistence;
  throw new InvalidInputError('USAGE', say('keys.move.others', { type: storage_type }), {
    data: { storage_type },
    hint: say('keys.move.others_hint'),
  });
}
