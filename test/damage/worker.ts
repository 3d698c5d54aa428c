/** The command line, in a process that answers many commands: `{ args, cwd, env }` in, `{ exit, out, err }` back. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CliIo } from '../../src/cli/common/io.ts';

export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** What the process has taken of the processor until now, in milliseconds. */
  readonly cpu_ms?: number;
}

const { runCli } = (await import(pathToFileURL(join(process.argv[2]!, 'cli/run.ts')).href)) as {
  runCli(args: readonly string[], io: CliIo): Promise<number>;
};

process.on('message', async ({ args, cwd, env }: Command) => {
  let [out, err] = ['', ''];
  for (const name of Object.keys(process.env)) if (name.startsWith('DAMAGE_')) delete process.env[name];
  Object.assign(process.env, env);
  let exit: number;
  try {
    exit = await runCli(args, {
      ...{ env: process.env, cwd, screen: null, interactive: false },
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    });
  } catch (error) {
    exit = 70; // The command line answers whatever goes wrong: it never throws.
    err += `THROWN ${(error as Error).stack}`;
  }
  const { user, system } = process.cpuUsage();
  process.send!({ exit, out, err, cpu_ms: (user + system) / 1000 } satisfies Answered);
});
process.on('unhandledRejection', (error) => {
  console.error('UNHANDLED', error);
  process.exit(71);
});
process.send!('ready');
