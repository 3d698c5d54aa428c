/** Which files other agents are changing now, and who they are. */
import type { Engine } from '../../engine/engine.ts';
import { clientTitle } from '../names.ts';
import type { News } from './telling.ts';

export async function heldByOthers(engine: Engine, task: string | null): Promise<News['held']> {
  const { files } = await engine.reader.locks();
  const writing = files.filter(({ operation, expired, owner }) => {
    return operation === 'write' && !expired && taskOf(owner) !== task;
  });
  return Promise.all(
    writing.map(async ({ paths, owner }) => ({ paths, by: await whoIs(engine, taskOf(owner)) })),
  );
}

/** In words: the client and what it was asked for. */
export async function whoIs(engine: Engine, task: string): Promise<string> {
  const row = await engine.reader.row(task);
  if (!row) return task;
  return row.client === null
    ? `"${row.name}" (${task})`
    : `${clientTitle(row.client)} "${row.name}" (${task})`;
}

/** An owner is a task, or an agent of one. */
export function taskOf(owner: string): string {
  return owner.split('/')[0]!;
}
