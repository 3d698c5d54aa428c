/** A process of its own that runs a story's task and is killed (SIGKILL) in the middle of an operation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { importFrom } from '../crash/stores.ts';
import { type Plan, storyTask } from './task.ts';

export interface KilledJob {
  readonly src: string;
  readonly dir: string;
  readonly id: string;
  readonly plan: Plan;
  /** The mark in the middle of whose operation it is killed. */
  readonly at: string;
}

/** Answers how it ended: an operation that cannot be stopped in the middle lets the task come to its end. */
export async function killedChild(job: KilledJob): Promise<string> {
  const program = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', () => child.kill('SIGKILL'));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The process of ${job.id} ended with ${code}.`);
  return signal === 'SIGKILL' ? `killed at ${job.at}` : 'came to its end';
}

if (import.meta.main) {
  const { src, dir, id, plan, at } = JSON.parse(process.argv[2]!) as KilledJob;
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    src,
    'engine/engine.ts',
  );
  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    src,
    'engine/api/definition.ts',
  );
  const definition = storyTask(defineTask as never, {
    async inside(mark) {
      if (mark !== at) return;
      process.stdout.write('here\n');
      await new Promise(() => setInterval(() => {}, 1000));
    },
  });
  const engine = await openEngine({
    project_dir: dir,
    workspace: true,
    tasks: [definition],
    automatic_cleanup: false,
  });
  const { outcome } = await engine.start(definition, plan, { task_id: id });
  const waiting = new Promise((resolve) =>
    engine.on('task.status', ({ to }) => (to === 'waiting' ? resolve(null) : undefined)),
  );
  await Promise.race([outcome, waiting]);
  await engine.close();
}
