/** A new SQLite store that several open at once: one of them creates it. */
import { once } from 'node:events';
import { rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { unlessFull } from '../support/full.ts';
import { tempDirs } from '../support/temp.ts';
import type { Together } from './opens-together.ts';

const tempDir = tempDirs();
const THREADS = 3;

test('is a store to all of them, however far the first has come', async () => {
  const ready = new Int32Array(new SharedArrayBuffer(4 * unlessFull(60, 600)));
  const refused: string[] = [];
  const workerData: Together = { dir: tempDir(), ready, threads: THREADS };
  const ended = Array.from({ length: THREADS }, () => {
    const worker = new Worker(join(import.meta.dirname, 'opens-together.ts'), { workerData });
    worker.on('message', (message) => void refused.push(message));
    return once(worker, 'exit');
  });
  expect(await Promise.all(ended)).toEqual(Array(THREADS).fill([0]));
  expect(refused).toEqual([]);
});

test('that was cut to nothing is not taken for a new one', async () => {
  const path = join(tempDir(), 'store.db');
  const storage = await openSqliteStorage({ path });
  await storage.save('config', 'a', 1);
  await storage.close();
  truncateSync(path);
  await expect(openSqliteStorage({ path })).rejects.toMatchObject({
    code: 'CORRUPT',
    message: expect.stringContaining('is empty, but there was a store in it'),
  });
  expect(statSync(path).size).toBe(0);
  rmSync(path);
  const fresh = await openSqliteStorage({ path });
  expect(await fresh.load('config', 'a')).toBeNull();
  await fresh.close();
});
