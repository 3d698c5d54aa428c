/** Which process runs a task, and why the run before it is over: written once a run, for those who ask later. */
import { hostname } from 'node:os';
import * as z from 'zod';
import { VERSION } from '../../system/version.ts';
import type { TaskState } from '../../task/state.ts';

/** Entries of earlier versions do not have it. */
export const RUNNER = z.strictObject({
  host: z.string(),
  pid: z.int().min(0),
  /** Of vibe-engine. */
  version: z.string(),
  /** Of the task's code. */
  fingerprint: z.string(),
});
export type Runner = z.infer<typeof RUNNER>;

/** How the run before it ended. `crash`: without a word, which may also be that its process was told to end. */
export const LAST_END = z.enum(['pause', 'crash', 'failure', 'wait']);

export function runnerOf({ fingerprint }: { readonly fingerprint: string }): Runner {
  return { host: hostname(), pid: process.pid, version: VERSION, fingerprint };
}

/** From the state that a run finds. Between two turns of an agent nothing was cut off. */
export function endOfLastRun(state: TaskState): z.infer<typeof LAST_END> | undefined {
  switch (state.status) {
    case 'paused':
      return 'pause';
    case 'failed':
      return 'failure';
    case 'waiting':
      return 'wait';
    case 'in_progress':
      return state.data.idle_since === undefined ? 'crash' : 'pause';
    default:
      return undefined;
  }
}
