/** A new SQLite store that several open at once: one of them creates it. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
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
