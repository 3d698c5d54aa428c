/** All that is stored of one task but for its blobs, as lines of a file: its journal, then its records. */
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { everyKey } from '../../storage/walk.ts';
import { IMPORTED } from '../task/records/imported.ts';
import type { PortableContent } from './format.ts';

export type Stored = Extract<PortableContent, { data: string }>;

export async function* storedOf(storage: Storage, task: string): AsyncGenerator<Stored> {
  for await (const { seq, data } of storage.read(task)) yield { t: 'entry', task, seq, data: encode(data) };
  yield* recordsOf(storage, task);
}

/** What lies at `tasks/{task}/`, and what others were told of it. Notes on work that is under way mean nothing elsewhere. */
async function* recordsOf(storage: Storage, task: string): AsyncGenerator<Stored> {
  for (const [category, prefix] of [
    ['tasks', `${task}/`],
    ['inbox', `${task}/`],
    ['history', task],
    ['conversation', `conv-auto-save-${task}`],
  ] as const) {
    for await (const key of everyKey(storage, category, { prefix })) {
      if (!prefix.endsWith('/') && key !== prefix) continue;
      const data = LOCAL.has(key.slice(task.length + 1)) ? null : await storage.load(category, key);
      if (data !== null) yield { t: 'record', category, key, data: encode(data) };
    }
  }
}

/** `withheld` is said anew. */
const LOCAL: ReadonlySet<string> = new Set(['creating', 'withheld', IMPORTED]);
