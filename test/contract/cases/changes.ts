/** Hints of what changed, here and elsewhere. A hint may come twice or for nothing; none may be missing. */
import { expect } from 'vitest';
import type { Storage } from '../../../src/storage/contract.ts';
import { until } from '../../support/until.ts';
import type { Cases } from '../harness.ts';
import { append, fill } from '../support.ts';

export const changeCases: Cases = {
  'every change of a task is told, to this store and to another': async ({ store, another }) => {
    await fill(store, 't1', 2);
    for (const listener of [store, await another()]) {
      const heard = await listen(listener);
      const claim = await told(heard, 't1', () => store.claim('t1'));
      const { fence } = claim;
      await told(heard, 't1', () => append(store, 't1', ['more'], { fence }));
      const records = [{ category: 'tasks', key: 't1/state', data: 'newer' }];
      await told(heard, 't1', () => store.commit({ task: 't1', fence, records }));
      await told(heard, 't1', () => claim.release());
      await heard.end();
    }
  },

  'a task that begins is told, and one that is removed': async ({ store, another }) => {
    const heard = await listen(await another());
    for (const again of [1, 2]) {
      await told(heard, 't1', () => append(store, 't1', [`${again}`]));
      await told(heard, 't1', () => store.removeTask('t1'));
    }
    await heard.end();
  },

  'a record outside tasks is told': async ({ store, another }) => {
    const heard = await listen(await another());
    await told(heard, null, () => store.save('notes', 'one', 1));
    await told(heard, null, () => store.delete('notes', 'one'));
    await heard.end();
  },

  'what nobody works on is found by the next look at everything': async ({ store, another }) => {
    for (const task of ['t1', 't2', 't3']) await fill(store, task, 1);
    const heard = await listen(await another());
    heard.forget();
    await store.save('tasks', 't2/note', 'by nobody');
    await append(store, 't3', ['by nobody']);
    await until(() => expect([heard.has('t2'), heard.has('t3')]).toEqual([true, true]));
    await heard.end();
  },

  'each listener is told, until its signal or the store ends': async ({ store, another }) => {
    const [first, second] = [await listen(store), await listen(store)];
    await told(first, 't1', () => fill(store, 't1', 1));
    await until(() => expect(second.has('t1')).toBe(true));
    await first.end();
    const other = await another();
    await told(second, 't2', () => fill(other, 't2', 1));
    await store.close();
    await second.ended;
  },
};

interface Heard {
  has(task: string | null): boolean;
  forget(): void;
  end(): Promise<void>;
  readonly ended: Promise<void>;
}

/** Resolves once changes are noticed. */
async function listen(store: Storage): Promise<Heard> {
  const hints = new Set<string | null>();
  const ending = new AbortController();
  const hear = async (): Promise<void> => {
    for await (const hint of store.changes(ending.signal)) hints.add(hint);
  };
  const ended = hear();
  await until(() => expect(hints).toContain(null));
  return {
    // That anything may have changed is said of every task.
    has: (task) => hints.has(task) || hints.has(null),
    forget: () => hints.clear(),
    ended,
    end() {
      ending.abort();
      return ended;
    },
  };
}

async function told<T>(heard: Heard, task: string | null, change: () => Promise<T>): Promise<T> {
  heard.forget();
  const result = await change();
  await until(() => expect(heard.has(task)).toBe(true));
  return result;
}
