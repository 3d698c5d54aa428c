/** What is held in a store: tasks by processes, files by agents. */

import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import * as io from '../../system/io.ts';
import { TASK_ID_PATTERN } from '../../task/keys.ts';
import { isFinal } from '../../task/status.ts';
import { rootsHere } from '../../workspace/git/noted.ts';
import {
  type Board,
  boardSchema,
  isExpired,
  isForgotten,
  type Reservation,
} from '../../workspace/reservations/board.ts';
import { boardFile, readBoard } from '../../workspace/reservations/shared-board.ts';
import { readableState } from '../task/tasks.ts';
import { clientOf } from './row.ts';

export interface Locks {
  readonly tasks: readonly {
    task: string;
    name: string;
    /** The agent's own program, such as `claude`. */
    client: string | null;
    holder: string;
    since: string;
  }[];
  readonly files: readonly (Omit<Reservation, 'fence'> & {
    readonly expired: boolean;
    /** Of the task that it is for, where it is one of this store. */
    readonly task_name: string | null;
    readonly client: string | null;
  })[];
}

export async function readLocks(storage: Storage, project_dir: string, now: Date): Promise<Locks> {
  return { tasks: await ownedTasks(storage), files: await reservations(storage, project_dir, now) };
}

async function ownedTasks(storage: Storage): Promise<Locks['tasks']> {
  const found: Locks['tasks'][number][] = [];
  for await (const task of everyTask(storage, { reverse: true })) {
    const state = await readableState(storage, task);
    if (!state || isFinal(state.status)) continue;
    const owner = await storage.owner(task);
    if (!owner) continue;
    const { holder, since } = owner;
    found.push({ task, name: state.task_name, client: await clientOf(storage, task), holder, since });
  }
  return found;
}

/** Of every workspace that uses the store. */
async function reservations(storage: Storage, project_dir: string, now: Date): Promise<Locks['files']> {
  const found: Locks['files'][number][] = [];
  const boards: (Board | null | undefined)[] = [];
  for (const key of await storage.list('reservations'))
    boards.push(boardSchema.safeParse(await storage.load('reservations', key)).data);
  const roots = new Set([io.realpath(project_dir) ?? project_dir, ...(await rootsHere(storage))]);
  for (const root of roots) boards.push(readBoard(boardFile(root)));
  for (const board of boards)
    for (const { fence: _, ...one } of board?.held ?? [])
      if (!isForgotten(one, now))
        found.push({
          ...one,
          ...(await ownerOf(storage, one.owner)),
          expired: isExpired({ ...one, fence: 1 }, now),
        });
  return found;
}

/** The owner of a reservation is a task, or an agent in it. */
async function ownerOf(
  storage: Storage,
  owner: string,
): Promise<Pick<Locks['files'][number], 'task_name' | 'client'>> {
  const [task] = owner.split('/') as [string];
  const state = TASK_ID_PATTERN.test(task) ? await readableState(storage, task) : null;
  if (!state) return { task_name: null, client: null };
  return { task_name: state.task_name, client: await clientOf(storage, task) };
}
