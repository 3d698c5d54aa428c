/**
 * Where a journal ends, as two positions for the same place. The inner store's chain covers the ciphertext, which cannot be
 * predicted; but the writer of an entry has to know its position in advance, because a record of the same commit may contain
 * it. Callers therefore see a chain over the plaintext, whose hashes are encrypted with the entries.
 */
import { CorruptError } from '../../errors.ts';
import type { Backend, Position } from '../backend.ts';
import { START } from '../chain.ts';
import type { Cuts } from './cuts.ts';
import type { Journal } from './journal.ts';

export interface End {
  /** As callers see it. */
  readonly outer: Position;
  /** As the inner store has it. */
  readonly stored: Position;
}

export const NO_END: End = { outer: START, stored: START };

export interface Ends {
  find(task: string): Promise<End>;
  /** The same position, as callers see it. If the entry cannot be read, the stored hash is used. */
  outerOf(task: string, stored: Position): Promise<Position>;
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
  const outerOf: Ends['outerOf'] = async (task, { seq, hash }) =>
    seq === 0 ? START : { seq, hash: (await hashAt(task, seq)) ?? hash };
  return {
    outerOf,
    async find(task) {
      const stored = await inner.position(task);
      return { stored, outer: await outerOf(task, stored) };
    },
  };
}
