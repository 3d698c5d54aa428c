/** Whether a process that was started earlier, perhaps by somebody who is gone, is still there. */
import { hostname } from 'node:os';
import { openIfExists, readInto } from '../files.ts';
import { close, errnoOf } from '../io.ts';

/** What a process is known by later: numbers are given out again, on this machine and on others. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When it was started, as the system counts; null where that cannot be told. */
  readonly began: string | null;
}

export function markOf(pid: number): ProcessMark {
  return { pid, host: hostname(), began: beganAt(pid) };
}

/** False where it is on another machine: nobody here can tell. */
export function isAlive({ pid, host, began }: ProcessMark): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return beganAt(pid) === began;
}

/**
 * When it was started, in ticks since the boot; null for one that is gone, has only not been waited for, or where the system
 * does not tell. Linux: the 22nd field; the 2nd is a name in parentheses, which may hold anything.
 */
export function beganAt(pid: number): string | null {
  const file = process.platform === 'linux' ? openIfExists(`/proc/${pid}/stat`) : null;
  if (!file) return null;
  try {
    const buffer = Buffer.alloc(4096);
    const line = buffer.toString('latin1', 0, readInto(file, buffer, 0));
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return null; // It ended between the two calls.
    throw error;
  } finally {
    close(file);
  }
}
