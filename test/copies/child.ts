/** A worker that works the queue; one that copies also opens, reads, copies and closes all that lies below the project, again and again. */
import { appendFileSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importFrom, openStore, type StorePlace } from '../crash/stores.ts';

export interface CopyJob {
  readonly place: StorePlace;
  readonly project_dir: string;
  readonly witness: string;
  /** Where its copies go; null: it only works. */
  readonly copy_to: string | null;
}

export const STEPS = 12;

if (import.meta.main) await main(JSON.parse(process.argv[2]!) as CopyJob);

async function main({ place, project_dir, witness, copy_to }: CopyJob): Promise<void> {
  const from = <T>(file: string): Promise<T> => importFrom<T>(place.src, file);
  const { openEngine } = await from<typeof import('../../src/engine/engine.ts')>('engine/engine.ts');
  const { defineTask } =
    await from<typeof import('../../src/engine/api/definition.ts')>('engine/api/definition.ts');
  const say = (...words: (string | number)[]): void => appendFileSync(witness, `${words.join(' ')}\n`);
  const job = defineTask(
    'job',
    async (task) => {
      const tokens: string[] = [];
      for (let n = 0; n < STEPS; n++) {
        const token = await task.step('work', async () => {
          say('begin', process.pid, task.id, n);
          await sleep(Math.random() * 60);
          return `${process.pid}-${Math.random().toString(36).slice(2)}`;
        });
        tokens.push(token);
        say('done', process.pid, task.id, n, token);
      }
      say('end', process.pid, task.id, ...tokens);
    },
    { version: '1' },
  );
  const storage = await openStore(place);
  const engine = await openEngine({ project_dir, storage, automatic_cleanup: false, tasks: [job] });
  engine.on('run.ended', ({ task, outcome, error }) => {
    if (outcome === 'failed') say('failed', process.pid, task, String((error as { code?: string })?.code));
  });
  process.send!('ready');
  if (copy_to) void copyForEver(project_dir, copy_to);
  for (;;) {
    await engine.work({ concurrency: 8 });
    await sleep(50);
  }
}

async function copyForEver(project_dir: string, copy_to: string): Promise<never> {
  for (;;) {
    await copyTree(project_dir, copy_to);
    await rm(copy_to, { recursive: true, force: true });
    await sleep(1);
  }
}

/** As a step may do it that knows nothing of the store; what goes meanwhile is passed over. */
async function copyTree(from: string, to: string): Promise<void> {
  try {
    const found = await lstat(from);
    if (found.isDirectory()) {
      await mkdir(to, { recursive: true });
      for (const name of await readdir(from)) await copyTree(join(from, name), join(to, name));
    } else if (found.isSymbolicLink()) await readlink(from);
    else if (found.isFile()) await copyFile(from, to);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  await using source = await open(from, 'r');
  await using copy = await open(to, 'w');
  await copy.writeFile(await source.readFile());
}
