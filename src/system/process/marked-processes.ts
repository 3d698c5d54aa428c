/**
 * Finds processes by an environment variable, which their child processes inherit: even those whose parent died right after
 * starting them, before it could record them. Linux only.
 */

import { VibeError } from '../../errors.ts';
import { openIfExists, readInto } from '../files.ts';
import { close, readNames } from '../io.ts';
import { platform } from '../platform.ts';

/** Processes of this user that have the variable with one of these values; none if the platform does not say. */
export function processesWith(variable: string, values: ReadonlySet<string>): number[] {
  if (!platform.proc || values.size === 0) return [];
  const found: number[] = [];
  for (const name of readNames('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const value = variablesOf(pid).find((one) => one.startsWith(`${variable}=`));
    if (value !== undefined && values.has(value.slice(variable.length + 1))) found.push(pid);
  }
  return found.sort((a, b) => a - b);
}

/** More than any system allows. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Empty for a process that is gone, a zombie, or another user's. */
function variablesOf(pid: number): string[] {
  try {
    const file = openIfExists(`/proc/${pid}/environ`);
    if (!file) return [];
    try {
      for (let size = 64 * 1024; ; size *= 4) {
        const buffer = Buffer.alloc(size);
        const length = readInto(file, buffer, 0);
        if (length < size || size > MOST_BYTES) return buffer.toString('utf8', 0, length).split('\0');
      }
    } finally {
      close(file);
    }
  } catch (error) {
    if (error instanceof VibeError) return [];
    throw error;
  }
}
