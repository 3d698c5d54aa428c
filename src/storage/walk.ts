/**
 * Every key of a list that stores give out in pages. Keys that are added or removed in the meantime may be missing or not.
 */
import { CorruptError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { Page, PageQuery, Storage } from './contract.ts';
import { byCodePoint } from './page.ts';

/** As many as are read at once. */
const AT_ONCE = 1000;

export function everyTask(storage: Pick<Storage, 'tasks'>, query?: PageQuery): AsyncGenerator<string> {
  return everyName((asked) => storage.tasks(asked), query);
}

export function everyKey(
  storage: Pick<Storage, 'page'>,
  category: string,
  query?: PageQuery,
): AsyncGenerator<string> {
  return everyName((asked) => storage.page(category, asked), query);
}

/** All of them at once, in order. */
export function keysIn(storage: Pick<Storage, 'page'>, category: string, prefix = ''): Promise<string[]> {
  return Array.fromAsync(everyKey(storage, category, { prefix }));
}

/** For anything that comes in pages. */
export async function* everyName(
  ask: (query: PageQuery) => Promise<Page>,
  query: PageQuery = {},
): AsyncGenerator<string> {
  let asked: PageQuery = { limit: AT_ONCE, ...query };
  for (;;) {
    const { keys, next } = await ask(asked);
    yield* keys;
    if (next === null) return;
    const order = asked.after === undefined ? 1 : byCodePoint(next, asked.after) * (asked.reverse ? -1 : 1);
    if (order <= 0) throw outOfOrder(next);
    asked = { ...asked, after: next };
  }
}

/** A damaged index can lead back to an earlier key: without this check, forever. */
function outOfOrder(key: string): CorruptError {
  return new CorruptError(phrase`The store lists its keys out of order, at ${key}.`, {
    data: { key },
    hint: phrase`It is damaged: see what vibe-engine doctor finds, then restore it from a backup.`,
  });
}
