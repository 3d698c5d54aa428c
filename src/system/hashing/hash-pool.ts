/** Hashes many files on threads of their own, while the caller continues. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HashAnswer, HashJob } from './hash-files.ts';

export interface HashPool {
  /** In the order of the paths, which are relative to the root. */
  hash(paths: readonly string[]): Promise<HashAnswer>;
  close(): Promise<void>;
}

const THREADS = 2;

export function openHashPool(root: string, git: 'sha1' | 'sha256'): HashPool {
  const script = new URL(`./hash-worker${extname(import.meta.url)}`, import.meta.url);
  const waiting = new Map<
    number,
    { resolve: (answer: HashAnswer) => void; reject: (why: unknown) => void }
  >();
  const fail = (why: unknown): void => {
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  };
  const workers = Array.from({ length: THREADS }, () => {
    const worker = new Worker(script, { workerData: { root, git } });
    worker.on('message', ({ number, digests, stats }: HashAnswer & { number: number }) => {
      waiting.get(number)?.resolve({ digests, stats });
      waiting.delete(number);
    });
    worker.on('error', fail);
    return worker;
  });
  let jobs = 0;
  return {
    hash: (paths) =>
      new Promise((resolve, reject) => {
        const job: HashJob = { number: jobs++, paths };
        waiting.set(job.number, { resolve, reject });
        workers[job.number % THREADS]!.postMessage(job);
      }),
    async close() {
      fail(new Error('The pool was closed.'));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
