/** Whether a process is still alive that was started earlier, perhaps by a process that is gone. */

import { hostname } from 'node:os';
import { openIfExists, readInto } from '../files.ts';
import { close, errnoOf, readlink } from '../io.ts';
import { platform } from '../platform.ts';

/** Identifies a process later on: process ids are reused, and other machines have the same. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When it was started, as the system counts; null if not known. */
  readonly began: string | null;
}

export function markOf(pid: number): ProcessMark {
  return { pid, host: hostname(), began: beganAt(pid) };
}

/** False if it is on another machine: that cannot be checked here. */
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
 * This process, as text that a file name can hold; empty if the platform does not say. Process id, start time, pid namespace
 * and boot id together are never reused.
 */
export const PROCESS_MARK: string = markOfThis();

/** Null if that is not known from here: another container, or a platform that does not say. */
export function processLives(mark: string): boolean | null {
  if (PROCESS_MARK === '' || mark === '' || !platform.proc) return null;
  const [pid, start, space, boot] = mark.split('.');
  const [, , ownSpace, ownBoot] = PROCESS_MARK.split('.');
  if (boot !== ownBoot) return false; // The machine was started again since.
  if (space !== ownSpace) return null;
  return beganAt(Number(pid)) === start;
}

function markOfThis(): string {
  if (!platform.proc) return '';
  try {
    const start = beganAt(process.pid);
    const space = /\d+/.exec(readlink('/proc/self/ns/pid').toString())?.[0];
    const boot = headOf('/proc/sys/kernel/random/boot_id').replace(/[^0-9a-f]/g, '');
    return start && space && boot ? [process.pid, start, space, boot.slice(0, 12)].join('.') : '';
  } catch {
    return ''; // No /proc.
  }
}

/**
 * When it was started, in ticks since the boot; null if it is gone, is a zombie, or the system does not say. Linux: the 22nd
 * field; the 2nd is a name in parentheses, which may hold anything.
 */
function beganAt(pid: number): string | null {
  if (!platform.proc) return null;
  try {
    const line = headOf(`/proc/${pid}/stat`);
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return null; // It ended between the two calls.
    throw error;
  }
}

/** Empty where there is no such file. */
function headOf(path: string): string {
  const file = openIfExists(path);
  if (!file) return '';
  try {
    const buffer = Buffer.alloc(4096);
    return buffer.toString('latin1', 0, readInto(file, buffer, 0));
  } finally {
    close(file);
  }
}
