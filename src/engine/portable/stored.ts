/** Everything stored of one task except its blobs, as lines of a file: its journal, then its records. */
import type { Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { recordsOf } from '../task/layout.ts';
import { WITHHELD } from '../task/records/withheld.ts';
import type { PortableContent } from './format.ts';

export type Stored = Extract<PortableContent, { data: string }>;

export async function* storedOf(storage: Storage, task: string): AsyncGenerator<Stored> {
  for await (const { seq, data } of storage.read(task)) yield { t: 'entry', task, seq, data: encode(data) };
  for await (const { kind, category, key } of recordsOf(storage, task)) {
    if (kind?.travels !== 'always' || kind === WITHHELD) continue; // It is written again.
    const data = await storage.load(category, key);
    if (data !== null) yield { t: 'record', category, key, data: encode(data) };
  }
}
