/** Bugs that give a task to two processes when one of them copies the project, each as a small change to a copy of the engine. */
import type { Mutant } from '../crash/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a process that lost its lock on a file counts as dead',
    changes: [
      {
        file: 'system/locks/instances.ts',
        find: 'return mark !== PROCESS_MARK && processLives(mark) === true;',
        replace: 'return false;',
      },
    ],
  },
];
