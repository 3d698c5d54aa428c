/** What is held in a store: tasks by processes, files by agents. */

import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { isFinal } from '../../task/status.ts';
import { boardSchema, isExpired, type Reservation } from '../../workspace/reservations/board.ts';
import { readableState } from '../task/tasks.ts';

export interface Locks {
  readonly tasks: readonly { task: string; name: string; holder: string; since: string }[];
  readonly files: readonly (Omit<Reservation, 'fence'> & { readonly expired: boolean })[];
}

export async function readLocks(storage: Storage, now: Date): Promise<Locks> {
  return { tasks: await ownedTasks(storage), files: await reservations(storage, now) };
}

async function ownedTasks(storage: Storage): Promise<Locks['tasks']> {
  const found: Locks['tasks'][number][] = [];
  for await (const task of everyTask(storage, { reverse: true })) {
    const state = await readableState(storage, task);
    if (!state || isFinal(state.status)) continue;
    const owner = await storage.owner(task);
    if (owner) found.push({ task, name: state.task_name, holder: owner.holder, since: owner.since });
  }
  return found;
}

/** Of every workspace that uses the store. */
async function reservations(storage: Storage, now: Date): Promise<Locks['files']> {
  const found: Locks['files'][number][] = [];
  for (const key of await storage.list('reservations')) {
    const board = boardSchema.safeParse(await storage.load('reservations', key));
    for (const { fence: _, ...one } of board.data?.held ?? [])
      found.push({ ...one, expired: isExpired({ ...one, fence: 1 }, now) });
  }
  return found;
}
