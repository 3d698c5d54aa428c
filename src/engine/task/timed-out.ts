/** Waits that timed out: which of them a retry asks again, and which the task has passed. */

/** By their ids: how much their scope had recorded by then, and whether the task has done anything since. */
export type TimedOut = Map<string, { readonly counts: ReadonlyMap<string, number>; passed: boolean }>;

/** The part of a task's memory used here. */
interface Remembering {
  readonly waits: Map<string, unknown>;
  readonly answers: Map<string, unknown>;
  readonly counts: Map<string, number>;
  readonly timedOut: TimedOut;
  failedBy: string | null;
}

export function noteTimedOut(memory: Remembering, wait: string): void {
  memory.timedOut.set(wait, { counts: countsIn(memory, scopeOf(wait)), passed: false });
}

/** The task continues without the answers. */
export function notePassed({ timedOut }: Remembering): void {
  if (timedOut.size === 0) return;
  for (const wait of timedOut.values()) wait.passed = true;
}

/** Forgets those the task failed with or right after. Asking others again would contradict what it has done since. */
export function askAgain(memory: Remembering): void {
  for (const [id, { counts, passed }] of memory.timedOut) {
    if (passed && id !== memory.failedBy) continue;
    memory.waits.delete(id);
    memory.answers.delete(id);
    memory.timedOut.delete(id);
    // What the scope recorded without an answer must not be replayed with one.
    for (const key of countsIn(memory, scopeOf(id)).keys()) memory.counts.set(key, counts.get(key) ?? 0);
  }
  memory.failedBy = null;
}

/** The agent in `{agent}/wait#{occurrence}`. */
function scopeOf(wait: string): string {
  return wait.slice(0, wait.lastIndexOf('/'));
}

function countsIn({ counts }: Remembering, agent: string): Map<string, number> {
  return new Map([...counts].filter(([key]) => key.startsWith(`${agent}|`)));
}
