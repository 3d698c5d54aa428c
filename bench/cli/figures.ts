/** How soon commands answer. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import type { Comparison, Figure, Scratch } from '../harness.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));
const TASKS = 1000;

export function cliFigures(scratch: Scratch): Figure[] {
  return [
    {
      name: '--version / node -e 0',
      bar: { atMost: 2.5 },
      how: 'a process from its start to its end, output read by a pipe, Node’s compile cache as the launcher has it',
      prepare: async () => command(scratch.fresh('cli'), ['--version']),
    },
    ...['json', 'sqlite'].map((storage) => ({
      name: `tasks with ${TASKS} tasks (${storage}) / node -e 0`,
      bar: { atMost: 6 },
      how: `${TASKS} tasks that completed, two steps each; a process from its start to its end`,
      async prepare() {
        const dir = scratch.fresh('cli');
        await populate(dir, storage);
        return command(dir, ['tasks']);
      },
    })),
  ];
}

function command(cwd: string, args: readonly string[]): Comparison {
  mkdirSync(cwd, { recursive: true });
  return {
    floor: () => timeOf(cwd, ['-e', '0']),
    subject: () => timeOf(cwd, [LAUNCHER, ...args]),
    close: async () => {},
  };
}

async function timeOf(cwd: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return performance.now() - began;
}

const small = defineTask('small', async (task, n: number) => {
  await task.message('user', `task ${n}`);
  await task.step('first', () => n);
  return task.step('second', () => n + 1);
});

async function populate(dir: string, storage_type: string): Promise<void> {
  mkdirSync(join(dir, '.vibe-engine'), { recursive: true });
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), JSON.stringify({ persistence: { storage_type } }));
  const engine = await openEngine({
    project_dir: dir,
    automatic_cleanup: false,
    signals: false,
    auto_save: false,
  });
  for (let n = 0; n < TASKS; n++) await engine.run(small, n);
  await engine.close();
}
