/** Builds the forgetting file system and mounts it for as long as a function runs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface ForgettingDisk {
  readonly dir: string;
  /** The power cut: everything un-synced is lost, or with a seed each page of it is kept or lost at random. */
  forget(how: 'all' | number): void;
}

/** Why it cannot be mounted here, or undefined when it can. */
export function cannotMount(): string | undefined {
  if (process.platform !== 'linux') return 'the forgetting file system needs Linux';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    return 'the forgetting file system needs access to /dev/fuse (root, or a member of its group)';
  }
  for (const [command, args] of [
    ['gcc', ['--version']],
    ['fusermount3', ['--version']],
    ['pkg-config', ['--exists', 'fuse3']],
  ] as const) {
    try {
      execFileSync(command, args, { stdio: 'ignore' });
    } catch {
      return 'the forgetting file system needs gcc and fuse3 (Debian: apt-get install gcc pkg-config fuse3 libfuse3-dev)';
    }
  }
  return undefined;
}

/** `dir` is a scratch directory; the program and the mount point are made in it. */
export async function withForgettingDisk<T>(
  dir: string,
  run: (disk: ForgettingDisk) => Promise<T>,
): Promise<T> {
  const program = build(dir);
  const mount = join(dir, 'mount');
  mkdirSync(mount);
  const daemon = spawn(program, ['-f', '-s', mount], { stdio: 'ignore' });
  try {
    await mounted(mount, daemon);
    return await run({
      dir: mount,
      forget: (how) => writeFileSync(join(mount, '.forget'), String(how), { flag: 'r+' }),
    });
  } finally {
    const gone = daemon.exitCode === null ? once(daemon, 'exit') : undefined;
    execFileSync('fusermount3', ['-u', '-z', mount], { stdio: 'ignore' });
    await gone;
  }
}

function build(dir: string): string {
  const source = fileURLToPath(new URL('forgetfs.c', import.meta.url));
  const program = join(dir, 'forgetfs');
  const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'fuse3'], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source, ...flags]);
  return program;
}

/** The mount point's device changes when it is mounted. */
async function mounted(mount: string, daemon: ChildProcess): Promise<void> {
  const before = statSync(join(mount, '..')).dev;
  while (statSync(mount).dev === before || !existsSync(join(mount, '.forget'))) {
    if (daemon.exitCode !== null) throw new Error('The forgetting file system did not start.');
    await sleep(5);
  }
}
