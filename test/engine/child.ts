/** A process that runs one task and says what happens, a line of JSON per event. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.ts';
import { scripts } from './scripts.ts';
import type { ChildJob } from './setup.ts';

const job = JSON.parse(process.argv[2]!) as ChildJob & { dir: string };
const script = scripts((line) => appendFileSync(join(job.dir, 'notes.log'), `${line}\n`))[job.script]!;
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const engine = await openEngine({
  project_dir: job.dir,
  tasks: [script],
  ...(job.config ? { config: job.config } : {}),
});
engine.on('*', say);
const handle =
  'resume' in job
    ? await engine.resume(job.resume)
    : await engine.start(script, job.start as never, { task_id: job.id });
const outcome = await handle.outcome;
say({ type: 'outcome', outcome: { status: outcome.status } });
await engine.close();
