/** Bugs that let a worker go on with a task that it has lost, each as a small change to a copy of the engine. */
import { type Mutant, withBug } from '../crash/mutants.ts';
import { zombie } from './zombies.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a claim counts until its timer fires',
    changes: [
      {
        file: 'storage/postgres/claims.ts',
        find: 'if (elapsed() >= claim.until) lose(claim);',
        replace: '',
      },
    ],
  },
  {
    name: 'nobody asks whether the task is still its own',
    changes: [
      { file: 'engine/run/stopping.ts', find: 'if (claim.live()) return true;', replace: 'return true;' },
    ],
  },
];

/** Commits after which a step follows at once. Which of two things a process that wakes sees first is up to the kernel. */
const SHOWN_AT = [5, 1, 3, 6];
const MOST_TRIES = 12;

/** What the worker with the bug in it began when it woke; empty when it was never seen to begin anything. */
export function begunWithBug(mutant: Mutant): Promise<readonly string[]> {
  return withBug(mutant, async (src) => {
    for (let n = 0; n < MOST_TRIES; n++) {
      const { begun } = await zombie(src, SHOWN_AT[n % SHOWN_AT.length]!);
      if (begun.length > 0) return begun;
    }
    return [];
  });
}
