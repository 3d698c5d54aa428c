/** A process that works on the task and tells which step it is at, until it is killed or the task waits. */
import type { ConfigInput } from '../../../src/config/types.ts';
import { openEngine } from '../../../src/engine/engine.ts';
import { whenFree } from '../../kill/free.ts';
import { type LeakyInput, leaky } from './task.ts';

export interface Job {
  readonly dir: string;
  readonly config: ConfigInput;
  readonly task: string;
  readonly input: LeakyInput;
  /** The step at which it is killed: soon after, it waits for that, however slow the other process is. */
  readonly until: number | null;
}

/** So many steps the kill may come late, and so find the task anywhere between two of them. */
const LATE = 2;

const { dir, config, task, input, until } = JSON.parse(process.argv[2]!) as Job;
const last = until === null ? Number.POSITIVE_INFINITY : Math.min(until + LATE, input.steps);
const definition = leaky(async (step) => {
  process.stdout.write(`at ${step}\n`);
  if (step >= last) await new Promise(() => setInterval(() => {}, 1000));
});
const engine = await openEngine({
  project_dir: dir,
  config,
  tasks: [definition],
  workspace: true,
  auto_save: { every_ms: 50 },
  notify: (lines) => process.stderr.write(`${lines.join('\n')}\n`),
});
const waiting = new Promise<void>((resolve) => {
  engine.on('task.status', ({ to }) => (to === 'waiting' ? resolve() : undefined));
});
const anyhow = { on_environment: 'continue', on_modified: 'use_current', on_deleted: 'skip' } as const;
const there = await engine.state(task);
const { outcome } = await whenFree(() =>
  there
    ? engine.resume(task, anyhow)
    : engine.start(definition, input, { task_id: task, task_name: `with ${input.name}` }),
);
const ended = await Promise.race([waiting, outcome]);
if (ended?.status === 'failed') throw new Error(`The task failed: ${JSON.stringify(ended)}`);
await engine.close();
process.stdout.write('rests\n');
