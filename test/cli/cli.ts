/** The command line as a person has it: a process of its own, in a project's directory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command as it is published, built before the tests. */
export const MAIN: string = fileURLToPath(new URL('../../bin/vibe-engine.js', import.meta.url));

export interface CliRun {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Without a terminal, in English unless `env` says otherwise. */
export function cli(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  const { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME, VIBE_ENGINE_STATE_DIR } = process.env;
  const options = {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME, VIBE_ENGINE_STATE_DIR, ...env },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], options, (error, out, err) => {
      resolve({ exit: error ? Number(error.code) : 0, out, err });
    });
    child.stdin!.end();
  });
}

/** The data of its JSON answer; throws where it is an error. */
export async function ask<T>(cwd: string, ...args: string[]): Promise<T> {
  const { out, err, exit } = await cli(cwd, [...args, '--json']);
  const answer = JSON.parse(out) as { vibe_engine: number; ok: boolean; data: T };
  if (answer.vibe_engine !== 1 || !answer.ok) throw new Error(`exit ${exit}: ${out}${err}`);
  return answer.data;
}
