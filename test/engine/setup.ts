/** Engines on fresh stores, closed after each test; and engines in processes of their own, on the same stores. */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import type { EngineEvent } from '../../src/engine/api/events.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import type { TaskStatus } from '../../src/task/status.ts';
import { tempDirs } from '../support/temp.ts';

export interface Bench {
  readonly dir: string;
  open(options?: EngineOptions): Promise<Engine>;
  /** An engine in a process of its own, running one of the tasks of `scripts.ts`. */
  child(job: ChildJob): EngineChild;
  /** What tasks noted with `note`, in order, whichever process they ran in. */
  notes(): string[];
  note(line: string): void;
}

export type ChildJob = { readonly config?: ConfigInput; readonly script: string } & (
  | { readonly start: unknown; readonly id: string }
  | { readonly resume: string }
);

export interface EngineChild {
  readonly pid: number;
  /** Resolves at the first event that fits. */
  until(fits: (event: ChildEvent) => boolean): Promise<ChildEvent>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export type ChildEvent =
  | EngineEvent
  | { readonly type: 'outcome'; readonly outcome: { readonly status: string } };

/** A folder of its own per test, with whatever was opened in it closed afterwards. */
export function benches(): () => Bench {
  const tempDir = tempDirs();
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  return () => {
    const dir = tempDir();
    const log = join(dir, 'notes.log');
    return {
      dir,
      open: async (options = {}) => {
        const engine = await openEngine({ project_dir: dir, signals: false, ...options });
        closing.push(() => engine.close());
        return engine;
      },
      child: (job) => {
        const child = startChild(dir, job);
        closing.push(async () => {
          child.kill('SIGKILL');
          await child.ended;
        });
        return child;
      },
      note: (line) => appendFileSync(log, `${line}\n`),
      notes: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    };
  };
}

function startChild(dir: string, job: ChildJob): EngineChild {
  const program = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify({ dir, ...job })], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<Awaited<EngineChild['ended']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const heard: ChildEvent[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    heard.push(JSON.parse(line) as ChildEvent);
    for (const look of waiting) look();
  });
  return {
    pid: child.pid!,
    ended,
    kill: (signal) => void child.kill(signal),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = heard.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(({ code, signal }) =>
          reject(
            new Error(`The child ended (${code ?? signal}) before that; it said: ${JSON.stringify(heard)}`),
          ),
        );
      }),
  };
}

/** Waits until the task has come to this status, as the store has it. */
export async function reach(engine: Engine, id: string, status: TaskStatus): Promise<void> {
  await expect.poll(async () => (await engine.state(id))?.status).toBe(status);
}

/** A promise and the means to settle it. */
export function latch<T = void>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>();
}
