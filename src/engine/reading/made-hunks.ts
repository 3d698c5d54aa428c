/** Hunks that name the operations that made them, as far as the journal tells. */
import { type Blame, makersIn } from '../../merge/blame.ts';
import type { TextHunk } from '../../merge/hunks.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Maker } from '../files/authors.ts';
import type { MadeVersion } from '../files/versions.ts';
import { timelineOf } from './timeline/kept.ts';

export interface MadeHunk extends TextHunk {
  /** The operations that made it, oldest first; none where that is not known for all of it, or it was no operation of the task. */
  readonly steps: readonly MadeBy[];
}

export interface MadeBy extends Maker {
  /** Its row in the timeline of the task that was asked about. */
  readonly row: number;
}

/** Before their rows are known. */
export interface MakersHunk extends TextHunk {
  readonly makers: readonly Maker[];
}

export function withMakers(
  hunk: TextHunk,
  versions: readonly MadeVersion[],
  made: Blame<MadeVersion>,
): MakersHunk {
  const by = makersIn(hunk, made);
  const isKnown = [...by].every(({ maker }) => maker !== null);
  const makers = isKnown ? versions.flatMap((one) => (by.has(one) ? one.maker! : [])) : [];
  return { ...hunk, makers: [...new Set(makers)] };
}

/** The timeline is read only where there is something to find in it. */
export async function rowFinder(
  storage: Storage,
  task: string,
  makers: readonly Maker[],
): Promise<(hunk: MakersHunk) => MadeHunk> {
  const wanted = new Map(makers.map((maker) => [keyOf(maker.task, maker.seq), -1]));
  if (wanted.size > 0) {
    const { rows, journals } = (await timelineOf(storage, task)).index;
    for (let row = 0; row < rows.length; row++) {
      const key = keyOf(journals[rows.get('journal', row)]!, rows.get('seq', row));
      if (wanted.has(key)) wanted.set(key, row);
    }
  }
  return ({ makers, ...hunk }) => {
    const steps = makers.map((maker) => ({ ...maker, row: wanted.get(keyOf(maker.task, maker.seq))! }));
    return { ...hunk, steps: steps.every(({ row }) => row >= 0) ? steps : [] };
  };
}

const keyOf = (task: string, seq: number): string => `${task} ${seq}`;
