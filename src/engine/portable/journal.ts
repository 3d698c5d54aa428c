/** The journal of an exported task in a store. */
import type { Claim, Storage } from '../../storage/contract.ts';
import { encode } from '../../storage/serialize.ts';
import { cutGaps, type EntryText, FILLER, hashesIn, writeJournal } from '../transfer/journal.ts';
import type { Hashes } from '../transfer/settle.ts';
import type { ReadTask } from './read.ts';

type ExportedJournal = Pick<ReadTask, 'entries' | 'end'>;

/** Whether the existing journal is the start of this one: the same entries, as far as both have them. */
export async function isBeginning(
  storage: Storage,
  task: string,
  { entries, end }: ExportedJournal,
  upTo?: number,
): Promise<boolean> {
  if (upTo === undefined && (await storage.position(task)).seq > end) return false;
  for await (const { seq, data } of storage.read(task, upTo === undefined ? {} : { to: upTo })) {
    const exported = entries.get(seq) ?? (upTo === undefined ? FILLER : undefined);
    if (exported !== undefined && exported !== encode(data)) return false;
  }
  return true;
}

/** What was cut is cut again, once the hash of every entry is known. */
export async function importJournal(
  storage: Storage,
  claim: Claim,
  { entries, end }: ExportedJournal,
): Promise<Hashes> {
  const numbers = Array.from({ length: end }, (_, n) => n + 1);
  const after = (last: number): EntryText[] =>
    numbers.slice(last).flatMap((seq) => {
      const text = entries.get(seq);
      return text === undefined ? [] : [{ seq, text }];
    });
  await writeJournal(storage, claim, after, end);
  const hashes = await hashesIn(storage, claim.task);
  await cutGaps(storage, claim, numbers, (seq) => entries.has(seq));
  return hashes;
}
