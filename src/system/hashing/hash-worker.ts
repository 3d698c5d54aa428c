/** A thread that reads files and returns their hashes. Started by `hash-pool.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type HashJob, hashFiles } from './hash-files.ts';

const { root, git } = workerData as { root: string; git: 'sha1' | 'sha256' };

parentPort!.on('message', ({ number, paths }: HashJob) => {
  const { digests, stats } = hashFiles(root, paths, git);
  parentPort!.postMessage({ number, digests, stats }, [digests.buffer, stats.buffer]);
});
