/** Writes a journal to another store: numbers stay, hashes are those of the new store. */
import { START } from '../../storage/chain.ts';
import type { Claim, Position, Storage } from '../../storage/contract.ts';
import { gapsAmong } from '../../storage/ranges.ts';
import { encode } from '../../storage/serialize.ts';
import type { Hashes } from '../task/settle.ts';
import type { ReadTask } from './read.ts';

type ExportedJournal = Pick<ReadTask, 'entries' | 'end'>;

/** Takes the place of an entry that was cut. */
const FILLER = 'null';
const AT_ONCE = 500;

/** Whether the existing journal is the start of this one: the same entries, as far as both have them. */
export async function isBeginning(
  storage: Storage,
  task: string,
  { entries, end }: ExportedJournal,
  upTo?: number,
): Promise<boolean> {
  if (upTo === undefined && (await storage.position(task)).seq > end) return false;
  for await (const { seq, data } of storage.read(task, upTo === undefined ? {} : { to: upTo })) {
    const told = entries.get(seq) ?? (upTo === undefined ? FILLER : undefined);
    if (told !== undefined && told !== encode(data)) return false;
  }
  return true;
}

/** In parts, after what already exists. What was cut is cut again, once the hash of every place is known. */
export async function writeJournal(
  storage: Storage,
  { task, fence }: Claim,
  { entries, end }: ExportedJournal,
): Promise<Hashes> {
  let after: Position = await storage.position(task);
  while (after.seq < end) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, end - after.seq) }, (_, n) => after.seq + 1 + n);
    const texts = numbers.map((seq) => entries.get(seq) ?? FILLER);
    after = (await storage.commit({ task, fence, append: { after, texts } })).position!;
  }
  const hashes = new Map([[START.seq, START.hash]]);
  for await (const { seq, hash } of storage.read(task)) hashes.set(seq, hash);
  const numbers = Array.from({ length: end }, (_, n) => n + 1);
  for (const [from, to] of gapsAmong(numbers, (seq) => entries.has(seq)))
    await storage.commit({ task, fence, cut: { from, to } });
  return hashes;
}
