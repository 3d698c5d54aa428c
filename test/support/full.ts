/**
 * What `npm test` leaves to `npm run test:full`: repetition alone, the same promise on another store, with more seeds, at
 * more points, and the seeded bugs. Whatever is left out goes through this file: look for its importers.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Everything, at full size. */
export const FULL: boolean = process.env.VIBE_TEST === 'full';

/** So much of it, unless everything is wanted. */
export function unlessFull<T>(some: T, all: T): T {
  return FULL ? all : some;
}

/** Bugs seeded into sources that were changed since the last commit; all of them where everything is wanted. */
export function seededBugs<T extends { readonly changes: readonly { readonly file: string }[] }>(
  bugs: readonly T[],
): readonly T[] {
  return FULL ? bugs : bugs.filter(({ changes }) => changes.some(({ file }) => changed().has(`src/${file}`)));
}

let found: Set<string> | undefined;

/** Where there is no git, or no repository, nobody has changed anything. */
function changed(): Set<string> {
  found ??= new Set(git('status', '--porcelain', '--no-renames', '--', 'src').map((line) => line.slice(3)));
  return found;
}

function git(...args: string[]): string[] {
  try {
    const cwd = join(import.meta.dirname, '..', '..');
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split(
      '\n',
    );
  } catch {
    return [];
  }
}
