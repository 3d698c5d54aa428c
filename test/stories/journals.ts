/** What the journals of a story's tasks say of their marks. */
import type { Engine } from '../../src/engine/engine.ts';
import { liveEntries } from '../../src/engine/task/journal.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import type { There } from './model.ts';
import { DID } from './task.ts';

export interface Actor {
  readonly id: string;
  readonly ops: number;
  /** Its journal begins in the middle of another's: its first operation may be the other's. */
  readonly fork?: boolean;
  /** It was stopped in the middle of an operation. */
  cut: boolean;
  /** What redo brings back: what was known of its marks before; null where that is open. */
  readonly undone: (ReadonlyMap<string, There> | null)[];
}

/** Operations that are behind a task, with where its journal says so; `left`: they met a conflict. */
export async function doneIn(
  { storage }: Engine,
  { id }: Pick<Actor, 'id'>,
): Promise<Map<string, { seq: number; left: boolean }>> {
  const done = new Map<string, { seq: number; left: boolean }>();
  const head = (await loadHead(storage, id))!;
  for await (const { task, seq, entry } of liveEntries(storage, head)) {
    const [, how, k] = (entry.t === 'step' && DID.exec(entry.name)) || [];
    if (k !== undefined) done.set(`${task}.${k}`, { seq: task === id ? seq : 0, left: how === 'left' });
  }
  return done;
}

/**
 * The marks of operations that are behind a task, and behind those it was forked from; of each also the next one: a
 * checkpoint may lie between an operation and the note that it is done.
 */
export async function historyOf(engine: Engine, actor: Pick<Actor, 'id'>): Promise<string[]> {
  const done = [...(await doneIn(engine, actor)).keys()];
  const { lineage } = (await loadHead(engine.storage, actor.id))!;
  let next = 0;
  const nexts = [...lineage.map(({ task }) => task), actor.id].map((task) => {
    next += done.filter((mark) => mark.startsWith(`${task}.`)).length;
    return `${task}.${next}`;
  });
  return [...new Set([...done, ...nexts])];
}

/** Done is there once; what comes next may have been done, or cut off; nothing else is. */
export async function fromJournal(engine: Engine, actor: Actor): Promise<Map<string, There>> {
  const done = await doneIn(engine, actor);
  const shared = actor.fork ? [...done.keys()].find((mark) => mark.startsWith(`${actor.id}.`)) : undefined;
  return new Map(
    Array.from({ length: actor.ops }, (_, k): [string, There] => {
      const mark = `${actor.id}.${k}`;
      const own = done.get(mark);
      if (own) return [mark, own.left || mark === shared ? 'may' : 'once'];
      return [mark, k === done.size ? 'may' : 'never'];
    }),
  );
}
