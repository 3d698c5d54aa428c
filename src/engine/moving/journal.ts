/** Copies a journal to another store. */
import type { Claim, Storage } from '../../storage/contract.ts';
import { gapsAmong } from '../../storage/ranges.ts';
import { encode } from '../../storage/serialize.ts';
import { cutGaps, type EntryText, writeJournal } from '../transfer/journal.ts';

/** Continues after what is already there. */
export async function copyJournal(from: Storage, to: Storage, claim: Claim): Promise<void> {
  const { task } = claim;
  const { seq: end } = await from.position(task);
  async function* entries(after: number): AsyncGenerator<EntryText> {
    for await (const { seq, data } of from.read(task, { from: after + 1, to: end }))
      yield { seq, text: encode(data) };
  }
  await writeJournal(to, claim, entries, end);
}

/** Repeats the cuts of the source. */
export async function copyCuts(from: Storage, to: Storage, task: string): Promise<void> {
  const [kept, there] = [await numbersOf(from, task), await numbersOf(to, task)];
  const has = (seq: number): boolean => kept.has(seq);
  if (gapsAmong(there, has).length === 0) return;
  const claim = await to.claim(task);
  try {
    await cutGaps(to, claim, there, has);
    await to.compact(task, { fence: claim.fence });
  } finally {
    await claim.release();
  }
}

async function numbersOf(store: Storage, task: string): Promise<Set<number>> {
  const numbers = new Set<number>();
  for await (const { seq } of store.read(task)) numbers.add(seq);
  return numbers;
}
