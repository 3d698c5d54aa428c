/** What git would start processes for, done on the files of a repository that is in no unusual state. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Git looks after no repository of a test: that is a process more for every commit. */
export const NO_UPKEEP: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'gc.auto',
  GIT_CONFIG_VALUE_1: '0',
};

/** The branch that is checked out; undefined where only git can tell. */
export function branchOf(dir: string): string | undefined {
  const head = join(dir, '.git', 'HEAD');
  return existsSync(head) ? /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(head, 'utf8'))?.[1] : undefined;
}

/** The commit that is checked out; undefined where only git can tell. */
export function headOf(dir: string): string | undefined {
  const branch = branchOf(dir);
  const ref = branch && join(dir, '.git', 'refs', 'heads', branch);
  return ref && existsSync(ref) ? readFileSync(ref, 'utf8').trim() : undefined;
}

export function writeRef(gitDir: string, ref: string, commit: string): void {
  const path = join(gitDir, ref);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${commit}\n`);
}

/** What a push of the branch that is checked out leaves behind; false where only git can do it. */
export function pushByFiles(dir: string, upstream: string): boolean {
  const [branch, commit] = [branchOf(dir), headOf(dir)];
  if (!branch || !commit) return false;
  const options = { recursive: true, force: false } as const;
  cpSync(join(dir, '.git', 'objects'), join(upstream, 'objects'), options);
  writeRef(upstream, `refs/heads/${branch}`, commit);
  writeRef(join(dir, '.git'), `refs/remotes/origin/${branch}`, commit);
  return true;
}

/** Files by their paths in a directory; null is a directory. */
export type Copied = ReadonlyMap<string, Buffer | null>;

export function filesBelow(dir: string, parts: readonly string[]): Copied {
  const below = parts.flatMap((part) => [
    part,
    ...readdirSync(join(dir, part), { recursive: true, encoding: 'utf8' }).map((path) => join(part, path)),
  ]);
  return new Map(
    below
      .filter((path) => !/hooks.[^/\\]+\.sample$/.test(path))
      .map((path) => [path, lstatSync(join(dir, path)).isDirectory() ? null : readFileSync(join(dir, path))]),
  );
}

/** Repositories name each other by their paths in their settings. */
export function writeFiles(files: Copied, from: string, dir: string): void {
  for (const [path, content] of files) {
    if (content === null) mkdirSync(join(dir, path), { recursive: true });
    else if (basename(path) !== 'config') writeFileSync(join(dir, path), content);
    else writeFileSync(join(dir, path), content.toString().replaceAll(from, dir));
  }
}
