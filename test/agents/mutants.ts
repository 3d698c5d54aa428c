/** Bugs that lose edits, tear files or hide conflicts, each as a small change to a copy of the engine: all must be caught. */
import { type Mutant, missedOf, withBug } from '../crash/mutants.ts';
import { twoAgents } from './campaign.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'others may write between check and write',
    changes: [
      {
        file: 'workspace/editing/optimistic-lock.ts',
        find: 'hashOf(content) === originalVersion.hash;',
        replace: 'hashOf(content) !== undefined;',
      },
    ],
  },
  {
    name: 'what others wrote is not merged in',
    changes: [
      {
        file: 'engine/files/sides.ts',
        find: 'if (sameBytes(base, theirs)) return',
        replace: 'if (sameBytes(base, base)) return',
      },
    ],
  },
  {
    name: 'files are written under their names',
    changes: [
      {
        file: 'workspace/editing/put-file.ts',
        find: 'else if (there) io.rename(place, target);',
        replace: `else if (there) {
          removeIfExists(target);
          const torn = io.open(target, 'wx', 0o666);
          for (const byte of bytes) writeAll(torn, Uint8Array.of(byte));
          io.close(torn);
        }`,
      },
    ],
  },
  {
    name: 'an edit that was cut off is made of what is there',
    changes: [
      {
        file: 'engine/run/task-files.ts',
        find: 'if (found === undefined) return',
        replace: 'if (found !== null) return',
      },
    ],
  },
  {
    name: 'a conflict is not reported',
    changes: [
      {
        file: 'engine/files/file-access.ts',
        find: "if (file.status === 'conflict')",
        replace:
          "if (file.status === 'conflict') return { status: 'written', content: change.content };\n      if ((file.status as string) === 'never')",
      },
    ],
  },
  {
    name: 'a write is acknowledged before it is made',
    changes: [
      {
        file: 'engine/files/file-access.ts',
        find: 'if (success) return file;',
        replace: 'return file;',
      },
      {
        file: 'engine/files/file-access.ts',
        find: 'const { success } = await lock.checkAndCommit(path, file.content, allowed);',
        replace: 'const success = true;\n      void lock.checkAndCommit(path, file.content, allowed);',
      },
    ],
  },
  {
    name: 'what others wrote meanwhile is undone with it',
    changes: [
      {
        file: 'engine/files/link.ts',
        find: 'ownPart: (from, to, wrote) => ownPart(workspace, from, to, wrote),',
        replace: 'ownPart: async (from, to, wrote) => (from && to && wrote && ownPart ? null : null),',
      },
    ],
  },
];

/** What was said of it when it was caught; undefined when it was not, in so many runs of so many milliseconds. */
export async function catchMutant(
  mutant: Mutant,
  seed: number,
  { runs, size }: { readonly runs: number; readonly size: number },
): Promise<string | undefined> {
  return withBug(mutant, async (src) => {
    for (let run = 0; run < runs; run++) {
      const { violations } = await twoAgents('json', { src, seed: seed + run, size, stopAtFirst: true });
      if (violations[0]) return violations[0].what;
    }
    return undefined;
  });
}

/** The names of the bugs that went unnoticed. */
export function catchAll(seed: number, say: (line: string) => void): Promise<string[]> {
  return missedOf(MUTANTS, (mutant) => catchMutant(mutant, seed, { runs: 12, size: 10_000 }), say);
}
