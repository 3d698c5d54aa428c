/** A JSON store reads what it is asked for, and not what lies before it; and believes nothing that it has not verified. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { START } from '../../src/storage/chain.ts';
import type { JournalRange, Position, Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { type IoCall, setIoHook } from '../../src/system/io.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** Entries of all lengths, alone and several to a commit, with commits of records in between. */
const COUNT = 600;
const textOf = (n: number): string => `${n} `.repeat(n % 97 === 0 ? 20_000 : 1 + ((n * 37) % 900));

async function fill(store: Storage, fence: number): Promise<void> {
  let after: Position = START;
  for (let n = 1; n <= COUNT; ) {
    const size = Math.min(n % 10 === 0 ? 7 : 1, COUNT - n + 1);
    const entries = Array.from({ length: size }, (_, i) => textOf(n + i));
    after = (await store.commit({ task: 't1', fence, append: { after, entries } })).position!;
    n += size;
    const records = [{ category: 'tasks', key: `t1/r${n % 3}`, data: { n } }];
    if (n % 4 === 0) await store.commit({ task: 't1', fence, records });
  }
}

async function longTask(): Promise<{ root: string; log: string }> {
  const root = tempDir();
  const store = await openJsonStorage({ root });
  await fill(store, (await store.claim('t1')).fence);
  await store.close();
  return { root, log: join(root, 'tasks/t1/journal.log') };
}

/** What was read, and how it ended. */
async function readRange(
  store: Storage,
  range: JournalRange,
): Promise<{ seen: [number, unknown][]; code: unknown }> {
  const seen: [number, unknown][] = [];
  try {
    for await (const { seq, data } of store.read('t1', range)) seen.push([seq, data]);
    return { seen, code: null };
  } catch (error) {
    return { seen, code: (error as { code?: unknown }).code };
  }
}

const isCut = (n: number, cut: readonly [number, number][]): boolean =>
  cut.some(([from, to]) => n >= from && n <= to);

function expected(
  { from = 1, to = COUNT, reverse = false, limit = COUNT }: JournalRange,
  cut: [number, number][] = [],
) {
  const all = Array.from({ length: COUNT }, (_, i) => i + 1).filter(
    (n) => n >= from && n <= to && !isCut(n, cut),
  );
  return (reverse ? all.reverse() : all).slice(0, limit).map((n) => [n, textOf(n)]);
}

const PLACES = [1, 2, 9, 10, 96, 97, 98, 250, 251, 300, 301, 302, 310, 450, 582, 583, 599, 600, 601, 5000];
const RANGES: JournalRange[] = PLACES.flatMap((n) => [
  { from: n },
  { from: n, limit: 3 },
  { from: n, to: n + 20 },
  { to: n, reverse: true, limit: 5 },
  { from: 5, to: n, reverse: true },
]);

/** The calls that were made for files of task t1. */
async function callsDuring(root: string, run: () => Promise<unknown>): Promise<IoCall[]> {
  const calls: IoCall[] = [];
  setIoHook((call) => void calls.push({ ...call, path: relative(join(root, 'tasks/t1'), call.path) }));
  try {
    await run();
  } finally {
    setIoHook(undefined);
  }
  return calls;
}

/** How many bytes of the log were asked for. */
function bytesOfLog(calls: readonly IoCall[]): number {
  const reads = calls.filter(({ op, path }) => op === 'read' && path === 'journal.log');
  return reads.reduce((sum, { range: [from, to] = [0, 0] }) => sum + to - from, 0);
}

describe('a range of a journal', () => {
  it('is the same as that part of all of it, also around cuts and after compacting', async () => {
    const { root } = await longTask();
    const store = await openJsonStorage({ root });
    const check = async (cut: [number, number][]): Promise<void> => {
      for (const range of RANGES)
        expect(await readRange(store, range)).toEqual({ seen: expected(range, cut), code: null });
    };
    await check([]);
    await store.commit({ task: 't1', cut: { from: 90, to: 260 } });
    await check([[90, 260]]);
    const { fence } = await store.claim('t1');
    await check([[90, 260]]);
    await store.compact('t1', { fence });
    await check([[90, 260]]);
    await store.close();
  });

  it('is found without reading what lies before it', async () => {
    const { root, log } = await longTask();
    const store = await openJsonStorage({ root });
    await store.position('t1');
    for (const range of [{ from: 590 }, { from: 400, to: 410 }, { to: 200, limit: 5, reverse: true }]) {
      const calls = await callsDuring(root, () => readRange(store, range));
      expect(bytesOfLog(calls)).toBeLessThan(readFileSync(log).length / 3);
    }
    await store.close();
  });

  it('of a damaged log holds nothing that was not written, and lacks nothing before the damage', async () => {
    const { root, log } = await longTask();
    const good = readFileSync(log);
    const newlines: number[] = [];
    for (let at = good.indexOf(10); at >= 0; at = good.indexOf(10, at + 1)) newlines.push(at);
    // In the middle of a line, at its end, at its beginning; one that looks like a line of its own, with any number.
    const spots = newlines.filter((_, i) => i % 23 === 0).flatMap((at) => [at - 90, at, at + 3]);
    for (const [i, spot] of spots.entries()) {
      const bad = Buffer.from(good);
      if (i % 2 === 0) bad[spot] = bad[spot]! ^ 1;
      else bad.write(`\n9 70 {"at":"x","f":1,"s":${(i * 41) % COUNT},"h":`, spot, 'latin1');
      writeFileSync(log, bad);
      const store = await openJsonStorage({ root });
      for (const range of [{ from: 300 }, { from: 590 }, { to: 310, reverse: true }, { from: 20, to: 25 }]) {
        const { seen, code } = await readRange(store, range);
        const all = expected(range);
        expect(seen).toEqual(all.slice(0, seen.length));
        if (seen.length < all.length) expect(code).toBe('CORRUPT');
      }
      await store.close();
    }
    writeFileSync(log, good);
  });

  it('behind the damage is read from the end, also where no index says where that is', async () => {
    const { root, log } = await longTask();
    rmSync(join(root, 'tasks/t1/views.index'));
    const bad = readFileSync(log);
    const spot = bad.indexOf('"550 550 ');
    bad[spot + 2] = bad[spot + 2]! ^ 1;
    // Room, and an append that was never finished.
    writeFileSync(log, Buffer.concat([bad, Buffer.from('900 70 {"at"'), Buffer.alloc(5000)]));
    const store = await openJsonStorage({ root });
    const { seen, code } = await readRange(store, { reverse: true });
    expect(code).toBe('CORRUPT');
    expect(seen).toEqual(expected({ from: seen.at(-1)![0], reverse: true }));
    expect(seen.at(-1)![0]).toBeLessThan(560);
    const last = { from: 590, reverse: true };
    expect(await readRange(store, last)).toEqual({ seen: expected(last), code: null });
    await store.close();
  });
});

it('a record whose file is lost is read from its own line of the log, also after compacting', async () => {
  const root = tempDir();
  const dir = join(root, 'tasks/t1');
  const owner = await openJsonStorage({ root });
  const { fence } = await owner.claim('t1');
  let after = START;
  for (let n = 1; n <= 300; n++) {
    const records = [{ category: 'tasks', key: `t1/r${n % 50}`, data: { n } }];
    const append = { after, entries: ['x'.repeat(2000)] };
    after = (await owner.commit({ task: 't1', fence, append, records })).position!;
  }
  const loseFiles = (): void => {
    for (const name of readdirSync(dir)) if (name.endsWith('.json')) rmSync(join(dir, name));
  };
  const reader = await openJsonStorage({ root });
  const check = async (): Promise<void> => {
    for (let n = 251; n <= 300; n++) expect(await reader.load('tasks', `t1/r${n % 50}`)).toEqual({ n });
  };
  await owner.flush();
  loseFiles();
  await check();
  const calls = await callsDuring(root, () => reader.load('tasks', 't1/r20'));
  expect(bytesOfLog(calls)).toBeLessThan(readFileSync(join(dir, 'journal.log')).length / 3);
  await owner.commit({ task: 't1', fence, cut: { from: 10, to: 290 } });
  await owner.compact('t1', { fence });
  loseFiles();
  await check();
  await owner.close();
  await reader.close();
});

describe('a task that another process owns', () => {
  it('is seen as it is after every commit, without reading it again', async () => {
    const root = tempDir();
    const [owner, reader] = [await openJsonStorage({ root }), await openJsonStorage({ root })];
    const { fence, release } = await owner.claim('t1');
    let after = START;
    const calls = await callsDuring(root, async () => {
      for (let n = 1; n <= 50; n++) {
        const records = [{ category: 'tasks', key: `t1/r${n}`, data: { n } }];
        const removed = n > 1 ? [{ category: 'tasks', key: `t1/r${n - 1}`, remove: true as const }] : [];
        const append = { after, entries: ['x'.repeat(3000)] };
        after = (await owner.commit({ task: 't1', fence, append, records: [...records, ...removed] }))
          .position!;
        expect(await reader.position('t1')).toEqual(after);
        expect(await reader.load('tasks', `t1/r${n}`)).toEqual({ n });
        expect(await reader.load('tasks', `t1/r${n - 1}`)).toBeNull();
        expect((await reader.page('tasks', { prefix: 't1/' })).keys).toEqual([`t1/r${n}`]);
      }
    });
    const indexes = calls.filter(({ path }) => path === 'views.index');
    const written = indexes.filter(({ op }) => op === 'rename').length;
    // Once by the owner, once by the reader, and whenever there is a new one.
    expect(indexes.filter(({ op }) => op === 'open').length).toBeLessThanOrEqual(written + 2);
    await owner.commit({ task: 't1', fence, cut: { from: 1, to: 40 } });
    await owner.compact('t1', { fence });
    expect(await reader.position('t1')).toEqual(after);
    expect((await readRange(reader, {})).seen).toHaveLength(10);
    expect(await reader.load('tasks', 't1/r50')).toEqual({ n: 50 });
    await owner.removeTask('t1', { fence });
    expect(await reader.position('t1')).toEqual(START);
    expect(await reader.load('tasks', 't1/r50')).toBeNull();
    await owner.commit({ task: 't1', fence, append: { after: START, entries: ['new'] } });
    expect((await readRange(reader, {})).seen).toEqual([[1, 'new']]);
    await release();
    await owner.close();
    await reader.close();
  });

  it('is damaged when its log loses its end, also for a process that has not seen that end', async () => {
    const root = tempDir();
    const log = join(root, 'tasks/t1/journal.log');
    const [owner, reader] = [await openJsonStorage({ root }), await openJsonStorage({ root })];
    const { fence } = await owner.claim('t1');
    const first = await owner.commit({ task: 't1', fence, append: { after: START, entries: ['one'] } });
    await owner.flush();
    expect(await reader.position('t1')).toEqual(first.position);
    const end = readFileSync(log).indexOf(0);
    await owner.commit({ task: 't1', fence, append: { after: first.position!, entries: ['two'] } });
    await owner.close();
    truncateSync(log, end);
    await expect(reader.position('t1')).rejects.toMatchObject({ code: 'CORRUPT' });
    await reader.close();
  });
});
