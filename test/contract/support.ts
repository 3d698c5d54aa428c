/** Small words for the cases. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/errors.ts';
import type { Commit, JournalRange, PageQuery, Position, Storage } from '../../src/storage/contract.ts';

export async function expectCode(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(promise).rejects.toMatchObject({ code, hint: expect.stringMatching(/\S/) });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Appends entries at the end of the journal. */
export async function append(
  store: Storage,
  task: string,
  entries: readonly unknown[],
  more: Omit<Commit, 'task' | 'append'> = {},
): Promise<Position> {
  const after = await store.position(task);
  const receipt = await store.commit({ ...more, task, append: { after, entries } });
  return receipt.position!;
}

/** A journal with entries "1", "2", … */
export async function fill(store: Storage, task: string, count: number): Promise<Position> {
  return append(
    store,
    task,
    Array.from({ length: count }, (_, i) => `${i + 1}`),
  );
}

export async function dataOf(store: Storage, task: string, range?: JournalRange): Promise<unknown[]> {
  return (await collect(store.read(task, range))).map((entry) => entry.data);
}

export async function numbersOf(store: Storage, task: string, range?: JournalRange): Promise<number[]> {
  return (await collect(store.read(task, range))).map((entry) => entry.seq);
}

/** Every key, page by page. */
export async function allPages(
  ask: (query: PageQuery) => ReturnType<Storage['page']>,
  query: PageQuery,
): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await ask(after === undefined ? query : { ...query, after });
    expect(page.keys.length).toBeLessThanOrEqual(query.limit ?? 100);
    found.push(...page.keys);
    if (page.next === null) return found;
    after = page.next;
  }
}

/** A back end may answer a Buffer: the bytes count, not the class. */
export function expectBytes(found: Uint8Array | null, bytes: Uint8Array): void {
  expect(found).toBeInstanceOf(Uint8Array);
  expect(Buffer.compare(found!, bytes)).toBe(0);
}

export async function expectHealthy(store: Storage): Promise<void> {
  expect(await collect(store.verify())).toEqual([]);
}
