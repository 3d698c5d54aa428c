/** Encrypts and decrypts records. */
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Backend, StoredText } from '../backend.ts';
import { taskOfRecord } from '../keys.ts';
import type { SealedItem } from './aead.ts';
import { type DataKey, isSealed } from './data-key.ts';
import type { Keyring } from './keyring.ts';

interface OpenedRecord extends StoredText {
  /** Where the task's journal ended when it was written; 0 outside tasks. */
  readonly seq: number;
}

export interface Records {
  /** `seq`: where the task's journal ends with the commit that writes it. */
  seal(key: DataKey, category: string, name: string, seq: number, text: string): string;
  /** The record opened, or null when there is none. CORRUPT when it is not what was stored here. */
  get(category: string, name: string): Promise<OpenedRecord | null>;
}

export function openRecords(inner: Backend, keyring: Keyring): Records {
  const { store } = keyring;
  const itemOf = (task: string | null, category: string, name: string): SealedItem => ({
    store,
    task: task ?? '',
    kind: 'record',
    id: `${category}/${name}`,
  });
  return {
    seal: (key, category, name, seq, text) =>
      key.sealText(itemOf(taskOfRecord(category, name), category, name), { seq, previous: '' }, text),
    async get(category, name) {
      const record = await inner.get(category, name);
      if (!record) return null;
      const task = taskOfRecord(category, name);
      const key = task === null ? keyring.outside : await keyring.find(task);
      const opened = key?.openText(itemOf(task, category, name), record.text);
      if (!opened) throw notOurs(task, category, name, record.text);
      const { revision, updated_at } = record;
      return { text: opened.text, seq: opened.seq, revision, updated_at };
    },
  };
}

function notOurs(task: string | null, category: string, key: string, text: string): CorruptError {
  const what = isSealed(text)
    ? phrase`does not decrypt to what was stored there`
    : phrase`is not encrypted, although everything else in this store is`;
  return new CorruptError(phrase`The record ${category}/${key} ${what}.`, {
    data: { task, category, key },
    hint: phrase`Something other than the store changed it or put it there. Restore it from a backup; nothing was changed.`,
  });
}
