/** A thread that takes parts of a table until none is left. Started by `compare.ts`. */
import { parentPort } from 'node:worker_threads';
import type { CompareAnswer, CompareJob } from './compare.ts';
import { countParts, differingIn } from './table.ts';

parentPort!.on('message', ({ number, root, table, next }: CompareJob) => {
  const differing: string[] = [];
  const count = countParts(table);
  for (let part = Atomics.add(next, 0, 1); part < count; part = Atomics.add(next, 0, 1))
    differing.push(...differingIn(root, table, part));
  const answer: CompareAnswer = { number, differing };
  parentPort!.postMessage(answer);
});
