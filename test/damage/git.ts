/** A repository that snapshots rely on, and damage to its objects and to the refs that hold them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '../crash/random.ts';

/** The files that the task edits are in it as they were before, so that their first versions lie with git alone. */
export function makeRepository(dir: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', 'theirs.txt', 'file0.txt', 'file1.txt');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'first');
}

/** What was done, in words; `branch`: it is no longer known which branch this is, which may be asked about. */
export function damageGit(dir: string, rng: Random): { readonly what: string; readonly branch: boolean } {
  const root = join(dir, '.git');
  const files = ['objects', 'refs'].flatMap((part) => filesBelow(join(root, part)));
  // Nothing is left of it where it was removed before.
  if (files.length === 0 || rng.oneIn(8)) {
    const whole = rng.pick(['.git', '.git/objects', '.git/refs/vibe-engine', '.git/HEAD', '.git/index']);
    rmSync(join(dir, whole), { recursive: true, force: true });
    return { what: `remove ${whole}`, branch: true };
  }
  const path = rng.pick(files.sort());
  const bytes = readFileSync(path);
  const way = rng.pick(['flip', 'cut', 'empty', 'remove'] as const);
  chmodSync(path, 0o644);
  if (way === 'remove') rmSync(path);
  else if (way === 'flip') {
    bytes[rng.below(bytes.length)]! ^= 1 << rng.below(8);
    writeFileSync(path, bytes);
  } else writeFileSync(path, bytes.subarray(0, way === 'cut' ? rng.below(bytes.length) : 0));
  const name = relative(dir, path);
  return { what: `${way} ${name}`, branch: !name.startsWith('.git/refs/vibe-engine') };
}

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
