/** SPEC's four verbs, once, over what every back end has: commit, get and page. */
import type { Storage } from './contract.ts';
import { assertCategory, assertKey, taskOfRecord } from './keys.ts';
import { everyKey } from './walk.ts';

export type Verbs = Pick<Storage, 'save' | 'load' | 'delete' | 'list'>;

export function recordVerbs(core: Pick<Storage, 'commit' | 'get' | 'page'>): Verbs {
  const commitOne = async (category: string, key: string, write: { data: unknown } | { remove: true }) => {
    assertCategory(category);
    assertKey(key);
    const task = taskOfRecord(category, key);
    const receipt = await core.commit({ task, records: [{ category, key, ...write }] });
    return receipt.records[0]!;
  };
  return {
    save: async (category, key, data) => (await commitOne(category, key, { data })).location,
    load: async (category, key) => (await core.get(category, key))?.data ?? null,
    delete: async (category, key) => (await commitOne(category, key, { remove: true })).existed,
    list: (category) => Array.fromAsync(everyKey(core, category, { limit: 10_000 })),
  };
}
