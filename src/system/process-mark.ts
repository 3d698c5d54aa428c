/**
 * Which process it is, so that another one can tell whether it still lives. The kernel knows a process by its number, its
 * start, its pid namespace and the boot; together these are never given out twice.
 */
import * as io from './io.ts';

/** This process, as text that a file name can hold; empty where the platform does not tell. */
export const PROCESS_MARK: string = markOfThis();

/** Null where that cannot be told from here: another container, or a platform that does not say. */
export function processLives(mark: string): boolean | null {
  if (PROCESS_MARK === '' || mark === '') return null;
  const [pid, start, space, boot] = mark.split('.');
  const [, , ownSpace, ownBoot] = PROCESS_MARK.split('.');
  if (boot !== ownBoot) return false; // The machine was started again since.
  if (space !== ownSpace) return null;
  return startOf(pid!) === start;
}

function markOfThis(): string {
  if (process.platform !== 'linux') return '';
  try {
    const start = startOf('self');
    const space = /\d+/.exec(io.readlink('/proc/self/ns/pid').toString())?.[0];
    const boot = textOf('/proc/sys/kernel/random/boot_id').replace(/[^0-9a-f]/g, '');
    return start && space && boot ? [process.pid, start, space, boot.slice(0, 12)].join('.') : '';
  } catch {
    return ''; // No /proc.
  }
}

/** When it started, in clock ticks since the boot; null for one that is gone or has only not been waited for. */
function startOf(pid: string): string | null {
  let stat: string;
  try {
    stat = textOf(`/proc/${pid}/stat`);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
  // The name, in brackets, may hold anything; the state is the first field after it, the start the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes(io.errnoOf(error) ?? '');
}

function textOf(path: string): string {
  const file = io.open(path, 'r');
  try {
    const buffer = Buffer.alloc(1024);
    return buffer.toString('latin1', 0, io.read(file, buffer, 0));
  } finally {
    io.close(file);
  }
}
