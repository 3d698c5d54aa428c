/** Bugs of the kind that stories are told to find, each as a small change to a copy of the engine: all must be caught. */
import { type Mutant, missedOf, withBug } from '../crash/mutants.ts';
import { tellStories } from './campaign.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the task is run again from an older point with its later edits in place',
    changes: [
      {
        file: 'engine/lifecycle/take-back.ts',
        find: "...(plan.some(({ action }) => action !== 'keep') ? {} : { only: 'state' as const }),",
        replace: "...{ only: 'state' as const },",
      },
    ],
  },
  {
    name: 'merge on resume keeps what is there',
    changes: [
      {
        file: 'engine/files/outside.ts',
        find: "if (chosen === 'merge') {",
        replace: "if (chosen === 'nothing') {",
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
    name: 'a preview shows another merge than is made',
    changes: [
      {
        file: 'workspace/restore/preview.ts',
        find: '=> merged?.entry ?? null;',
        replace: '=> merged && item.target;',
      },
    ],
  },
  {
    name: 'an undo forgets a file',
    changes: [
      {
        file: 'workspace/restore/restore.ts',
        find: "    .filter(({ action }) => action === 'put' || action === 'remove')\n    .map(({ path, current, target })",
        replace:
          "    .filter(({ action }) => action === 'put' || action === 'remove')\n    .slice(1)\n    .map(({ path, current, target })",
      },
    ],
  },
];

/** What was said of it when it was caught; undefined when so many stories did not. */
export async function catchMutant(mutant: Mutant, seed: number, count: number): Promise<string | undefined> {
  return withBug(mutant, async (src) => {
    const { violations } = await tellStories({ src, seed, count, real_kills: 0, stop_at_first: true });
    return violations[0]?.what;
  });
}

/** The names of the bugs that went unnoticed. */
export function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  return missedOf(MUTANTS, (mutant) => catchMutant(mutant, seed, 2000), say);
}
