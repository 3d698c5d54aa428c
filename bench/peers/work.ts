/** The work that every contender does, the same for all. */
import { appendFileSync } from 'node:fs';
import { randomText } from '../engine/turns.ts';
import { nextText } from '../storage/payloads.ts';

const KB = 1024;

/** The texts of a turn: user, assistant, and a tool's output. */
export function turnTexts(): [string, string, string] {
  return [randomText(KB), randomText(KB), randomText(4 * KB)];
}

/** Times the steps of a round by when they run, so that how a workflow is started does not matter. */
export interface Meter {
  /** What step `n` of a task does: answers 1,024 characters. The first steps wait until every task has begun. */
  step(n: number): Promise<string>;
  /** Steps per second, from when the last task began until the last step ran. */
  rate(): number;
}

export function meter(tasks: number, steps: number): Meter {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  let start = 0;
  let last = 0;
  return {
    async step(n) {
      if (n === 0 && ++begun === tasks) {
        start = performance.now();
        all.resolve();
      }
      if (n === 0) await all.promise;
      last = performance.now();
      return nextText();
    },
    rate: () => (1000 * tasks * (steps - 1)) / (last - start),
  };
}

/** Notes each step as it begins, and kills this process in the middle of one. */
export function dyingStep(log: string, killedAt: number): (n: number) => string {
  return (n) => {
    appendFileSync(log, `${n}\n`);
    if (n === killedAt) process.kill(process.pid, 'SIGKILL');
    return nextText();
  };
}

/** The same in the process after it, which says when the first step runs. */
export function recoveringStep(log: string, tell: (text: string) => void): (n: number) => string {
  let told = false;
  return (n) => {
    if (!told) tell('first');
    told = true;
    appendFileSync(log, `${n}\n`);
    return nextText();
  };
}
