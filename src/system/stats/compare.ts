/** Looks whether many files are as a table says, on two threads: most of the time is spent in the kernel. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { takeTurn } from '../turn.ts';
import { countParts, differingIn, type StatTable } from './table.ts';

export interface Comparer {
  /** The directories in which a name is not what it was. */
  differing(root: string, table: StatTable): Promise<Set<string>>;
  close(): void;
}

export interface CompareJob {
  readonly number: number;
  readonly root: string;
  readonly table: StatTable;
  /** The next part that nobody has taken. */
  readonly next: Int32Array;
}

export interface CompareAnswer {
  readonly number: number;
  readonly differing: readonly string[];
}

/** Fewer are looked at before a thread has begun. */
const MANY_PARTS = 20;

function isLarge(table: StatTable): boolean {
  return countParts(table) >= MANY_PARTS;
}

/** `expected`: what is about to be compared. A large one is worth a thread that begins now, while there is other work. */
export function openComparer(expected: StatTable | null = null): Comparer {
  let helper: Worker | null = null;
  let jobs = 0;
  const waiting = new Map<number, (answer: readonly string[] | null) => void>();
  const dismiss = (): void => {
    void helper?.terminate();
    helper = null;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  const start = (): Worker => {
    const worker = new Worker(new URL(`./compare-worker${extname(import.meta.url)}`, import.meta.url));
    worker.on('message', ({ number, differing }: CompareAnswer) => waiting.get(number)?.(differing));
    worker.on('error', dismiss);
    // The process stays for what it waits for, and for nothing else.
    worker.unref();
    return worker;
  };
  /** Null: it could not help. */
  const helped = (job: CompareJob): Promise<readonly string[] | null> =>
    new Promise((resolve) => {
      helper ??= start();
      helper.ref();
      waiting.set(job.number, (answer) => {
        waiting.delete(job.number);
        if (waiting.size === 0) helper?.unref();
        resolve(answer);
      });
      helper.postMessage(job);
    });

  if (expected && isLarge(expected)) helper = start();

  return {
    async differing(root, table) {
      const count = countParts(table);
      const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const job = { number: jobs++, root, table, next };
      const help = isLarge(table) ? helped(job) : null;
      const found = new Set<string>();
      const left = new Set(Array(count).keys());
      const look = (part: number): void => {
        left.delete(part);
        for (const path of differingIn(root, table, part)) found.add(path);
      };
      for (let part = Atomics.add(next, 0, 1); part < count; part = Atomics.add(next, 0, 1)) {
        look(part);
        await takeTurn();
      }
      // What is left was taken by the other thread.
      const others = left.size === 0 ? [] : ((await help) ?? null);
      if (others) for (const path of others) found.add(path);
      else
        for (const part of left) {
          look(part);
          await takeTurn();
        }
      return found;
    },
    close: dismiss,
  };
}
