/**
 * Where a journal ends, in two words for the same place. The inner store's chain runs over what is sealed, which nobody can
 * foretell; whoever writes an entry has to know where it will stand, so that a record of the same commit can say so. Callers
 * are therefore told of a chain over what they wrote. Its hashes are sealed with the entries.
 */
import { CorruptError } from '../../errors.ts';
import type { Backend, Position } from '../backend.ts';
import { START } from '../chain.ts';
import type { Cuts } from './cuts.ts';
import type { Journal } from './journal.ts';

export interface End {
  /** As callers know it. */
  readonly told: Position;
  /** As the inner store has it. */
  readonly stored: Position;
}

export const NO_END: End = { told: START, stored: START };

export interface Ends {
  find(task: string): Promise<End>;
  /** The same place, as callers know it. What cannot be read there has no other hash than the stored one. */
  told(task: string, stored: Position): Promise<Position>;
}

export function openEnds(inner: Backend, journal: Journal, cuts: Cuts): Ends {
  const hashAt = async (task: string, seq: number): Promise<string | null> => {
    try {
      for await (const [entry] of journal.read(task, { from: seq, to: seq })) if (entry) return entry.hash;
      return await cuts.hashAt(task, seq);
    } catch (error) {
      if (error instanceof CorruptError) return null;
      throw error;
    }
  };
  const told: Ends['told'] = async (task, { seq, hash }) =>
    seq === 0 ? START : { seq, hash: (await hashAt(task, seq)) ?? hash };
  return {
    told,
    async find(task) {
      const stored = await inner.position(task);
      return { stored, told: await told(task, stored) };
    },
  };
}
