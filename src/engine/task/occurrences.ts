/** How often each name has been used, from the task's memory: so that code that starts in the middle continues counting. */
import type { Memory } from './memory.ts';

export interface Counters {
  /** The next number of a name within a scope, so that the same call has the same identity at every run. */
  occurrence(scope: string): number;
  /** The next step's index. */
  nextIndex(): number;
}

/** By scope, as `Counters.occurrence` counts them. */
export function occurrencesIn(memory: Memory): Map<string, number> {
  const counts = new Map(memory.counts);
  const raise = (scope: string, to: number): void => {
    counts.set(scope, Math.max(counts.get(scope) ?? 0, to));
  };
  for (const names of [memory.steps, memory.attempts, memory.begun, memory.waits, memory.sleeps]) {
    for (const id of names.keys()) {
      const mark = id.lastIndexOf('#');
      raise(id.slice(0, mark), Number(id.slice(mark + 1)));
    }
  }
  for (const id of memory.agents.keys()) {
    const [, scope, times] = /^(.*?)(?:@(\d+))?$/s.exec(id)!;
    raise(`${scope}@agent`, Number(times ?? 1));
  }
  return counts;
}

/** What names and steps are numbered by while a task runs. */
export function counters(occurrences: Map<string, number>, { stepIndex, tried }: Memory): Counters {
  // Remembered steps keep their index; new ones are numbered on from the highest.
  let steps = Math.max(stepIndex, ...[...tried.values()].map((index) => index + 1));
  return {
    occurrence: (scope) => {
      const n = (occurrences.get(scope) ?? 0) + 1;
      occurrences.set(scope, n);
      return n;
    },
    nextIndex: () => steps++,
  };
}

/** A name as part of an identity: special characters are escaped. */
export function escapeName(name: string): string {
  return MEANT.test(name) ? name.replaceAll(/[%/>]/g, encodeURIComponent) : name;
}
const MEANT = /[%/>]/;
