/** Starts agents and listens to what they say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AgentJob, Said } from './agent.ts';

export interface AgentProcess {
  /** The number of its last task that is done. */
  readonly done: number;
  /** Resolves when it has opened its engine, or has ended. */
  readonly ready: Promise<void>;
  kill(): void;
  /** Null, or how it ended otherwise than by being killed or told to stop. */
  readonly ended: Promise<string | null>;
}

const AGENT = fileURLToPath(new URL('agent.ts', import.meta.url));

/** `cache` is where compiled code is kept between processes, which is most of what starting one takes. */
export function startAgent(job: AgentJob, cache: string): AgentProcess {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', AGENT, JSON.stringify(job)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache },
    },
  );
  let errors = '';
  let done = job.first - 1;
  let stopped = false;
  const ready = Promise.withResolvers<void>();
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(0, 4000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Said;
    if (said.type === 'done') done = said.number;
    if (said.type === 'stopped') stopped = true;
    if (said.type === 'ready') ready.resolve();
  });
  const ended = once(child, 'close').then(([code, signal]) =>
    stopped || signal === 'SIGKILL' ? null : `agent ${job.agent} ended with ${code ?? signal}: ${errors}`,
  );
  return {
    get done() {
      return done;
    },
    ready: Promise.race([ready.promise, ended.then(() => {})]),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}
