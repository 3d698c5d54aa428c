/** Bugs that let a directory that somebody sent run something, each as a small change to a copy of the sources. */
import { join } from 'node:path';
import { type Mutant, withBug } from '../crash/mutants.ts';
import { attack } from './campaign.ts';
import type { Template } from './template.ts';

export interface Bug extends Mutant {
  /** Where it shows. */
  readonly trait: string;
  readonly verb: string;
}

export const MUTANTS: readonly Bug[] = [
  {
    name: 'what a store wants run is not asked about',
    trait: 'no upstream',
    verb: 'resume',
    changes: [
      {
        file: 'cli/running/resume-here.ts',
        find: "const asks = (next.given.resume_with === null || !known) && how['agree-to'] !== next.line;",
        replace: 'const asks = false;',
      },
    ],
  },
  {
    name: 'the file system monitor of a repository runs',
    trait: 'git config',
    verb: 'drift',
    changes: [{ file: 'system/git/git.ts', find: "'core.fsmonitor=false'", replace: "'core.bare=false'" }],
  },
  {
    name: 'settings of a project count without trust',
    trait: 'a server',
    verb: 'tasks',
    changes: [
      {
        file: 'config/load.ts',
        find: 'if (!rule?.needed(value, project_dir) ||',
        replace: 'if (!rule ||  true ||',
      },
    ],
  },
];

/** What it was caught with; undefined where it was not. */
export async function catchMutant(template: Template, bug: Bug): Promise<string | undefined> {
  return withBug(bug, async (src) => {
    for (const number of [1, 2, 3, 4]) {
      const { violations } = await attack(template, {
        seed: 1,
        number,
        cli: [process.execPath, join(src, 'cli', 'main.ts')],
        commands: 4,
        traits: [bug.trait],
        only: ([verb]) => verb === bug.verb,
      });
      if (violations.length > 0) return violations[0];
    }
    return undefined;
  });
}
