/**
 * Which process it is, so that another one can tell whether it still lives. The kernel knows a process by its number, its
 * start, its pid namespace and the boot; together these are never given out twice.
 */

import * as io from '../io.ts';
import { beganAt } from './alive.ts';

/** This process, as text that a file name can hold; empty where the platform does not tell. */
export const PROCESS_MARK: string = markOfThis();

/** Null where that cannot be told from here: another container, or a platform that does not say. */
export function processLives(mark: string): boolean | null {
  if (PROCESS_MARK === '' || mark === '') return null;
  const [pid, start, space, boot] = mark.split('.');
  const [, , ownSpace, ownBoot] = PROCESS_MARK.split('.');
  if (boot !== ownBoot) return false; // The machine was started again since.
  if (space !== ownSpace) return null;
  return beganAt(Number(pid)) === start;
}

function markOfThis(): string {
  if (process.platform !== 'linux') return '';
  try {
    const start = beganAt(process.pid);
    const space = /\d+/.exec(io.readlink('/proc/self/ns/pid').toString())?.[0];
    const boot = textOf('/proc/sys/kernel/random/boot_id').replace(/[^0-9a-f]/g, '');
    return start && space && boot ? [process.pid, start, space, boot.slice(0, 12)].join('.') : '';
  } catch {
    return ''; // No /proc.
  }
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
