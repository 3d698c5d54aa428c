/** Bugs of the kind that the rounds are to find, each as a small change to a copy of the engine: all must be caught. */
import { type Mutant, missedOf, withBug } from '../crash/mutants.ts';
import { playRounds } from './campaign.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'what commands did to files that are not captured is not told',
    changes: [
      {
        file: 'workspace/restore/restore.ts',
        find: "if (!told.has(path)) kept.push({ path, why: 'not_captured' });",
        replace: "if (path === '') kept.push({ path, why: 'not_captured' });",
      },
    ],
  },
  {
    name: 'a restore overwrites what others changed',
    changes: [
      {
        file: 'workspace/restore/plan.ts',
        find: "return { ...item, action: 'ask', target: atCheckpoint, why };",
        replace:
          "return { ...item, action: atCheckpoint ? 'put' : 'remove', target: atCheckpoint, why: null };",
      },
    ],
  },
  {
    name: 'what task.files changes is not kept where it is not captured',
    changes: [
      {
        file: 'engine/run/task-files.ts',
        find: 'access.keep(path);',
        replace: 'access.nameInSnapshots(path);',
      },
    ],
  },
];

/** What was said of it when it was caught; undefined when so many rounds did not. */
export async function catchMutant(mutant: Mutant, seed: number, count: number): Promise<string | undefined> {
  return withBug(mutant, async (src) => {
    const { violations } = await playRounds({ src, seed, count, stop_at_first: true });
    return violations[0]?.what;
  });
}

/** The names of the bugs that went unnoticed. */
export function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  return missedOf(MUTANTS, (mutant) => catchMutant(mutant, seed, 300), say);
}
