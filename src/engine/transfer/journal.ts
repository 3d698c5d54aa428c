/** Writes a journal to another store: its numbers stay, the hashes are those of the new store. */
import { START } from '../../storage/chain.ts';
import type { Claim, Position, Storage } from '../../storage/contract.ts';
import { gapsAmong } from '../../storage/ranges.ts';

const AT_ONCE = 500;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Takes the place of an entry that was cut, until it is cut here, too. */
export const FILLER = 'null';

export interface EntryText {
  readonly seq: number;
  readonly text: string;
}

/** In parts, up to the entry `end`; continues after what is already there. */
export async function writeJournal(
  to: Storage,
  { task, fence }: Claim,
  entries: (after: number) => AsyncIterable<EntryText> | Iterable<EntryText>,
  end: number,
): Promise<void> {
  let after: Position = await to.position(task);
  if (after.seq >= end) return;
  let texts: string[] = [];
  let characters = 0;
  const write = async (): Promise<void> => {
    if (texts.length === 0) return;
    after = (await to.commit({ task, fence, append: { after, texts } })).position!;
    texts = [];
    characters = 0;
  };
  const add = async (text: string): Promise<void> => {
    texts.push(text);
    characters += text.length;
    if (texts.length >= AT_ONCE || characters > MOST_CHARACTERS) await write();
  };
  const fillUpTo = async (seq: number): Promise<void> => {
    while (after.seq + texts.length < seq) await add(FILLER);
  };
  for await (const { seq, text } of entries(after.seq)) {
    await fillUpTo(seq - 1);
    await add(text);
  }
  await fillUpTo(end);
  await write();
}

/** Cuts those of these entries that the original does not have. */
export async function cutGaps(
  to: Storage,
  { task, fence }: Claim,
  there: Iterable<number>,
  has: (seq: number) => boolean,
): Promise<void> {
  for (const [first, last] of gapsAmong(there, has))
    await to.commit({ task, fence, cut: { from: first, to: last } });
}

/** By entry number; not known for cut entries. */
export async function hashesIn(store: Storage, task: string): Promise<Map<number, string>> {
  const hashes = new Map([[START.seq, START.hash]]);
  for await (const { seq, hash } of store.read(task)) hashes.set(seq, hash);
  return hashes;
}

export async function hashAt(store: Storage, task: string, seq: number): Promise<string | undefined> {
  if (seq === START.seq) return START.hash;
  for await (const { hash } of store.read(task, { from: seq, to: seq })) return hash;
  return undefined;
}
