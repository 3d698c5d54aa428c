/** A directory on a real disk to measure in, gone afterwards. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInMemory } from './machine.ts';

export interface Scratch {
  readonly directory: string;
  /** A path in it that nobody has yet. */
  fresh(name: string): string;
  remove(): void;
}

/** In the checkout, ignored by git: the place to go when the temporary directory is only memory. */
const ELSEWHERE = join(import.meta.dirname, '..', '..', '.vibe-engine', 'bench');

export function openScratch(): Scratch {
  const directory = mkdtempSync(join(placeOnDisk(), 'vibe-engine-bench-'));
  let used = 0;
  return {
    directory,
    fresh: (name) => join(directory, `${name}-${used++}`),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function placeOnDisk(): string {
  if (!isInMemory(tmpdir())) return tmpdir();
  mkdirSync(ELSEWHERE, { recursive: true });
  if (isInMemory(ELSEWHERE)) {
    throw new Error(`${tmpdir()} and ${ELSEWHERE} are both in memory. Set TMPDIR to a directory on a disk.`);
  }
  // What a bench starts (a database server) follows.
  process.env.TMPDIR = ELSEWHERE;
  return ELSEWHERE;
}
