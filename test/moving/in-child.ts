import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cli } from '../cli/cli.ts';
import type { Done, Job } from './child.ts';

const PROGRAM = fileURLToPath(new URL('./child.ts', import.meta.url));

/** What nobody kills and whose changes nobody counts needs no process of its own. */
export async function run(dir: string, args: readonly string[]): Promise<Pick<Done, 'exit' | 'said'>> {
  const { exit, out, err } = await cli(dir, args, { VIBE_ENGINE_KEY: process.env.VIBE_ENGINE_KEY });
  return { exit, said: out + err };
}

/** Null when it was killed. */
export function inChild(job: Job): Promise<Done | null> {
  const child = fork(PROGRAM, [JSON.stringify(job)], { stdio: 'inherit' });
  let done: Done | null = null;
  child.once('message', (message) => {
    done = message as Done;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(done);
      else reject(new Error(`The child ended with ${code ?? signal}.`));
    });
  });
}
