/**
 * The keys of tasks, each a random one, sealed with the root key in `keys/{task}`; and the key for everything outside tasks.
 */
import { randomBytes } from 'node:crypto';
import { CorruptError, StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, PreparedRecord } from '../backend.ts';
import { recordsCommit } from '../prepare.ts';
import { derive, KEY_BYTES, type SealedItem } from './aead.ts';
import { createDataKey, type DataKey } from './data-key.ts';
import type { RootKey } from './locked-key.ts';
import { KEYS, OF_TASKS } from './names.ts';

export interface Keyring {
  readonly store: string;
  /** For records and blobs outside tasks. */
  readonly outside: DataKey;
  /** The task's key, if it is cached. */
  atHand(task: string): DataKey | undefined;
  /** The task's key; null when it has none, and so nothing that could be opened. */
  find(task: string): Promise<DataKey | null>;
  /** The task's key, made now if it has none. */
  make(task: string): Promise<DataKey>;
  /** Another process may have removed the task, and its key, since. */
  refresh(task: string): void;
  /** Whether there is one in the store, whether or not it opens. */
  has(task: string): Promise<boolean>;
  remove(task: string): Promise<void>;
}

const NO_STAMP = { seq: 0, previous: '' } as const;

export function openKeyring(inner: Backend, { store, secret }: RootKey): Keyring {
  const keeper = createDataKey('00000001', derive(secret, new Uint8Array(0), 'keys'));
  const outside = createDataKey('00000000', derive(secret, new Uint8Array(0), 'outside'));
  const cache = new Map<string, DataKey>();
  const keyOf = (task: string) => `${OF_TASKS}/${task}`;
  const write = (record: PreparedRecord) => inner.commit(recordsCommit(null, [record]));
  const itemOf = (task: string): SealedItem => ({ store, task, kind: 'key', id: task });

  const load = async (task: string): Promise<DataKey | null> => {
    const record = await inner.get(KEYS, keyOf(task));
    if (!record) return null;
    const text = keeper.openText(itemOf(task), record.text)?.text;
    const [id, secret] = text?.split(' ') ?? [];
    if (!id || !secret) throw damaged(task);
    return createDataKey(id, Buffer.from(secret, 'base64'));
  };

  /** Encrypted data always had a key: a lost one must not be replaced by another. */
  const isNew = async (task: string): Promise<boolean> =>
    (await inner.position(task)).seq === 0 &&
    (await inner.page({ category: 'tasks' }, { prefix: `${task}/`, limit: 1 })).keys.length === 0;

  const create = async (task: string): Promise<DataKey | null> => {
    if (!(await isNew(task))) return null;
    const id = randomBytes(4).toString('hex');
    const secret = randomBytes(KEY_BYTES);
    const text = keeper.sealText(itemOf(task), NO_STAMP, `${id} ${secret.toString('base64')}`);
    try {
      await write({ category: KEYS, key: keyOf(task), text, expect: 0 });
      return createDataKey(id, secret);
    } catch (error) {
      if (error instanceof StaleWriteError) return null; // Another process created it.
      throw error;
    }
  };

  const find = async (task: string): Promise<DataKey | null> => {
    const known = cache.get(task) ?? (await load(task));
    if (known) cache.set(task, known);
    return known;
  };

  return {
    store,
    outside,
    atHand: (task) => cache.get(task),
    find,
    async make(task) {
      const key = (await find(task)) ?? (await create(task)) ?? (await find(task));
      if (!key) throw damaged(task, phrase`is missing`);
      cache.set(task, key);
      return key;
    },
    refresh: (task) => void cache.delete(task),
    has: async (task) => (await inner.get(KEYS, keyOf(task))) !== null,
    async remove(task) {
      cache.delete(task);
      await write({ category: KEYS, key: keyOf(task), text: null, expect: undefined });
    },
  };
}

function damaged(task: string, how = phrase`is not what was stored`): CorruptError {
  return new CorruptError(phrase`The key of task ${task} ${how}.`, {
    data: { task, where: `${KEYS}/${OF_TASKS}/${task}` },
    hint: phrase`Restore it from a backup: without it nothing of this task can be read. Other tasks are not affected.`,
  });
}
