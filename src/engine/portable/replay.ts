/** A journal as it is written anew: numbers stay, hashes follow from what is there. Pure. */
import { next, START } from '../../storage/chain.ts';
import type { Position } from '../../storage/contract.ts';
import { Encoded } from '../../storage/serialize.ts';

export interface Replay {
  /** From 1 on, without a gap. */
  readonly entries: readonly Encoded[];
  /** Where the journal is after so many entries. */
  readonly positions: readonly Position[];
  /** What has to be cut afterwards, since it was cut there. */
  readonly cuts: readonly { readonly from: number; readonly to: number }[];
}

/** Takes the place of an entry that was cut. */
const FILLER = 'null';

export function replay(entries: ReadonlyMap<number, string>, end: number): Replay {
  const texts = Array.from({ length: end }, (_, index) => entries.get(index + 1));
  const positions: Position[] = [START];
  for (const text of texts) positions.push(next(positions.at(-1)!, text ?? FILLER));
  const cuts: { from: number; to: number }[] = [];
  texts.forEach((text, index) => {
    const seq = index + 1;
    const last = cuts.at(-1);
    if (text !== undefined) return;
    if (last?.to === seq - 1) last.to = seq;
    else cuts.push({ from: seq, to: seq });
  });
  return { entries: texts.map((text) => new Encoded(text ?? FILLER)), positions, cuts };
}
