/** Runs commands one after the other in a process that lives on; one that hangs, or falls over it, is ended and said so. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answered, Command } from './worker.ts';

export type Ran = Answered | { readonly broke: string };

export interface Shell {
  run(command: Command): Promise<Ran>;
  /** The same in a process of its own. */
  alone(command: Command): Promise<Ran>;
  /** What the processes have taken of the processor. */
  cpu_ms(): number;
  close(): void;
}

/** Longer than anything takes on a busy machine: what is not done by then goes round in circles. */
const PATIENCE_MS = 60_000;
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
/** A process remembers every file that it was given to run, so it is not used for ever. */
const MOST_COMMANDS = 500;

export function openShell(src: string, patience_ms: number = PATIENCE_MS): Shell {
  let child: ChildProcess | undefined;
  let left = 0;
  let said = '';
  let [past, here] = [0, 0];

  const start = async (): Promise<ChildProcess> => {
    if (child && left-- > 0) return child;
    child?.kill('SIGKILL');
    child = fork(WORKER, [src], { silent: true, env: quietEnv() });
    left = MOST_COMMANDS;
    [past, here] = [past + here, 0];
    said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
    });
    child.setMaxListeners(0);
    await once(child, 'message');
    return child;
  };

  return {
    async run(command) {
      const running = await start();
      const answered = once(running, 'message').then(([answer]) => answer as Answered);
      const ended = once(running, 'exit').then(() => ({ broke: `the process ended: ${said}` }));
      const late = Promise.withResolvers<Ran>();
      const timer = setTimeout(() => late.resolve({ broke: 'it hung' }), patience_ms);
      running.send(command);
      const ran = await Promise.race([answered, ended, late.promise]);
      clearTimeout(timer);
      if ('broke' in ran) {
        running.kill('SIGKILL');
        child = undefined;
      }
      for (const event of ['message', 'exit', 'error']) running.removeAllListeners(event);
      if ('cpu_ms' in ran) here = ran.cpu_ms ?? here;
      return ran;
    },
    alone: ({ args, cwd, env }) =>
      new Promise((resolve) => {
        const main = join(src, 'cli/main.ts');
        const options = { cwd, env: { ...quietEnv(), ...env }, timeout: patience_ms };
        const run = execFile(process.execPath, [main, ...args], options, (error, out, err) => {
          const exit = error ? Number(error.code) : 0;
          resolve(error?.killed ? { broke: 'it hung' } : { exit, out, err });
        });
        run.stdin!.end();
      }),
    cpu_ms: () => past + here,
    close: () => child?.kill('SIGKILL'),
  };
}

function quietEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NODE_OPTIONS, VIBE_ENGINE_STATE_DIR, DAMAGE_KEY } =
    process.env;
  const key = DAMAGE_KEY === undefined ? {} : { VIBE_ENGINE_KEY: DAMAGE_KEY };
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NODE_OPTIONS, VIBE_ENGINE_STATE_DIR, ...key };
}
