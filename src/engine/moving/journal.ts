/** Copies a journal to another store, piece by piece: the numbers stay, the hashes are those of the new store. */
import { START } from '../../storage/chain.ts';
import type { Claim, Position, Storage } from '../../storage/contract.ts';
import { gapsAmong, type Span } from '../../storage/ranges.ts';
import { encode } from '../../storage/serialize.ts';

const AT_ONCE = 500;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Takes the place of an entry that was cut, until it is cut here, too. */
const FILLER = null;

/** Continues after what is already there. */
export async function copyJournal(from: Storage, to: Storage, { task, fence }: Claim): Promise<void> {
  const { seq: end } = await from.position(task);
  let after: Position = await to.position(task);
  if (after.seq >= end) return;
  let waiting: unknown[] = [];
  let characters = 0;
  const write = async (): Promise<void> => {
    if (waiting.length === 0) return;
    after = (await to.commit({ task, fence, append: { after, entries: waiting } })).position!;
    waiting = [];
    characters = 0;
  };
  const add = async (entry: unknown): Promise<void> => {
    waiting.push(entry);
    characters += encode(entry).length;
    if (waiting.length >= AT_ONCE || characters > MOST_CHARACTERS) await write();
  };
  const fillUpTo = async (seq: number): Promise<void> => {
    while (after.seq + waiting.length < seq) await add(FILLER);
  };
  for await (const { seq, data } of from.read(task, { from: after.seq + 1, to: end })) {
    await fillUpTo(seq - 1);
    await add(data);
  }
  await fillUpTo(end);
  await write();
}

/** By entry number; not known for cut entries. */
export async function hashesIn(store: Storage, task: string): Promise<Map<number, string>> {
  const hashes = new Map([[START.seq, START.hash]]);
  for await (const { seq, hash } of store.read(task)) hashes.set(seq, hash);
  return hashes;
}

/** Repeats the cuts of the source. */
export async function copyCuts(from: Storage, to: Storage, task: string): Promise<void> {
  const left = await gapsOf(from, task, await numbersOf(to, task));
  if (left.length === 0) return;
  const claim = await to.claim(task);
  try {
    const { fence } = claim;
    for (const [first, last] of left) await to.commit({ task, fence, cut: { from: first, to: last } });
    await to.compact(task, { fence: claim.fence });
  } finally {
    await claim.release();
  }
}

/** Ranges among these numbers that the journal does not have. */
async function gapsOf(from: Storage, task: string, there: ReadonlySet<number>): Promise<readonly Span[]> {
  const kept = await numbersOf(from, task);
  return gapsAmong(there, (seq) => kept.has(seq));
}

async function numbersOf(store: Storage, task: string): Promise<Set<number>> {
  const numbers = new Set<number>();
  for await (const { seq } of store.read(task)) numbers.add(seq);
  return numbers;
}
