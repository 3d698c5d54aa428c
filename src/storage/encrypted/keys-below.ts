import type { Storage } from '../contract.ts';
import { everyKey } from '../walk.ts';

/** Keys of all records of a task, in order. */
export function keysBelow(inner: Storage, task: string): Promise<string[]> {
  return keysIn(inner, 'tasks', `${task}/`);
}

export function keysIn(inner: Storage, category: string, prefix = ''): Promise<string[]> {
  return Array.fromAsync(everyKey(inner, category, { prefix }));
}
