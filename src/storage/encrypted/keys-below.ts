import type { Storage } from '../contract.ts';

/** Keys of all records of a task, in order. */
export async function keysBelow(inner: Storage, task: string): Promise<string[]> {
  const keys: string[] = [];
  let after: string | null = null;
  do {
    const query = { prefix: `${task}/`, limit: 1000, ...(after === null ? {} : { after }) };
    const page = await inner.page('tasks', query);
    keys.push(...page.keys);
    after = page.next;
  } while (after !== null);
  return keys;
}
