import type { Storage } from '../contract.ts';

/** Keys of all records of a task, in order. */
export function keysBelow(inner: Storage, task: string): Promise<string[]> {
  return keysIn(inner, 'tasks', `${task}/`);
}

export async function keysIn(inner: Storage, category: string, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  let after: string | null = null;
  do {
    const query = { prefix, limit: 1000, ...(after === null ? {} : { after }) };
    const page = await inner.page(category, query);
    keys.push(...page.keys);
    after = page.next;
  } while (after !== null);
  return keys;
}
