/** A long task that is taken up again by a new process: how soon it does something new, and how much memory it takes. */
import { join } from 'node:path';
import { outputOf } from '../harness/child.ts';
import type { Measurement } from '../harness.ts';
import { LONG_TASKS, type LongTask } from './long-tasks.ts';
import { openAt, type Site } from './site.ts';

const CHILD = join(import.meta.dirname, 'resume-child.ts');
const MB = 1024;

/** Milliseconds from opening the engine until the first step that is new begins. */
export async function resumeTime(site: Site): Promise<Measurement> {
  const task = await record(site, 'steps');
  return {
    measure: async () => Number(await node([CHILD, 'steps', task], site)),
    close: site.remove,
  };
}

/** Megabytes at the most, above a process that has imported the same and does nothing. */
export async function memoryOfLongTask(site: Site): Promise<Measurement> {
  const task = await record(site, 'turns');
  const measure = async (): Promise<number> => {
    const idle = Number(await node([CHILD, 'idle'], site));
    const running = Number(await node([CHILD, 'turns', task], site));
    return (running - idle) / MB;
  };
  return { measure, close: site.remove };
}

/** Runs the task until all that is to be remembered is on the disk; then its engine closes under it. */
async function record(site: Site, kind: LongTask): Promise<string> {
  const recorded = Promise.withResolvers<void>();
  const definition = LONG_TASKS[kind](async () => {
    recorded.resolve();
    await new Promise(() => {});
  });
  const engine = await openAt(site);
  const { id, result } = await engine.start(definition, undefined);
  await Promise.race([recorded.promise, result]);
  await engine.close();
  return id;
}

function node(args: readonly string[], { remove: _, ...place }: Site): Promise<string> {
  return outputOf(args, { BENCH_PLACE: JSON.stringify(place) });
}
