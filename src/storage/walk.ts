/** Every key of a list that stores give out in pages. What comes or goes meanwhile may be among them or not. */
import type { Page, PageQuery, Storage } from './contract.ts';

/** As many as are read at once. */
const AT_ONCE = 1000;

export function everyTask(storage: Pick<Storage, 'tasks'>, query?: PageQuery): AsyncGenerator<string> {
  return walk((asked) => storage.tasks(asked), query);
}

export function everyKey(
  storage: Pick<Storage, 'page'>,
  category: string,
  query?: PageQuery,
): AsyncGenerator<string> {
  return walk((asked) => storage.page(category, asked), query);
}

async function* walk(
  ask: (query: PageQuery) => Promise<Page>,
  query: PageQuery = {},
): AsyncGenerator<string> {
  let asked: PageQuery = { limit: AT_ONCE, ...query };
  for (;;) {
    const { keys, next } = await ask(asked);
    yield* keys;
    if (next === null) return;
    asked = { ...asked, after: next };
  }
}
