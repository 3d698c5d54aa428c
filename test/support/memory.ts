/**
 * Before all tests: their temporary directories are in memory where there is room, unless everything is wanted, since what a disk takes for flushing proves
 * nothing there. What has to outlive a crash is proven by replaying what was written (test/crash), on any disk.
 */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { FULL } from './full.ts';

const MEMORY = '/dev/shm';
const ROOM = 2 * 1024 ** 3;
const NAME = /^vibe-engine-tests-(\d+)$/;

export default function useMemory(): (() => void) | undefined {
  if (FULL || !hasRoom()) return undefined;
  for (const left of readdirSync(MEMORY)) if (isLeft(left)) remove(join(MEMORY, left));
  const dir = join(MEMORY, `vibe-engine-tests-${process.pid}`);
  mkdirSync(dir);
  chmodSync(dir, 0o711); // PostgreSQL may run as somebody else.
  process.env.TMPDIR = dir;
  return () => remove(dir);
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}

/** By a run that was killed. */
function isLeft(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  if (!pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
}
